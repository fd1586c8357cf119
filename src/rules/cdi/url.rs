//! Reads URLs as Go's `net/url` does: what it takes and what it refuses decides, not what a browser would make of it.

/// The scheme of an absolute URL or path, empty for a path; `None` where Go's `ParseRequestURI` refuses it.
pub(super) fn of_request(text: &str) -> Option<String> {
    read(text, true)
}

/// The scheme of a URL or a path, empty for a path; `None` where Go's `Parse` refuses it.
pub(super) fn of_text(text: &str) -> Option<String> {
    let (before, fragment) = text.split_once('#').unwrap_or((text, ""));
    is_escaped(fragment).then(|| read(before, false)).flatten()
}

/// Mirrors `parse`, net/url/url.go.
fn read(text: &str, is_request: bool) -> Option<String> {
    if text.bytes().any(|byte| byte < b' ' || byte == 0x7f) || is_request && text.is_empty() {
        return None;
    }
    if text == "*" {
        return Some(String::new());
    }
    let (scheme, rest) = scheme(text)?;
    let rest = rest.split_once('?').map_or(rest, |(before, _)| before);
    if !rest.starts_with('/') {
        if !scheme.is_empty() {
            return Some(scheme);
        }
        let first = rest.split('/').next().unwrap_or_default();
        return (!is_request && !first.contains(':') && is_escaped(rest)).then_some(scheme);
    }
    let has_host = !scheme.is_empty() || !is_request && !rest.starts_with("///");
    let path = match rest.strip_prefix("//").filter(|_| has_host) {
        Some(authority) => {
            let end = authority.find('/').unwrap_or(authority.len());
            if !is_authority(&authority[..end]) {
                return None;
            }
            &authority[end..]
        }
        None => rest,
    };
    is_escaped(path).then_some(scheme)
}

/// The scheme in lower case, and what follows it; `None` where a colon stands first.
fn scheme(text: &str) -> Option<(String, &str)> {
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' => {}
            b'0'..=b'9' | b'+' | b'-' | b'.' if at > 0 => {}
            b':' if at == 0 => return None,
            b':' => return Some((text[..at].to_ascii_lowercase(), &text[at + 1..])),
            _ => break,
        }
    }
    Some((String::new(), text))
}

/// Whether every `%` is followed by two hexadecimal digits.
fn is_escaped(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr::memchr_iter(b'%', bytes).all(|at| {
        let digits = bytes.get(at + 1..at + 3);
        digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    })
}

fn is_authority(text: &str) -> bool {
    let Some((user, host)) = text.rsplit_once('@') else {
        return is_host(text);
    };
    let is_user_letter =
        |letter: char| letter.is_ascii_alphanumeric() || "-._:~!$&'()*+,;=%@".contains(letter);
    user.chars().all(is_user_letter) && is_escaped(user) && is_host(host)
}

/// Mirrors `parseHost`, net/url/url.go.
fn is_host(text: &str) -> bool {
    if let Some(inside) = text.strip_prefix('[') {
        let Some((address, port)) = inside.rsplit_once(']') else {
            return false;
        };
        let (address, zone) = address.split_once("%25").unwrap_or((address, ""));
        return is_port(port) && are_host_letters(address) && is_escaped(zone);
    }
    let port = text.rfind(':').map_or("", |at| &text[at..]);
    is_port(port) && are_host_letters(text)
}

/// Whether the text is empty or a colon with digits.
fn is_port(text: &str) -> bool {
    text.is_empty()
        || text
            .strip_prefix(':')
            .is_some_and(|digits| digits.bytes().all(|digit| digit.is_ascii_digit()))
}

/// Whether Go takes the letters in the name of a host. Of escapes it takes those of letters beyond ASCII, and `%25`.
fn are_host_letters(text: &str) -> bool {
    let is_plain = |letter: char| {
        !letter.is_ascii()
            || letter.is_ascii_alphanumeric()
            || "-_.~!$&'()*+,;=:[]<>\"%".contains(letter)
    };
    let bytes = text.as_bytes();
    text.chars().all(is_plain)
        && is_escaped(text)
        && memchr::memchr_iter(b'%', bytes).all(|at| {
            let digits = &bytes[at + 1..at + 3];
            !digits[0].is_ascii_digit() || digits[0] >= b'8' || digits == b"25"
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_names_its_scheme() {
        for (text, scheme) in [
            ("http://example.com/a", Some("http")),
            ("HTTPS://example.com", Some("https")),
            ("http:a", Some("http")),
            ("http://", Some("http")),
            ("/a/b", Some("")),
            ("a/b", None),
            ("", None),
            (":a", None),
            ("http://a b/", None),
            ("http://a/b c", Some("http")),
            ("http://a/%zz", None),
            ("http://a:b/", None),
            ("http://a:80/", Some("http")),
            ("http://[::1]:80/", Some("http")),
            ("http://[::1/", None),
            ("http://user:pass@a/", Some("http")),
            ("http://us er@a/", None),
            ("http://a%41/", None),
            ("http://a%c3%a9/", Some("http")),
            ("http://a\n/", None),
            ("http://a/?%zz", Some("http")),
        ] {
            assert_eq!(of_request(text).as_deref(), scheme, "{text:?}");
        }
    }

    #[test]
    fn a_text_may_be_a_path() {
        for (text, scheme) in [
            ("docker://a/b:c", Some("docker")),
            ("a/b:c", Some("")),
            ("a:b", Some("a")),
            ("1a:b", None),
            ("", Some("")),
            ("a#%zz", None),
            ("docker://a#b", Some("docker")),
        ] {
            assert_eq!(of_text(text).as_deref(), scheme, "{text:?}");
        }
    }
}
