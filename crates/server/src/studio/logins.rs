//! Who has logged in on the page: a secret in a cookie, and whom it stands for.

use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

use access::Identity;
use parking_lot::Mutex;
use uuid::Uuid;

/// For so long a login is good; then the page asks again.
pub(crate) const LIFETIME: Duration = Duration::from_secs(12 * 60 * 60);

/// Logins at a time; the oldest gives way to one more.
const MOST: usize = 10_000;
/// The same of one user.
const MOST_OF_ONE: usize = 100;

/// The logins. They are in memory alone: a server that starts again asks again.
#[derive(Debug, Default)]
pub(crate) struct Logins(Mutex<HashMap<String, Login>>);

#[derive(Debug)]
struct Login {
    identity: Identity,
    began: Instant,
}

impl Login {
    fn is_over(&self) -> bool {
        self.began.elapsed() >= LIFETIME
    }
}

impl Logins {
    /// Somebody has proved who he is: the secret that says so from now on, of 244 random bits.
    pub(crate) fn open(&self, identity: Identity) -> String {
        let secret = format!("{}{}", Uuid::new_v4().simple(), Uuid::new_v4().simple());
        let mut logins = self.0.lock();
        logins.retain(|_, login| !login.is_over());
        let own = |login: &Login| login.identity.user() == identity.user();
        if logins.values().filter(|login| own(login)).count() >= MOST_OF_ONE {
            forget_oldest(&mut logins, own);
        } else if logins.len() >= MOST {
            forget_oldest(&mut logins, |_| true);
        }
        logins.insert(secret.clone(), Login { identity, began: Instant::now() });
        secret
    }

    /// Whom a secret stands for. What he may do, and whether what he proved himself by still holds, the gate knows.
    pub(crate) fn find(&self, secret: &str) -> Option<Identity> {
        let logins = self.0.lock();
        logins.get(secret).filter(|login| !login.is_over()).map(|login| login.identity.clone())
    }

    /// Somebody logs out.
    pub(crate) fn close(&self, secret: &str) {
        self.0.lock().remove(secret);
    }
}

fn forget_oldest(logins: &mut HashMap<String, Login>, which: impl Fn(&Login) -> bool) {
    let oldest = logins.iter().filter(|(_, login)| which(login)).min_by_key(|(_, login)| login.began);
    if let Some(secret) = oldest.map(|(secret, _)| secret.clone()) {
        logins.remove(&secret);
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use access::{Credentials, Gate, Grants, Role};

    use super::*;

    fn identity(gate: &Gate, user: &str) -> Identity {
        gate.add_user(user, Some("the password"), Grants::everywhere(Role::Admin)).unwrap();
        let token = gate.registry().add_token(user, "", None, None).unwrap();
        let (send, told) = std::sync::mpsc::channel();
        let home = IpAddr::from([127, 0, 0, 1]);
        gate.verify(Credentials::Token(token), home, Box::new(move |who| send.send(who).unwrap()));
        told.recv().unwrap().unwrap()
    }

    #[test]
    fn a_secret_stands_for_who_logged_in_until_he_logs_out() {
        let logins = Logins::default();
        let ada = identity(&Gate::of_nobody(), "ada");
        let (one, other) = (logins.open(ada.clone()), logins.open(ada.clone()));
        assert!(one != other && one.len() == 64);
        logins.close(&one);
        assert_eq!(logins.find(&one), None);
        assert_eq!(logins.find(&other), Some(ada));
        assert_eq!(logins.find(""), None);
    }

    #[test]
    fn of_too_many_logins_of_one_user_his_oldest_goes_and_nobody_elses() {
        let logins = Logins::default();
        let gate = Gate::of_nobody();
        let (ada, grace) = (identity(&gate, "ada"), identity(&gate, "grace"));
        let of_grace = logins.open(grace);
        let first = logins.open(ada.clone());
        let rest: Vec<_> = (0..MOST_OF_ONE).map(|_| logins.open(ada.clone())).collect();
        assert_eq!(logins.find(&first), None);
        assert!(rest.iter().all(|secret| logins.find(secret).is_some()));
        assert!(logins.find(&of_grace).is_some());
    }
}
