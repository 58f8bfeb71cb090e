//! Credentials that were verified a moment ago, so that not every request of HTTP takes a hash of 20 ms.
//!
//! They are kept as HMAC-SHA256 under a key that is made when the process starts, and forgotten when the user changes.

use std::{
    collections::HashMap,
    net::IpAddr,
    time::{Duration, Instant},
};

use ring::hmac::{HMAC_SHA256, Key, sign};

use crate::{Identity, token::random};

/// For so long.
const FOR: Duration = Duration::from_secs(60);

/// Credentials that are remembered at most.
const MOST: usize = 10_000;

/// What credentials are remembered by.
pub(crate) type Mark = [u8; 32];

/// See the module.
pub(crate) struct Remembered {
    key: Key,
    known: HashMap<Mark, (Identity, Instant)>,
}

impl Remembered {
    pub(crate) fn new() -> Self {
        Self { key: Key::new(HMAC_SHA256, &random::<32>()), known: HashMap::new() }
    }

    /// What a name and a password are remembered by: where they were shown, too. Otherwise somebody elsewhere could guess as fast as
    /// he likes, and would be let in by the right one.
    pub(crate) fn mark(&self, user: &str, password: &str, from: IpAddr) -> Mark {
        // No name has the byte in it.
        let text = [user.as_bytes(), &[0], from.to_string().as_bytes(), &[0], password.as_bytes()].concat();
        let mut mark = [0; 32];
        mark.copy_from_slice(sign(&self.key, &text).as_ref());
        mark
    }

    /// Who was verified by it less than a minute ago.
    pub(crate) fn find(&self, mark: &Mark, now: Instant) -> Option<Identity> {
        let (identity, since) = self.known.get(mark)?;
        (now.saturating_duration_since(*since) < FOR).then(|| identity.clone())
    }

    pub(crate) fn add(&mut self, mark: Mark, identity: Identity, now: Instant) {
        if self.known.len() >= MOST {
            self.known.retain(|_, (_, since)| now.saturating_duration_since(*since) < FOR);
            if self.known.len() >= MOST {
                self.known.clear();
            }
        }
        self.known.insert(mark, (identity, now));
    }

    /// Forgets what is not valid any more.
    pub(crate) fn forget(&mut self, mark: &Mark) {
        self.known.remove(mark);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_remembered_for_a_minute_and_under_a_key_of_the_process() {
        let (mut one, now) = (Remembered::new(), Instant::now());
        let [here, there] = [1, 2].map(|last| IpAddr::from([10, 0, 0, last]));
        let mark = one.mark("ada", "a password", here);
        assert_ne!(mark, one.mark("ad", "aa password", here));
        assert_ne!(mark, one.mark("ada", "a password", there));
        assert_ne!(mark, Remembered::new().mark("ada", "a password", here));
        one.add(mark, Identity::of_password("ada".into(), 1), now);
        assert!(one.find(&mark, now + FOR / 2).is_some() && one.find(&mark, now + FOR).is_none());
        one.forget(&mark);
        assert!(one.find(&mark, now).is_none());
    }
}
