//! What a bundled file is: text in one of the encodings that editors write, or a type and no text.
//!
//! In: a file's path and bytes. Out: its text, or its media type. Deliberately not here: images for
//! a model that could see them.

/// A file's content, as far as a model can read it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Media {
    /// Text; a byte order mark is gone.
    Text {
        /// The text.
        text: String,
    },
    /// Anything else.
    Binary {
        /// Such as `image/png`.
        media_type: &'static str,
    },
}

/// Reads `bytes` as UTF-8, as UTF-16 where a byte order mark says so, or as Latin-1, where no control
/// character speaks against it. The path's extension only names the type of what is not text.
pub fn media(path: &str, bytes: &[u8]) -> Media {
    let text = match bytes {
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes),
        [0xef, 0xbb, 0xbf, rest @ ..] => std::str::from_utf8(rest).ok().map(str::to_owned),
        _ => std::str::from_utf8(bytes).ok().map(str::to_owned),
    };
    let binary = || Media::Binary {
        media_type: media_type(path, bytes),
    };
    match text {
        Some(text) if text.bytes().any(is_control) => binary(),
        Some(text) => Media::Text { text },
        None if bytes
            .iter()
            .any(|byte| is_control(*byte) || is_unassigned(*byte)) =>
        {
            binary()
        }
        // A byte order mark that keeps no promise is no text of eight bits either.
        None if matches!(bytes, [0xff, 0xfe, ..] | [0xfe, 0xff, ..]) => binary(),
        None if signed(bytes).is_some() => binary(),
        None => Media::Text {
            text: bytes.iter().map(|byte| char::from(*byte)).collect(),
        },
    }
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Option<String> {
    let (pairs, odd) = bytes.as_chunks::<2>();
    if !odd.is_empty() {
        return None;
    }
    char::decode_utf16(pairs.iter().map(|pair| unit(*pair)))
        .collect::<Result<String, _>>()
        .ok()
}

/// Controls that no text holds: those of C0 but tab, line feeds, form feed and escape.
fn is_control(byte: u8) -> bool {
    matches!(byte, 0x00..=0x08 | 0x0b | 0x0e..=0x1a | 0x1c..=0x1f | 0x7f)
}

/// Bytes that mean nothing in Windows-1252, which is what 8-bit text is taken for.
fn is_unassigned(byte: u8) -> bool {
    matches!(byte, 0x81 | 0x8d | 0x8f | 0x90 | 0x9d)
}

/// The media type of a binary file: by its first bytes, else by its extension.
fn media_type(path: &str, bytes: &[u8]) -> &'static str {
    if let Some(by_content) = signed(bytes) {
        return by_content;
    }
    let extension = path.rsplit_once('.').map(|(_, extension)| extension);
    match extension.map(str::to_ascii_lowercase).as_deref() {
        Some("ico") => "image/x-icon",
        Some("bmp") => "image/bmp",
        Some("ttf") => "font/ttf",
        Some("otf") => "font/otf",
        Some("woff") => "font/woff",
        Some("woff2") => "font/woff2",
        Some("mp3") => "audio/mpeg",
        Some("mp4") => "video/mp4",
        Some("sqlite" | "db") => "application/vnd.sqlite3",
        Some("pyc") => "application/x-python-code",
        _ => "application/octet-stream",
    }
}

fn signed(bytes: &[u8]) -> Option<&'static str> {
    const SIGNATURES: [(&[u8], &str); 11] = [
        (b"\x89PNG\r\n\x1a\n", "image/png"),
        (b"\xff\xd8\xff", "image/jpeg"),
        (b"GIF8", "image/gif"),
        (b"%PDF-", "application/pdf"),
        (b"PK\x03\x04", "application/zip"),
        (b"\x1f\x8b", "application/gzip"),
        (b"\0asm", "application/wasm"),
        (b"\x7fELF", "application/x-executable"),
        (b"MZ\x90", "application/x-msdownload"),
        (b"OggS", "audio/ogg"),
        (b"SQLite format 3\0", "application/vnd.sqlite3"),
    ];
    if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
        return Some("image/webp");
    }
    SIGNATURES
        .iter()
        .find(|(start, _)| bytes.starts_with(start))
        .map(|(_, media_type)| *media_type)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: &[u8], expected: &str) {
        let expected = Media::Text {
            text: expected.to_owned(),
        };
        assert_eq!(media("a", bytes), expected, "{bytes:?}");
    }

    fn binary(path: &str, bytes: &[u8], media_type: &'static str) {
        assert_eq!(media(path, bytes), Media::Binary { media_type }, "{path}");
    }

    #[test]
    fn texts() {
        text(b"", "");
        text("über".as_bytes(), "über");
        text(b"\xef\xbb\xbfa", "a");
        text(b"\xff\xfea\0\xe4\0", "aä");
        text(b"\xfe\xff\0a\0\xe4", "aä");
        text(b"caf\xe9\r\n", "café\r\n");
        text(b"BMW", "BMW");
        text(b"\x1b[1mbold", "\u{1b}[1mbold");
    }

    #[test]
    fn binaries() {
        binary("a.png", b"\x89PNG\r\n\x1a\n\0\0", "image/png");
        binary("a.txt", b"\x89PNG\r\n\x1a\n\0\0", "image/png");
        binary("a", b"RIFF\x01\x02\x03\x04WEBPVP8 ", "image/webp");
        binary("a.TTF", b"\0\x01\0\0", "font/ttf");
        binary("a", b"a\0b", "application/octet-stream");
        binary("a", b"\xff\xfea", "application/octet-stream");
        binary("a", b"\xff\xfe\x00\xd8", "application/octet-stream");
        binary("a.jpg", b"\xff\xd8\xff\xe0abc", "image/jpeg");
    }
}
