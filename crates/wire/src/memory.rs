//! What the values of a message take in memory when it is read, known before it is.
//!
//! A list inside a list takes two bytes of JSON and hundreds of memory, so whoever reads what others send looks first. Both
//! estimates are high for usual messages and not much too low for any; the texts in a message count with their length alone.

/// Bytes for each value of JSON: those of a table of its tree, and of what is made of it.
const ELEMENT: usize = 200;

/// Bytes for each list of JSON, beside those of its elements.
const LIST: usize = 410;

/// The same for each object.
const OBJECT: usize = 760;

/// Bytes for each byte of GraphBinary that no text has: types, flags and the upper bytes of lengths. A value has one at least, and
/// those inside others have more.
const STRUCTURE: usize = 50;

/// At most about so many bytes for what this JSON says.
pub(crate) fn of_json(body: &[u8]) -> usize {
    let (mut bytes, mut in_text, mut is_escaped) = (body.len(), false, false);
    for byte in body {
        match (in_text, byte) {
            (true, _) if is_escaped => is_escaped = false,
            (true, b'\\') => is_escaped = true,
            (_, b'"') => in_text = !in_text,
            (true, _) => {}
            (false, b',') => bytes += ELEMENT,
            (false, b'[') => bytes += LIST,
            (false, b'{') => bytes += OBJECT,
            (false, _) => {}
        }
    }
    bytes
}

/// At most about so many bytes for what this GraphBinary says.
pub(crate) fn of_binary(body: &[u8]) -> usize {
    // The last one is the type of a null.
    let structure = body.iter().filter(|byte| **byte < b' ' || **byte == 0xfe).count();
    body.len() + structure * STRUCTURE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn collections_take_many_times_their_text_and_texts_what_they_have() {
        let maps = format!(r#"{{"x":[{}]}}"#, vec![r#"{"a":{"a":1}}"#; 10_000].join(","));
        assert!((14 << 20..18 << 20).contains(&of_json(maps.as_bytes())), "{}", of_json(maps.as_bytes()));
        let text = format!(r#"{{"gremlin":"{}"}}"#, r#"[{,\"},"#.repeat(10_000));
        assert!(of_json(text.as_bytes()) < text.len() + 1_000);
        // A list of empty lists.
        let lists = [9, 0, 0, 0, 0, 0].repeat(10_000);
        assert!((2 << 20..3 << 20).contains(&of_binary(&lists)), "{}", of_binary(&lists));
        let text = "g.V().has('name', 'ärger')\n".repeat(10_000);
        assert!(of_binary(text.as_bytes()) < 4 * text.len());
    }
}
