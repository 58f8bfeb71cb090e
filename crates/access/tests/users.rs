//! Users over a store, and how they come in.

use std::{
    net::IpAddr,
    sync::{Arc, mpsc},
    thread,
    time::Duration,
};

use access::{AccessError, Credentials, Denied, EVERY_GRAPH, Gate, Grants, Identity, Registry, Rights, Role};
use store::{MemoryStore, Store};

const HERE: [u8; 4] = [10, 0, 0, 1];

fn gate_over(store: &Arc<dyn Store>) -> Gate {
    Gate::new(Registry::open(store.clone()).unwrap())
}

fn gate() -> Gate {
    gate_over(&(Arc::new(MemoryStore::new()) as Arc<dyn Store>))
}

/// A gate of an admin and of ada, who may read g.
fn with_ada() -> Gate {
    let gate = gate();
    gate.add_user("root", Some("the root of it"), Grants::everywhere(Role::Admin)).unwrap();
    let mut grants = Grants::default();
    grants.set("g", Some(Role::Read));
    gate.add_user("ada", Some("countess1815"), grants).unwrap();
    gate
}

fn verify_from(gate: &Gate, from: [u8; 4], credentials: Credentials) -> Result<Identity, Denied> {
    let (send, told) = mpsc::channel();
    gate.verify(credentials, IpAddr::from(from), Box::new(move |who| send.send(who).unwrap()));
    told.recv_timeout(Duration::from_secs(60)).unwrap()
}

fn log_in(gate: &Gate, user: &str, password: &str) -> Result<Identity, Denied> {
    verify_from(gate, HERE, Credentials::Password { user: user.into(), password: password.into() })
}

fn show(gate: &Gate, token: &str) -> Result<Identity, Denied> {
    verify_from(gate, HERE, Credentials::Token(token.into()))
}

#[test]
fn there_is_nobody_until_an_admin_is_made() {
    let gate = gate();
    assert!(!gate.is_closed());
    let refused = gate.add_user("ada", Some("countess1815"), Grants::everywhere(Role::Schema));
    assert!(matches!(refused, Err(AccessError::FirstAdmin)));
    gate.add_user("root", Some("the root of it"), Grants::everywhere(Role::Admin)).unwrap();
    assert!(gate.is_closed());
}

#[test]
fn who_has_the_password_comes_in_and_nobody_else() {
    let gate = with_ada();
    let ada = log_in(&gate, "ada", "countess1815").unwrap();
    assert_eq!((&**ada.user(), ada.is_by_token()), ("ada", false));
    assert_eq!(gate.rights(&ada, "g"), Some(Rights { here: Some(Role::Read), everywhere: None }));
    assert_eq!(gate.rights(&ada, "other").unwrap().here, None);
    for (user, password) in
        [("ada", "countess1816"), ("ada", ""), ("Ada", "countess1815"), ("bob", "countess1815")]
    {
        assert_eq!(log_in(&gate, user, password), Err(Denied::Wrong), "{user} {password}");
    }
    assert_eq!(log_in(&gate, "ada", &"x".repeat(100_000)), Err(Denied::Wrong));
}

#[test]
fn what_changes_holds_at_once_for_who_has_come_in() {
    let gate = with_ada();
    let ada = log_in(&gate, "ada", "countess1815").unwrap();
    gate.registry().grant("ada", "g", Some(Role::Write)).unwrap();
    assert!(gate.rights(&ada, "g").unwrap().allow(Role::Write));
    gate.registry().grant("ada", "g", None).unwrap();
    assert_eq!(gate.rights(&ada, "g").unwrap().here, None);
    gate.set_password("ada", Some("another one")).unwrap();
    assert_eq!(gate.rights(&ada, "g"), None, "the password was another one");
    assert_eq!(
        log_in(&gate, "ada", "countess1815"),
        Err(Denied::Wrong),
        "although it was verified a moment ago"
    );
    let ada = log_in(&gate, "ada", "another one").unwrap();
    gate.registry().remove("ada").unwrap();
    assert_eq!(gate.rights(&ada, "g"), None);
    assert_eq!(log_in(&gate, "ada", "another one"), Err(Denied::Wrong));
    gate.add_user("ada", Some("another one"), Grants::default()).unwrap();
    assert_eq!(gate.rights(&ada, "g"), None, "it is another ada");
}

