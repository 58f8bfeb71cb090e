//! The word lists: places, names, topics and phrases, from the text files beside this one.
//!
//! All of it was written for this purpose; names are common ones and belong to nobody.

use std::collections::BTreeMap;

const PLACES: &str = include_str!("dictionary/places.txt");
const NAMES: &str = include_str!("dictionary/names.txt");
const TOPICS: &str = include_str!("dictionary/topics.txt");
const WORDS: &str = include_str!("dictionary/words.txt");

/// Every topic also comes in these variants, which are less popular than it.
const TOPIC_VARIANTS: [&str; 3] = ["", "History_of_", "New_"];

/// Everything the generator knows of the world.
pub(super) struct Dictionary {
    /// Names of the continents, in order of first appearance.
    pub(super) continents: Vec<&'static str>,
    /// All countries.
    pub(super) countries: Vec<Country>,
    /// All cities, grouped by country.
    pub(super) cities: Vec<City>,
    /// All organisations: the companies, then the universities.
    pub(super) organisations: Vec<Organisation>,
    /// Number of organisations that are companies.
    pub(super) companies: usize,
    /// All tag classes.
    pub(super) classes: Vec<TagClass>,
    /// All tags, most popular first.
    pub(super) tags: Vec<Tag>,
    names: BTreeMap<(&'static str, &'static str), Vec<&'static str>>,
    words: BTreeMap<&'static str, Vec<&'static str>>,
}

/// A country.
pub(super) struct Country {
    /// Its name, words joined by underscores.
    pub(super) name: &'static str,
    /// Index of its continent.
    pub(super) continent: usize,
    /// Its share of the population, in parts.
    pub(super) weight: u64,
    /// The culture that its people's names come from.
    pub(super) culture: &'static str,
    /// Codes of its languages.
    pub(super) languages: Vec<&'static str>,
    /// Its cities, as a range of [`Dictionary::cities`].
    pub(super) cities: std::ops::Range<usize>,
    /// Its companies, as a range of [`Dictionary::organisations`].
    pub(super) companies: std::ops::Range<usize>,
}

/// A city.
pub(super) struct City {
    /// Its name.
    pub(super) name: &'static str,
    /// Index of its country.
    pub(super) country: usize,
    /// Its universities, as a range of [`Dictionary::organisations`].
    pub(super) universities: std::ops::Range<usize>,
}

/// A company or university.
pub(super) struct Organisation {
    /// Its name.
    pub(super) name: String,
    /// Index of the country of a company, of the city of a university.
    pub(super) place: usize,
}

/// A class of tags.
pub(super) struct TagClass {
    /// Its name.
    pub(super) name: &'static str,
    /// Index of the class above; none for the root.
    pub(super) parent: Option<usize>,
}

/// A tag.
pub(super) struct Tag {
    /// Its name.
    pub(super) name: String,
    /// Index of its class.
    pub(super) class: usize,
}

/// The fields of every line that is not a comment.
fn lines(text: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    text.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('|').collect())
}

