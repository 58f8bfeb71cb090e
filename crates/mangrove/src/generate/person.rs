//! The people: everything about a person, computed from the seed and the person's index.

use super::calendar::{self, BIRTHDAYS, DAY, FIRST_BIRTHDAY, LAST_JOINING, START};
use super::dictionary::Dictionary;
use super::permutation::Permutation;
use super::random::{Draw, Random, fraction, number, scaled};

/// The rules by which the people of one network are made.
///
/// People stand in a row, sorted by where they live (country, city, university): neighbours in the row share places.
/// In a second row, shuffled, neighbours share their main interest. Friendships form along both rows, so communities
/// around places and around topics overlap, as in LDBC's generator ("correlation dimensions").
pub(super) struct Population<'a> {
    pub(super) seed: u64,
    /// Number of people.
    pub(super) size: u64,
    pub(super) dictionary: &'a Dictionary,
    /// The row in which neighbours share an interest.
    pub(super) by_interest: Permutation,
    /// A row without meaning, for chance acquaintances.
    pub(super) by_chance: Permutation,
    /// Index of the first inhabitant of every city.
    city_starts: Vec<u64>,
    /// Position in `by_interest` of the first person whose main interest is this tag.
    interest_starts: Vec<u64>,
}

/// One person, in full.
pub(super) struct Person {
    pub(super) index: u64,
    pub(super) id: u64,
    pub(super) first_name: &'static str,
    pub(super) last_name: &'static str,
    pub(super) male: bool,
    pub(super) birthday: i64,
    pub(super) created: i64,
    pub(super) emails: Vec<String>,
    pub(super) languages: Vec<&'static str>,
    /// Tags, main interest first, without repetition.
    pub(super) interests: Vec<usize>,
    pub(super) city: usize,
    /// University and the year of the class.
    pub(super) study: Option<(usize, i64)>,
    /// Companies and the year in which work began, without repetition of a company.
    pub(super) work: Vec<(usize, i64)>,
    pub(super) account: Account,
}

/// What a person leaves on every message.
#[derive(Clone)]
pub(super) struct Account {
    pub(super) id: u64,
    pub(super) country: usize,
    pub(super) address: String,
    pub(super) browser: &'static str,
    pub(super) language: &'static str,
    pub(super) main_interest: usize,
}

/// Starts of consecutive ranges of `0..size` whose lengths are proportional to `weights`.
fn proportional_starts(weights: &[u64], size: u64) -> Vec<u64> {
    let total: u128 = weights.iter().map(|&w| u128::from(w)).sum();
    let mut before = 0u128;
    weights
        .iter()
        .map(|&w| {
            let start = before * u128::from(size) / total.max(1);
            before += u128::from(w);
            start as u64
        })
        .collect()
}

/// The last range that starts at or before `position`; since ranges are consecutive, the one that holds it.
fn range_of(starts: &[u64], position: u64) -> usize {
    starts.partition_point(|&start| start <= position).saturating_sub(1)
}

impl<'a> Population<'a> {
    /// The people of a network of this size.
    pub(super) fn new(seed: u64, size: u64, dictionary: &'a Dictionary) -> Self {
        let city_weights: Vec<u64> = (0..dictionary.cities.len())
            .map(|city| {
                let country = &dictionary.countries[dictionary.cities[city].country];
                let rank = |city: usize| 2520 / (city - country.cities.start + 1) as u64;
                let all: u64 = country.cities.clone().map(rank).sum();
                country.weight * 10_000 * rank(city) / all
            })
            .collect();
        let interest_weights: Vec<u64> =
            (0..dictionary.tags.len() as u64).map(|rank| 1_000_000 / (rank + 8)).collect();
        Self {
            seed,
            size,
            dictionary,
            by_interest: Permutation::new(seed, Draw::InterestOrder, size),
            by_chance: Permutation::new(seed, Draw::MixedOrder, size),
            city_starts: proportional_starts(&city_weights, size),
            interest_starts: proportional_starts(&interest_weights, size),
        }
    }

    /// The id of a person.
    pub(super) fn id(&self, index: u64) -> u64 {
        calendar::dated_id(self.created(index), index)
    }

    /// When a person joined the network.
    pub(super) fn created(&self, index: u64) -> i64 {
        let bits = number(self.seed, Draw::PersonCreated, index, 0);
        START + scaled(bits, (LAST_JOINING - START) as u64) as i64
    }

    /// How sociable a person is: at least 1, Pareto-distributed with shape 1.6, at most 60.
    pub(super) fn weight(&self, index: u64) -> f64 {
        let root = fraction(number(self.seed, Draw::PersonWeight, index, 0)).sqrt();
        // u^(-5/8) = u^(-1/2) · u^(-1/8), with square roots only.
        (1.0 / (root * root.sqrt().sqrt())).min(60.0)
    }

    /// The city a person lives in.
    pub(super) fn city(&self, index: u64) -> usize {
        range_of(&self.city_starts, index)
    }

    /// The country a person lives in.
    pub(super) fn country(&self, index: u64) -> usize {
        self.dictionary.cities[self.city(index)].country
    }

    /// The tag a person likes most.
    pub(super) fn main_interest(&self, index: u64) -> usize {
        range_of(&self.interest_starts, self.by_interest.position(index))
    }