#[test]
fn the_last_admin_stays() {
    let gate = with_ada();
    let is_last = |result| assert!(matches!(result, Err(AccessError::LastAdmin(_))));
    is_last(gate.registry().remove("root"));
    is_last(gate.registry().grant("root", EVERY_GRAPH, Some(Role::Schema)));
    is_last(gate.registry().grant("root", EVERY_GRAPH, None));
    is_last(gate.set_password("root", None));
    gate.add_user("eve", None, Grants::everywhere(Role::Admin)).unwrap();
    is_last(gate.registry().remove("root"));
    gate.registry().remove("eve").unwrap();
    gate.registry().grant("ada", EVERY_GRAPH, Some(Role::Admin)).unwrap();
    gate.registry().remove("root").unwrap();
    is_last(gate.registry().remove("ada"));
}

#[test]
fn the_last_way_in_of_an_admin_stays() {
    let gate = with_ada();
    let registry = gate.registry();
    let is_last = |result| assert!(matches!(result, Err(AccessError::LastAdmin(_))));
    gate.add_user("eve", None, Grants::everywhere(Role::Admin)).unwrap();
    let ids = || {
        let eve = registry.users().into_iter().find(|user| user.name == "eve").unwrap();
        eve.tokens.into_iter().map(|token| token.id).collect::<Vec<_>>()
    };
    registry.add_token("eve", "reads", Some(Role::Read), None).unwrap();
    let reads = ids().remove(0);
    // Nobody looks after users by a token that reads.
    is_last(registry.remove("root"));
    registry.add_token("eve", "all", None, None).unwrap();
    let all = ids().into_iter().find(|id| *id != reads).unwrap();
    registry.remove("root").unwrap();
    is_last(registry.revoke_token(&all));
    registry.revoke_token(&reads).unwrap();
    registry.add_token("eve", "too", Some(Role::Admin), None).unwrap();
    registry.revoke_token(&all).unwrap();
    is_last(registry.revoke_token(&ids()[0]));
    gate.set_password("eve", Some("a password")).unwrap();
    registry.revoke_token(&ids()[0]).unwrap();
}

#[test]
fn a_token_lets_its_user_in_until_it_ends_and_allows_no_more_than_it_says() {
    let gate = with_ada();
    let registry = gate.registry();
    let token = registry.add_token("root", "ci", Some(Role::Write), None).unwrap();
    let root = show(&gate, &token).unwrap();
    assert!(root.is_by_token() && gate.rights(&root, "g").unwrap().allow(Role::Write));
    assert!(!gate.rights(&root, "g").unwrap().allow(Role::Schema));
    let short = registry.add_token("ada", "short", None, Some(Duration::from_secs(1))).unwrap();
    let ada = show(&gate, &short).unwrap();
    thread::sleep(Duration::from_millis(2_100));
    assert_eq!((show(&gate, &short), gate.rights(&ada, "g")), (Err(Denied::Token), None));
    let id = registry.users().into_iter().find(|user| user.name == "root").unwrap().tokens[0].id.clone();
    registry.revoke_token(&id).unwrap();
    assert_eq!((show(&gate, &token), gate.rights(&root, "g")), (Err(Denied::Token), None));
    assert!(matches!(registry.revoke_token(&id), Err(AccessError::NoToken(_))));
    let token = registry.add_token("ada", "", None, None).unwrap();
    assert!(log_in(&gate, "ada", &token).is_ok() && log_in(&gate, "", &token).is_ok(), "for old clients");
    assert_eq!(log_in(&gate, "root", &token), Err(Denied::Token));
    registry.remove("ada").unwrap();
    gate.add_user("ada", None, Grants::everywhere(Role::Admin)).unwrap();
    assert_eq!(show(&gate, &token), Err(Denied::Token), "it went with its user");
    for text in ["", "mgv_", &token[..60], "countess1815"] {
        assert_eq!(show(&gate, text), Err(Denied::Token));
    }
}

#[test]
fn users_are_there_again_after_a_start_and_neither_password_nor_token_is() {
    let store = Arc::new(MemoryStore::new()) as Arc<dyn Store>;
    let gate = gate_over(&store);
    gate.add_user("root", Some("the root of it"), Grants::everywhere(Role::Admin)).unwrap();
    let token = gate.registry().add_token("root", "ci", None, Some(Duration::from_secs(3_600))).unwrap();
    let before = gate.registry().users();
    let gate = gate_over(&store);
    assert!(gate.is_closed());
    assert_eq!(gate.registry().users(), before);
    assert!(log_in(&gate, "root", "the root of it").is_ok() && show(&gate, &token).is_ok());
    let keyspace = store.keyspace("users", store::KeyspaceShape::Small).unwrap();
    let snapshot = store.snapshot().unwrap();
    for pair in snapshot.scan(&keyspace, store::KeyRange::all(), store::ScanOrder::Ascending).unwrap() {
        let (key, value) = pair.unwrap();
        let text = format!("{}{}", String::from_utf8_lossy(&key), String::from_utf8_lossy(&value));
        assert!(!text.contains("the root of it") && !text.contains(&token[4..]), "{text}");
    }
}