fn list(text: &'static str) -> Vec<&'static str> {
    text.split(',').filter(|item| !item.is_empty()).collect()
}

impl Dictionary {
    /// Reads the built-in word lists.
    pub(super) fn load() -> Self {
        let mut dictionary = Self {
            continents: Vec::new(),
            countries: Vec::new(),
            cities: Vec::new(),
            organisations: Vec::new(),
            companies: 0,
            classes: Vec::new(),
            tags: Vec::new(),
            names: lines(NAMES).map(|f| ((f[0], f[1]), list(f[2]))).collect(),
            words: lines(WORDS).map(|f| (f[0], list(f[1]))).collect(),
        };
        dictionary.read_places();
        dictionary.found_organisations();
        dictionary.read_topics();
        dictionary
    }

    fn read_places(&mut self) {
        for fields in lines(PLACES) {
            let [continent, name, weight, culture, languages, cities] = fields[..] else {
                panic!("places.txt: six fields expected in {fields:?}");
            };
            let continent = self.continents.iter().position(|&c| c == continent).unwrap_or_else(|| {
                self.continents.push(continent);
                self.continents.len() - 1
            });
            let country = self.countries.len();
            let first = self.cities.len();
            self.cities.extend(list(cities).into_iter().map(|name| City {
                name,
                country,
                universities: 0..0,
            }));
            self.countries.push(Country {
                name,
                continent,
                weight: weight
                    .parse()
                    .expect("places.txt is part of the program and its weights are numbers"),
                culture,
                languages: list(languages),
                cities: first..self.cities.len(),
                companies: 0..0,
            });
        }
    }

    fn found_organisations(&mut self) {
        for (place, country) in self.countries.iter_mut().enumerate() {
            let first = self.organisations.len();
            self.organisations.extend(
                self.words["company"]
                    .iter()
                    .map(|kind| Organisation { name: format!("{}_{kind}", country.name), place }),
            );
            country.companies = first..self.organisations.len();
        }
        self.companies = self.organisations.len();
        for (place, city) in self.cities.iter_mut().enumerate() {
            let first = self.organisations.len();
            for name in ["University_of_X", "X_Institute_of_Technology"] {
                self.organisations.push(Organisation { name: name.replace('X', city.name), place });
            }
            city.universities = first..self.organisations.len();
        }
    }

    fn read_topics(&mut self) {
        let mut ranked: Vec<(usize, Tag)> = Vec::new();
        for fields in lines(TOPICS) {
            let parent = self.classes.iter().position(|class| class.name == fields[1]);
            let class = self.classes.len();
            self.classes.push(TagClass { name: fields[0], parent });
            let topics = list(fields[2]);
            for (variant, prefix) in TOPIC_VARIANTS.iter().enumerate() {
                ranked.extend(topics.iter().enumerate().map(|(rank, topic)| {
                    (variant * 10 + rank, Tag { name: format!("{prefix}{topic}"), class })
                }));
            }
        }
        ranked.sort_by_key(|(rank, tag)| (*rank, tag.class));
        self.tags = ranked.into_iter().map(|(_, tag)| tag).collect();
    }

    /// Names of a culture; `kind` is `male`, `female` or `family`.
    pub(super) fn names(&self, culture: &'static str, kind: &'static str) -> &[&'static str] {
        &self.names[&(culture, kind)]
    }

    /// Words of a kind of `words.txt`.
    pub(super) fn words(&self, kind: &str) -> &[&'static str] {
        &self.words[kind]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_country_has_all_that_a_person_needs() {
        let d = Dictionary::load();
        assert_eq!(d.continents.len(), 6);
        for country in &d.countries {
            assert!(!country.cities.is_empty() && !country.companies.is_empty() && country.weight > 0);
            assert!(!country.languages.is_empty(), "{}", country.name);
            for kind in ["male", "female", "family"] {
                assert!(d.names(country.culture, kind).len() >= 8, "{} {kind}", country.culture);
            }
        }
        for kind in ["opening", "clause", "short", "group", "company", "browser", "mail"] {
            assert!(d.words(kind).len() >= 5, "{kind}");
        }
    }

    #[test]
    fn names_of_tags_classes_places_and_organisations_are_unique() {
        let d = Dictionary::load();
        let unique = |names: Vec<&str>| {
            let set: BTreeSet<_> = names.iter().collect();
            assert_eq!(set.len(), names.len());
        };
        unique(d.tags.iter().map(|t| t.name.as_str()).collect());
        unique(d.classes.iter().map(|c| c.name).collect());
        unique(d.organisations.iter().map(|o| o.name.as_str()).collect());
        unique(d.countries.iter().map(|c| c.name).chain(d.cities.iter().map(|c| c.name)).collect());
    }

    #[test]
    fn there_is_one_root_class_and_every_other_has_a_parent() {
        let d = Dictionary::load();
        assert_eq!(
            d.classes.iter().filter(|c| c.parent.is_none()).map(|c| c.name).collect::<Vec<_>>(),
            ["Thing"]
        );
    }

    #[test]
    fn nothing_contains_the_delimiter_or_a_line_break() {
        let d = Dictionary::load();
        let all = d.tags.iter().map(|t| t.name.as_str()).chain(d.cities.iter().map(|c| c.name));
        assert!(all.chain(d.names.values().flatten().copied()).all(|s| !s.contains(['|', '\n', '\r', ';'])));
    }
}
