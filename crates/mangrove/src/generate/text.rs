//! What people write.

use super::dictionary::Dictionary;
use super::random::Random;

/// The longest post, in characters.
const LONGEST: u64 = 2000;

/// The content of a post about `topic`: usually a sentence or two, one in thirty is an essay.
pub(super) fn post(random: &mut Random, dictionary: &Dictionary, topic: &str) -> String {
    let length =
        if random.below(30) == 0 { 200 + random.below(LONGEST - 400) } else { 20 + random.below(60) };
    sentences(random, dictionary, topic, length as usize)
}

/// The content of a comment: two of three a word or two, the others a sentence.
pub(super) fn comment(random: &mut Random, dictionary: &Dictionary, topic: &str) -> String {
    if random.chance(66) {
        return random.favour(dictionary.words("short")).to_owned();
    }
    sentences(random, dictionary, topic, 0)
}

/// Sentences about a topic until `length` characters are reached. All of it is ASCII.
fn sentences(random: &mut Random, dictionary: &Dictionary, topic: &str, length: usize) -> String {
    let topic = topic.replace('_', " ");
    let mut text = format!("About {topic}: ");
    loop {
        text.push_str(random.any(dictionary.words("opening")));
        text.push(' ');
        text.push_str(&topic);
        text.push_str(", ");
        text.push_str(random.any(dictionary.words("clause")));
        if text.len() >= length {
            text.push('.');
            return text;
        }
        text.push_str("; ");
    }
}

#[cfg(test)]
mod tests {
    use super::super::random::Draw;
    use super::*;

    #[test]
    fn texts_fit_into_a_field_of_a_line() {
        let dictionary = Dictionary::load();
        let mut random = Random::new(1, Draw::Forums, 0);
        for _ in 0..2000 {
            for text in
                [post(&mut random, &dictionary, "Graph_Theory"), comment(&mut random, &dictionary, "Jazz")]
            {
                assert!(
                    text.is_ascii() && !text.contains(['|', '\n', '_']) && text.len() <= LONGEST as usize,
                    "{text}"
                );
            }
        }
    }
}