#[test]
fn many_who_log_in_by_the_same_password_wait_for_one_hash() {
    let gate = with_ada();
    let (send, told) = mpsc::channel();
    for _ in 0..200 {
        let credentials = Credentials::Password { user: "ada".into(), password: "countess1815".into() };
        let send = send.clone();
        gate.verify(credentials, IpAddr::from(HERE), Box::new(move |who| send.send(who.is_ok()).unwrap()));
    }
    assert!((0..200).all(|_| told.recv_timeout(Duration::from_secs(60)).unwrap()));
}

#[test]
fn thousands_of_guesses_are_refused_and_harm_nobody() {
    let gate = with_ada();
    let (send, told) = mpsc::channel();
    for number in 0..10_000 {
        let user = if number % 2 == 0 { "ada".to_owned() } else { format!("nobody{number}") };
        let credentials = Credentials::Password { user, password: format!("guess number {number}") };
        let send = send.clone();
        gate.verify(credentials, IpAddr::from(HERE), Box::new(move |who| send.send(who).unwrap()));
    }
    let begun = std::time::Instant::now();
    assert_eq!(log_in(&gate, "root", "the root of it").map(|_| ()), Ok(()), "from the same address");
    let elsewhere = Credentials::Password { user: "ada".into(), password: "countess1815".into() };
    assert!(verify_from(&gate, [10, 0, 0, 2], elsewhere).is_ok(), "the one who is guessed, from elsewhere");
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    let refused =
        (0..10_000).filter(|_| told.recv_timeout(Duration::from_secs(60)).unwrap().is_err()).count();
    assert_eq!(refused, 10_000);
    // The right one, elsewhere verified a moment ago, is told to who has guessed no sooner than any other.
    while !matches!(log_in(&gate, "ada", "another guess"), Err(Denied::TooMany(wait)) if wait.as_secs() > 1) {
        thread::sleep(Duration::from_millis(100));
    }
    assert!(matches!(log_in(&gate, "ada", "countess1815"), Err(Denied::TooMany(_))));
}

#[test]
fn who_guessed_has_to_wait_even_with_the_right_password() {
    let gate = with_ada();
    for number in 0..5 {
        assert_eq!(log_in(&gate, "ada", &format!("guess number {number}")), Err(Denied::Wrong));
    }
    assert!(matches!(log_in(&gate, "ada", "countess1815"), Err(Denied::TooMany(_))));
    thread::sleep(Duration::from_millis(1_100));
    assert!(log_in(&gate, "ada", "countess1815").is_ok());
}

#[test]
fn a_name_that_nobody_can_have_is_not_remembered() {
    let gate = with_ada();
    for number in 0..200 {
        let name = format!("{number}{}", "x".repeat(1 << 16));
        assert_eq!(log_in(&gate, &name, "countess1815"), Err(Denied::Wrong));
    }
    assert!(log_in(&gate, "ada", "countess1815").is_ok(), "nor does it count as a guess");
}

#[test]
fn what_cannot_be_a_name_or_a_password_is_refused() {
    let gate = with_ada();
    for name in ["", " ada", "a:b", "a\nb", "a\0b", &"x".repeat(129)] {
        let added = gate.add_user(name, Some("countess1815"), Grants::default());
        assert!(matches!(added, Err(AccessError::Name(_))), "{name:?}");
    }
    assert!(gate.add_user("Grace Hopper", Some("amazing grace"), Grants::default()).is_ok());
    assert!(matches!(gate.add_user("bob", Some("short"), Grants::default()), Err(AccessError::Password)));
    assert!(matches!(gate.add_user("ada", None, Grants::default()), Err(AccessError::Taken(_))));
    let graph = gate.registry().grant("ada", "no graph", Some(Role::Read));
    assert!(matches!(graph, Err(AccessError::Graph(_))));
    assert!(matches!(gate.set_password("bob", None), Err(AccessError::NoUser(_))));
}
