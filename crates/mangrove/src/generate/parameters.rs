//! The substitution parameters: what the benchmark's queries are asked about.

use std::fmt::Write as _;
use std::path::Path;

use super::GenerateError;
use super::calendar::{DAY, END, START, midnight, year};
use super::friends::friends;
use super::person::Population;
use super::random::{Draw, Random};

/// Parameter rows per query.
const ROWS: u64 = 15;

/// The header of each query's file, IC1 to IC14.
const HEADERS: [&str; 14] = [
    "personId|firstName",
    "personId|maxDate",
    "personId|startDate|durationDays|countryXName|countryYName",
    "personId|startDate|durationDays",
    "personId|minDate",
    "personId|tagName",
    "personId",
    "personId",
    "personId|maxDate",
    "personId|month",
    "personId|countryName|workFromYear",
    "personId|tagClassName",
    "person1Id|person2Id",
    "person1Id|person2Id",
];

/// Writes `interactive_1_param.txt` to `interactive_14_param.txt` into `directory`. In a network without people they
/// hold nothing but their headers.
pub(super) fn write(people: &Population, directory: &Path) -> Result<(), GenerateError> {
    std::fs::create_dir_all(directory).map_err(|e| GenerateError::io(directory, e))?;
    for (query, header) in HEADERS.iter().enumerate() {
        let mut text = format!("{header}\n");
        for row in 0..if people.size == 0 { 0 } else { ROWS } {
            let mut random = Random::new(people.seed, Draw::Parameters, (query as u64) << 32 | row);
            let start = typical_person(people, &mut random);
            let rest = binding(people, query + 1, start, &mut random);
            writeln!(text, "{}{rest}", people.id(start)).expect("formatting into a string cannot fail");
        }
        let path = directory.join(format!("interactive_{}_param.txt", query + 1));
        std::fs::write(&path, text).map_err(|e| GenerateError::io(&path, e))?;
    }
    Ok(())
}

/// The person of middle degree among nine: queries that start there cost about the same, so medians mean something.
fn typical_person(people: &Population, random: &mut Random) -> u64 {
    let mut candidates: Vec<(usize, u64)> = (0..9)
        .map(|_| {
            let index = random.below(people.size);
            (friends(people, index).len(), index)
        })
        .collect();
    candidates.sort_unstable();
    candidates[4].1
}

/// Somebody a friend of a friend away, where there is one: an answer is likely to be found there.
fn acquaintance(people: &Population, start: u64, random: &mut Random) -> u64 {
    let mut place = start;
    for _ in 0..2 {
        let around = friends(people, place);
        if !around.is_empty() {
            place = random.any(&around).index;
        }
    }
    place
}

/// The parameters after the start person, each with its delimiter.
fn binding(people: &Population, query: usize, start: u64, random: &mut Random) -> String {
    let dictionary = people.dictionary;
    let other = acquaintance(people, start, random);
    let late = midnight(END - random.between(30, 200) * DAY);
    let window = midnight(random.between(START + 300 * DAY, END - 300 * DAY));
    match query {
        1 => format!("|{}", people.person(other).first_name),
        2 | 9 => format!("|{late}"),
        3 => {
            let x = people.country(other);
            let y = (x + 1 + random.below(dictionary.countries.len() as u64 - 1) as usize)
                % dictionary.countries.len();
            format!(
                "|{window}|{}|{}|{}",
                90 + random.below(90),
                dictionary.countries[x].name,
                dictionary.countries[y].name
            )
        }
        4 => format!("|{window}|{}", 28 + random.below(60)),
        5 => format!("|{window}"),
        6 => format!("|{}", dictionary.tags[people.main_interest(other)].name),
        10 => format!("|{}", 1 + random.below(12)),
        11 => format!(
            "|{}|{}",
            dictionary.countries[people.country(other)].name,
            year(END) - random.between(0, 6)
        ),
        12 => {
            let class = dictionary.tags[people.main_interest(other)].class;
            let class = dictionary.classes[class].parent.unwrap_or(class);
            format!("|{}", dictionary.classes[class].name)
        }
        13 | 14 => format!("|{}", people.id(random.below(people.size))),
        _ => String::new(),
    }
}