    /// What a person leaves on messages.
    pub(super) fn account(&self, index: u64) -> Account {
        let bits = number(self.seed, Draw::PersonTraits, index, 1);
        let country = self.country(index);
        let browsers = self.dictionary.words("browser");
        let languages = &self.dictionary.countries[country].languages;
        let u = fraction(number(self.seed, Draw::PersonTraits, index, 2));
        Account {
            id: self.id(index),
            country,
            // Private addresses (RFC 1918), one /16 per country.
            address: format!("10.{}.{}.{}", country + 1, bits >> 8 & 0xff, (bits & 0xff).max(1)),
            browser: browsers[((u * u * browsers.len() as f64) as usize).min(browsers.len() - 1)],
            language: languages[scaled(bits, languages.len() as u64) as usize],
            main_interest: self.main_interest(index),
        }
    }

    /// A person in full.
    pub(super) fn person(&self, index: u64) -> Person {
        let mut random = Random::new(self.seed, Draw::PersonTraits, index);
        let account = self.account(index);
        let country = &self.dictionary.countries[account.country];
        let city = self.city(index);
        let male = random.chance(50);
        let kind = if male { "male" } else { "female" };
        let first_name = random.favour(self.dictionary.names(country.culture, kind));
        let last_name = random.favour(self.dictionary.names(country.culture, "family"));
        let birthday = FIRST_BIRTHDAY + random.below(BIRTHDAYS) as i64 * DAY;
        let study = random.chance(80).then(|| (self.university(index, city), calendar::year(birthday) + 22));
        Person {
            index,
            id: account.id,
            first_name,
            last_name,
            male,
            birthday,
            created: self.created(index),
            emails: self.emails(&mut random, first_name, account.id),
            languages: languages(&mut random, &country.languages),
            interests: self.interests(index, account.country, account.main_interest),
            city,
            study,
            work: self.work(index, account.country, calendar::year(birthday) + 18),
            account,
        }
    }

    /// People who live in one city stand in the row university by university.
    fn university(&self, index: u64, city: usize) -> usize {
        let universities = &self.dictionary.cities[city].universities;
        let start = self.city_starts[city];
        let end = self.city_starts.get(city + 1).copied().unwrap_or(self.size);
        let place = (index - start) as usize * universities.len() / ((end - start) as usize).max(1);
        universities.start + place.min(universities.len() - 1)
    }

    fn emails(&self, random: &mut Random, first_name: &str, id: u64) -> Vec<String> {
        let local: String = first_name.chars().filter(char::is_ascii_alphabetic).collect();
        let providers = self.dictionary.words("mail");
        let count = 1 + random.skewed(providers.len());
        (0..count).map(|i| format!("{local}{id}@{}", providers[i])).collect()
    }

    /// The main interest, some that are popular in the country, some that are popular everywhere.
    fn interests(&self, index: u64, country: usize, main: usize) -> Vec<usize> {
        let mut random = Random::new(self.seed, Draw::PersonInterests, index);
        let tags = self.dictionary.tags.len();
        let mut interests = vec![main];
        for _ in 0..1 + random.below(5) {
            let favourite = random.skewed(40) as u64;
            interests
                .push(scaled(number(self.seed, Draw::CountryTaste, country as u64, favourite), tags as u64)
                    as usize);
        }
        for _ in 0..1 + random.heavy(4.0, 40) {
            interests.push(random.skewed(tags));
        }
        let mut seen = std::collections::BTreeSet::new();
        interests.retain(|&tag| seen.insert(tag));
        interests
    }

    fn work(&self, index: u64, country: usize, earliest: i64) -> Vec<(usize, i64)> {
        let mut random = Random::new(self.seed, Draw::PersonWork, index);
        let mut work: Vec<(usize, i64)> = Vec::new();
        for _ in 0..random.below(4) {
            let abroad = random.chance(10);
            let country =
                if abroad { random.below(self.dictionary.countries.len() as u64) as usize } else { country };
            let companies = &self.dictionary.countries[country].companies;
            let company = companies.start + random.skewed(companies.len());
            let since = random.between(earliest, calendar::year(LAST_JOINING) + 1);
            if work.iter().all(|&(other, _)| other != company) {
                work.push((company, since));
            }
        }
        work
    }
}

/// The languages of the country, and English now and then.
fn languages(random: &mut Random, national: &[&'static str]) -> Vec<&'static str> {
    let mut languages = national.to_vec();
    if random.chance(50) && !languages.contains(&"en") {
        languages.push("en");
    }
    languages
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_can_be_computed_in_any_order() {
        let dictionary = Dictionary::load();
        let a = Population::new(1, 50, &dictionary);
        let b = Population::new(1, 50, &dictionary);
        let forwards: Vec<String> = (0..50).map(|i| format!("{:?}", a.person(i).emails)).collect();
        let mut backwards: Vec<String> = (0..50).rev().map(|i| format!("{:?}", b.person(i).emails)).collect();
        backwards.reverse();
        assert_eq!(forwards, backwards);
    }

    #[test]
    fn neighbours_in_the_row_share_their_city_and_neighbours_by_interest_their_topic() {
        let dictionary = Dictionary::load();
        let people = Population::new(9, 20_000, &dictionary);
        let same_city = (1..20_000).filter(|&i| people.city(i) == people.city(i - 1)).count();
        let order = &people.by_interest;
        let same_topic = (1..20_000)
            .filter(|&p| people.main_interest(order.item(p)) == people.main_interest(order.item(p - 1)))
            .count();
        assert!(same_city > 19_000, "{same_city}");
        assert!(same_topic > 19_000, "{same_topic}");
    }

    #[test]
    fn ranges_cover_everything_even_when_there_are_more_ranges_than_people() {
        let starts = proportional_starts(&[5, 0, 1, 1, 3], 3);
        let holders: Vec<usize> = (0..3).map(|p| range_of(&starts, p)).collect();
        assert!(holders.is_sorted() && holders.iter().all(|&h| h < 5), "{holders:?}");
    }
}
