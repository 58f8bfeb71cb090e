//! What a script takes in memory when it is read: the values that it has written out are many times as large as their text.

/// Bytes that a value in a list, or an argument, takes, with what the tables around it have room for.
const ELEMENT: usize = 110;

/// Bytes of a list, a map or a set beside its elements.
const COLLECTION: usize = 300;

/// About how many bytes of memory a script takes when it is read, by what separates and encloses elements; in its texts, too, where
/// they mean nothing. More for usual ones.
pub fn memory_of(text: &str) -> usize {
    let bytes = text.bytes().map(|byte| match byte {
        b',' => ELEMENT,
        b'[' | b'{' => COLLECTION + ELEMENT,
        _ => 1,
    });
    bytes.sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_takes_what_its_collections_take_and_not_its_length() {
        assert!(memory_of("g.V().out('knows').values('name')") < 1 << 10);
        let list = format!("g.inject([{}])", vec!["1"; 1_000_000].join(","));
        assert!((100 << 20..130 << 20).contains(&memory_of(&list)), "{}", memory_of(&list));
        let maps = format!("g.inject({})", vec!["[1:[1:1]]"; 100_000].join(","));
        assert!((60 << 20..100 << 20).contains(&memory_of(&maps)), "{}", memory_of(&maps));
        let text = format!("g.inject('{}')", "word ".repeat(1_000_000));
        assert!(memory_of(&text) < 6 << 20);
    }
}
