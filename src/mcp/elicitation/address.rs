//! The address that a server wants to be opened: what of it a person must look at.

use crate::text::is_hidden;

/// The host and port in `url`, or why it is not opened.
pub(super) fn host(url: &str) -> Result<&str, String> {
    let odd = |c: char| c.is_whitespace() || c.is_control() || is_hidden(c) || c == '\\';
    if url.contains(odd) {
        return Err("Its \"url\" holds characters that no address has.".to_owned());
    }
    let rest = after_scheme(url).ok_or("Its \"url\" does not begin with https:// or http://.")?;
    let authority = authority(rest);
    let host = authority
        .rsplit_once('@')
        .map_or(authority, |(_, host)| host);
    if host.is_empty() || host.starts_with(':') {
        return Err("Its \"url\" has no host.".to_owned());
    }
    Ok(host)
}

fn after_scheme(url: &str) -> Option<&str> {
    let at = url.find("://")?;
    let scheme = url.get(..at)?;
    let known = scheme.eq_ignore_ascii_case("https") || scheme.eq_ignore_ascii_case("http");
    known.then(|| url.get(at + 3..))?
}

fn authority(rest: &str) -> &str {
    rest.split(['/', '?', '#']).next().unwrap_or_default()
}

/// Something before an `@` looks like the site and is not.
pub(super) fn poses(url: &str) -> bool {
    after_scheme(url).is_some_and(|rest| authority(rest).contains('@'))
}

/// Letters that look like others can make a site look like another one.
pub(super) fn looks_alike(host: &str) -> bool {
    !host.is_ascii()
        || host
            .to_ascii_lowercase()
            .split('.')
            .any(|label| label.starts_with("xn--"))
}

/// It is sent for all on the way to read, and does not stay on this computer.
pub(super) fn is_open(url: &str, host: &str) -> bool {
    let plain = url
        .get(..5)
        .is_some_and(|scheme| scheme.eq_ignore_ascii_case("http:"));
    let name = if host.starts_with('[') {
        host.split_inclusive(']').next().unwrap_or(host)
    } else {
        host.split(':').next().unwrap_or(host)
    };
    plain && !matches!(name, "localhost" | "127.0.0.1" | "[::1]")
}
