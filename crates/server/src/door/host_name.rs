//! Hosts as they stand in URLs: an address or a name.

use std::{
    fmt,
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    str::FromStr,
};

/// A host, in the one form that equal hosts have: names in lower case, addresses as numbers.
///
/// ```
/// use server::HostName;
///
/// assert_eq!("LocalHost".parse(), "localhost".parse::<HostName>());
/// assert_eq!("[0:0::1]".parse(), "[::1]".parse::<HostName>());
/// assert!("db.example.com:80".parse::<HostName>().is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum HostName {
    /// An address; a v6 address stands in brackets.
    Address(IpAddr),
    /// A name of letters, digits, hyphens, underscores and dots. A dot at its end is kept, since browsers keep it, too.
    Name(String),
}

/// Why a text is no host.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "[{text}] is no host: expected a name such as db.example.com (in ASCII), an IPv4 address, or an IPv6 address in brackets, without a port"
)]
pub struct HostNameError {
    /// The text.
    text: String,
}

/// Most characters of a name (RFC 1035, section 2.3.4), with a dot at its end.
const LONGEST_NAME: usize = 254;

impl HostName {
    /// Whether both are one host to the resolver: a dot at the end of a name says only that it is complete.
    pub(crate) fn is_same_host(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Name(one), Self::Name(other)) => without_dot(one) == without_dot(other),
            _ => self == other,
        }
    }
}

fn without_dot(name: &str) -> &str {
    name.strip_suffix('.').unwrap_or(name)
}

impl FromStr for HostName {
    type Err = HostNameError;

    fn from_str(text: &str) -> Result<Self, HostNameError> {
        parse(text).ok_or_else(|| HostNameError { text: text.into() })
    }
}

fn parse(text: &str) -> Option<HostName> {
    if let Some(address) = text.strip_prefix('[') {
        return ipv6(address.strip_suffix(']')?).map(HostName::Address);
    }
    if let Ok(address) = text.parse::<Ipv4Addr>() {
        return Some(HostName::Address(address.into()));
    }
    is_name(text).then(|| HostName::Name(text.to_ascii_lowercase()))
}

/// An address without its brackets; a zone (`%25eth0`) means something to the client's machine only.
fn ipv6(text: &str) -> Option<IpAddr> {
    let (address, zone) = text.split_once('%').unwrap_or((text, "0"));
    let of_zone = |c: char| c.is_ascii_alphanumeric() || "-._~".contains(c);
    let is_zone = !zone.is_empty() && zone.chars().all(of_zone);
    is_zone.then(|| address.parse::<Ipv6Addr>().ok()).flatten().map(IpAddr::from)
}

fn is_name(text: &str) -> bool {
    let mut labels = without_dot(text).split('.');
    let is_label = |label: &str| {
        !label.is_empty() && label.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c))
    };
    // What ends in a number is an address that is written in a way no browser sends it (127.1, 0x7f.0.0.1).
    let is_number = |label: &str| label.starts_with(|c: char| c.is_ascii_digit()) && is_any_number(label);
    text.len() <= LONGEST_NAME
        && labels.clone().all(is_label)
        && labels.next_back().is_some_and(|last| !is_number(last))
}

fn is_any_number(label: &str) -> bool {
    let hexadecimal = label.strip_prefix("0x").or_else(|| label.strip_prefix("0X"));
    match hexadecimal {
        Some(digits) => digits.chars().all(|c| c.is_ascii_hexdigit()),
        None => label.chars().all(|c| c.is_ascii_digit()),
    }
}

impl fmt::Display for HostName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Address(IpAddr::V4(address)) => address.fmt(f),
            Self::Address(IpAddr::V6(address)) => write!(f, "[{address}]"),
            Self::Name(name) => f.write_str(name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_hosts_have_one_form() {
        for (text, form) in [
            ("localhost", "localhost"),
            ("LOCALHOST.", "localhost."),
            ("my_box-2.example", "my_box-2.example"),
            ("127.0.0.1", "127.0.0.1"),
            ("[::0001]", "[::1]"),
            ("[fe80::1%25eth0]", "[fe80::1]"),
            ("1and1.com", "1and1.com"),
            ("xn--bcher-kva.example", "xn--bcher-kva.example"),
        ] {
            assert_eq!(text.parse::<HostName>().unwrap().to_string(), form, "{text}");
        }
    }

    #[test]
    fn what_is_no_host_is_refused() {
        for text in [
            "",
            ".",
            "..",
            "a..b",
            "a:80",
            "::1",
            "[::1",
            "[::1]x",
            "[::1%]",
            "[127.0.0.1]",
            "user@localhost",
            "a b",
            "a/b",
            "*",
            "bücher.example",
            "127.1",
            "127.0.0.01",
            "256.0.0.1",
            "0x7f.0.0.1.",
            "0x7f",
            "2130706433",
            "%6c",
        ] {
            assert!(text.parse::<HostName>().is_err(), "{text}");
        }
        assert!("a".repeat(255).parse::<HostName>().is_err());
    }

    #[test]
    fn a_dot_at_the_end_is_the_same_host_and_another_name() {
        let [one, other]: [HostName; 2] = ["localhost", "localhost."].map(|text| text.parse().unwrap());
        assert!(one.is_same_host(&other) && one != other);
    }
}
