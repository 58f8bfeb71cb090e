//! Networks of addresses, and who stands behind a proxy in one.

use std::{fmt, net::IpAddr, str::FromStr};

use hyper::HeaderMap;

/// The addresses that begin with the same bits, such as `10.0.0.0/8`; or one address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    address: IpAddr,
    /// How many bits, of those of an IPv6 address.
    bits: u8,
}

/// A text that is no network.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "[{0}] is no network: expected an IP address, or one with a number of bits such as 10.0.0.0/8 or fd00::/8"
)]
pub struct NetworkError(String);

impl Network {
    /// Whether an address is in it.
    pub fn contains(&self, address: IpAddr) -> bool {
        let differ = bits_of(self.address) ^ bits_of(address);
        self.bits == 0 || differ >> (128 - self.bits) == 0
    }
}

/// As those of IPv6, in which IPv4 has its place.
fn bits_of(address: IpAddr) -> u128 {
    match address.to_canonical() {
        IpAddr::V4(address) => address.to_ipv6_mapped().to_bits(),
        IpAddr::V6(address) => address.to_bits(),
    }
}

impl FromStr for Network {
    type Err = NetworkError;

    fn from_str(text: &str) -> Result<Self, NetworkError> {
        let wrong = || NetworkError(text.into());
        let (address, bits) = match text.split_once('/') {
            Some((address, bits)) => (address, Some(bits.parse::<u8>().map_err(|_| wrong())?)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().map_err(|_| wrong())?;
        let most = if address.is_ipv4() { 32 } else { 128 };
        let bits = bits.unwrap_or(most);
        if bits > most {
            return Err(wrong());
        }
        Ok(Self { address, bits: bits + (128 - most) })
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bits = if self.address.is_ipv4() { self.bits - 96 } else { self.bits };
        write!(f, "{}/{bits}", self.address)
    }
}

/// Where a request is from: the last address in `X-Forwarded-For` that is none of the proxies which are trusted, if it came from one
/// of those. Whoever is not trusted could write anything there.
pub(crate) fn origin_of_request(peer: IpAddr, headers: &HeaderMap, trusted: &[Network]) -> IpAddr {
    let is_trusted = |address: IpAddr| trusted.iter().any(|network| network.contains(address));
    let mut from = peer;
    let lists: Vec<_> = headers.get_all("x-forwarded-for").iter().collect();
    let hops = lists.iter().rev().flat_map(|list| list.as_bytes().rsplit(|byte| *byte == b','));
    for hop in hops {
        if !is_trusted(from) {
            break;
        }
        let hop = str::from_utf8(hop).ok().and_then(|hop| address_of(hop.trim()));
        // What cannot be read was written by somebody behind: the proxy that did not replace it is all that is known.
        let Some(hop) = hop else { break };
        from = hop;
    }
    from
}

/// An address, perhaps with a port.
fn address_of(text: &str) -> Option<IpAddr> {
    let with_port = || text.parse::<std::net::SocketAddr>().ok().map(|address| address.ip());
    let bracketed = || text.strip_prefix('[')?.strip_suffix(']')?.parse().ok();
    text.parse().ok().or_else(with_port).or_else(bracketed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network(text: &str) -> Network {
        text.parse().unwrap()
    }

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn a_network_has_the_addresses_that_begin_alike() {
        let ten = network("10.1.0.0/16");
        assert!(ten.contains(address("10.1.255.1")) && ten.contains(address("::ffff:10.1.2.3")));
        assert!(!ten.contains(address("10.2.0.1")) && !ten.contains(address("::1")));
        assert!(
            network("fd00::/8").contains(address("fd12::1"))
                && !network("fd00::/8").contains(address("fe80::1"))
        );
        assert!(
            network("0.0.0.0/0").contains(address("203.0.113.9"))
                && network("::/0").contains(address("10.0.0.1"))
        );
        assert!(
            network("127.0.0.1").contains(address("127.0.0.1"))
                && !network("127.0.0.1").contains(address("127.0.0.2"))
        );
        for text in ["10.0.0.0/8", "fd00::/8", "127.0.0.1/32"] {
            assert_eq!(network(text).to_string(), text);
        }
        for text in ["", "x", "10.0.0.0/33", "10.0.0.0/", "::/129", "10.0.0/8"] {
            assert!(text.parse::<Network>().is_err(), "{text}");
        }
    }

    #[test]
    fn who_stands_behind_proxies_is_the_last_that_is_none_of_them() {
        let trusted = [network("10.0.0.0/8")];
        let from = |peer: &str, lists: &[&str]| {
            let mut headers = HeaderMap::new();
            lists.iter().for_each(|list| _ = headers.append("x-forwarded-for", list.parse().unwrap()));
            origin_of_request(address(peer), &headers, &trusted).to_string()
        };
        assert_eq!(from("10.0.0.1", &["192.0.2.7"]), "192.0.2.7");
        assert_eq!(
            from("10.0.0.1", &["198.51.100.1, 192.0.2.7, 10.0.0.2"]),
            "192.0.2.7",
            "the first one is made up"
        );
        assert_eq!(from("10.0.0.1", &["198.51.100.1", "192.0.2.7"]), "192.0.2.7");
        assert_eq!(from("203.0.113.1", &["192.0.2.7"]), "203.0.113.1", "not a proxy of ours");
        assert_eq!(from("10.0.0.1", &[]), "10.0.0.1");
        assert_eq!(from("10.0.0.1", &["nonsense"]), "10.0.0.1");
        assert_eq!(from("10.0.0.1", &["192.0.2.7:4711"]), "192.0.2.7");
        assert_eq!(from("10.0.0.1", &["[2001:db8::1]:80"]), "2001:db8::1");
    }
}
