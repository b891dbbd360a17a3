//! Is an address one that can be called, and a header one that can be sent? What is wrong is said where
//! it is written, not when the server starts.

/// What is wrong with an address. The words never repeat it: a variable may have brought a secret in.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum BadUrl {
    /// It is none of http or https, or names no host.
    Shape,
    /// It holds a user name or a password.
    Password,
    /// Its port is no number from 1 to 65535.
    Port,
}

impl BadUrl {
    /// Its stable code, and the fact with what to do.
    pub(super) fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Shape => (
                "bad-url",
                "\"url\" must be an address that begins with https:// or http://.",
            ),
            Self::Password => (
                "password-in-url",
                "\"url\" holds a user name or a password, and addresses are shown and logged. Send it as a header: \"headers\": { \"Authorization\": \"Basic ${VARIABLE}\" }.",
            ),
            Self::Port => (
                "bad-port",
                "The port in \"url\" must be a number from 1 to 65535.",
            ),
        }
    }
}

/// Checks an address as the URL standard (section 4.4) reads one of http or https.
pub(super) fn check_url(text: &str) -> Result<(), BadUrl> {
    if text.contains(|c: char| c.is_whitespace() || c.is_control()) {
        return Err(BadUrl::Shape);
    }
    let lower = text.to_ascii_lowercase();
    let rest = lower
        .strip_prefix("https://")
        .or_else(|| lower.strip_prefix("http://"))
        .ok_or(BadUrl::Shape)?;
    // A backslash counts as a slash there.
    let authority = rest.split(['/', '\\', '?', '#']).next().unwrap_or_default();
    if authority.contains('@') {
        return Err(BadUrl::Password);
    }
    let (host, port) = match authority.rfind([':', ']']) {
        Some(at) if authority.as_bytes().get(at) == Some(&b':') => {
            (&authority[..at], &authority[at + 1..])
        }
        _ => (authority, ""),
    };
    let bracketed = host.starts_with('[') && host.ends_with(']') && host.len() > 2;
    let inner = if bracketed {
        &host[1..host.len() - 1]
    } else {
        host
    };
    let forbidden = |c: char| "<>[]^|".contains(c) || c == ':' && !bracketed;
    if inner.is_empty() || inner.contains(forbidden) {
        return Err(BadUrl::Shape);
    }
    let usable = port.is_empty()
        || port.bytes().all(|b| b.is_ascii_digit())
            && port.parse::<u16>().is_ok_and(|number| number > 0);
    if usable { Ok(()) } else { Err(BadUrl::Port) }
}

/// True for what RFC 9110, section 5.6.2, calls a token: all that a header's name may be.
pub(super) fn is_token(name: &str) -> bool {
    !name.is_empty()
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b))
}

/// True for what a header can carry: no control character but a tab, and one byte a character.
pub(super) fn is_header_value(value: &str) -> bool {
    value
        .chars()
        .all(|c| c == '\t' || (' '..='\u{ff}').contains(&c) && c != '\u{7f}')
}

/// Headers that say how a message is carried, or that the protocol sets: an entry has no say in them.
pub(super) fn is_ours(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    lower.starts_with("mcp-param-")
        || matches!(
            lower.as_str(),
            "accept"
                | "connection"
                | "content-length"
                | "content-type"
                | "keep-alive"
                | "last-event-id"
                | "mcp-method"
                | "mcp-name"
                | "mcp-protocol-version"
                | "mcp-session-id"
                | "transfer-encoding"
                | "upgrade"
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_one_that_can_be_called() {
        let check = |text: &str, expected: Result<(), BadUrl>| {
            assert_eq!(check_url(text), expected, "{text}");
        };
        for good in [
            "https://h",
            "HTTP://H:80/mcp",
            "http://[::1]:8080/x?y#z",
            "http://[::1]",
            "https://h:/mcp",
            "https://h:65535",
            "https://h/a@b:99999",
            "https://h?a@b",
            "https://h:80\\@x",
            "https://bücher.example/mcp",
        ] {
            check(good, Ok(()));
        }
        for shape in [
            "",
            "h",
            "ftp://h",
            "https:",
            "https://",
            "https:///mcp",
            "https://?x",
            "https://:80",
            "https://[]",
            "https://[::1",
            "https://::1/mcp",
            "https://a b",
            "https://h\n",
            "https://a|b",
            "https://<h>",
        ] {
            check(shape, Err(BadUrl::Shape));
        }
        for password in [
            "https://u:p@h",
            "https://u@h",
            "https://@h",
            "https://a@b@h/x",
            "http://u:p@[::1]:1/",
        ] {
            check(password, Err(BadUrl::Password));
        }
        for port in [
            "https://h:0",
            "https://h:99999/mcp",
            "https://h:65536",
            "https://h:+80",
            "https://h:8o",
            "https://h:-1",
            "http://[::1]:70000",
        ] {
            check(port, Err(BadUrl::Port));
        }
    }

    #[test]
    fn a_header_is_one_that_can_be_sent() {
        for (name, expected) in [
            ("X-Key", true),
            ("x_key.2~", true),
            ("", false),
            ("X Key", false),
            ("X-Key:", false),
            ("Schlüssel", false),
            ("a\r\nb", false),
            ("a(b)", false),
        ] {
            assert_eq!(is_token(name), expected, "{name:?}");
        }
        for (value, expected) in [
            ("", true),
            ("Bearer x", true),
            ("a\tb", true),
            ("é", true),
            ("a\r\nX-Other: b", false),
            ("key\n", false),
            ("\0", false),
            ("\u{7f}", false),
            ("钥", false),
        ] {
            assert_eq!(is_header_value(value), expected, "{value:?}");
        }
        for (name, expected) in [
            ("Content-Length", true),
            ("Mcp-Param-Region", true),
            ("ACCEPT", true),
            ("Authorization", false),
            ("Host", false),
        ] {
            assert_eq!(is_ours(name), expected, "{name}");
        }
    }
}
