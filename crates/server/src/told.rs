//! How much of a message is told.

use std::borrow::Cow;

/// Bytes of a message that are told.
const LONGEST: usize = 8 << 10;

/// A message that quotes what a client sent, without most of it where that is long: an answer that nobody takes is in memory, and whoever
/// sent megabytes knows them.
pub(crate) fn fitting(message: &str) -> Cow<'_, str> {
    if message.len() <= LONGEST {
        return message.into();
    }
    let (head, tail) =
        (message.floor_char_boundary(LONGEST / 2), message.ceil_char_boundary(message.len() - LONGEST / 4));
    format!("{} … ({} bytes) … {}", &message[..head], tail - head, &message[tail..]).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_message_keeps_its_beginning_and_its_end() {
        assert_eq!(fitting("short"), "short");
        let long = format!("Could not alias [{}] to [g]", "ä".repeat(1 << 20));
        let told = fitting(&long);
        assert!(
            told.len() < LONGEST && told.starts_with("Could not alias [ä") && told.ends_with("ä] to [g]"),
            "{told}"
        );
    }
}
