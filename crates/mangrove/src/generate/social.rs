//! The whole network, person by person.

use std::path::Path;
use std::time::{Duration, Instant};

use super::GenerateError;
use super::calendar::STEP;
use super::dictionary::Dictionary;
use super::files::{Files, Table};
use super::forums::{Host, Serials};
use super::friends::{Friend, friends};
use super::parameters;
use super::person::{Person, Population};
use super::places::{self, city_id};

/// Most people of one network.
pub const MOST_PERSONS: u64 = 100_000_000;
/// People between two calls of the progress function.
const PROGRESS_EVERY: u64 = 64;

/// What to generate.
#[derive(Clone, Copy, Debug)]
pub struct SocialOptions {
    /// Number of people; everything else grows with it. At most [`MOST_PERSONS`].
    pub persons: u64,
    /// Same seed, same bytes.
    pub seed: u64,
}

/// How far the generator is.
#[derive(Clone, Copy, Debug)]
pub struct SocialProgress {
    /// People done.
    pub persons_done: u64,
    /// People in all.
    pub persons: u64,
    /// Bytes written.
    pub bytes: u64,
}

/// What was generated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SocialSummary {
    /// People.
    pub persons: u64,
    /// Friendships, each counted once.
    pub friendships: u64,
    /// Walls, albums and groups.
    pub forums: u64,
    /// Memberships in them.
    pub memberships: u64,
    /// Posts, photographs included.
    pub posts: u64,
    /// Comments.
    pub comments: u64,
    /// Likes of posts and comments.
    pub likes: u64,
    /// Vertices that an import of the network has.
    pub vertices: u64,
    /// Edges that an import of the network has: every friendship is one edge in either direction.
    pub edges: u64,
    /// Bytes written, without the parameter files.
    pub bytes: u64,
    /// How long it took.
    pub elapsed: Duration,
}

/// Generates a social network into `directory`:
///
/// ```text
/// directory ─┬─ social_network ─┬─ static    place, organisation, tag, tagclass and their relations
///            │                  └─ dynamic   person, forum, post, comment and their relations
///            └─ substitution_parameters      interactive_1_param.txt … interactive_14_param.txt
/// ```
///
/// The schema, the file names and the columns are those of LDBC SNB Interactive v1 (`CsvBasic`, dates in epoch
/// milliseconds). The same options give the same bytes on every machine. Memory does not grow with the number of people:
/// each person's part is computed from the seed and written before the next.
///
/// # Errors
/// Too many people asked for; `directory/social_network` exists and is not empty; the file system fails.
pub fn social(
    options: SocialOptions,
    directory: &Path,
    progress: &mut dyn FnMut(SocialProgress),
) -> Result<SocialSummary, GenerateError> {
    let begun = Instant::now();
    let SocialOptions { persons, seed } = options;
    if persons > MOST_PERSONS {
        return Err(GenerateError::TooManyPersons { asked: persons, most: MOST_PERSONS });
    }
    let network = directory.join("social_network");
    refuse_to_overwrite(&network)?;
    let dictionary = Dictionary::load();
    let people = Population::new(seed, persons, &dictionary);
    let mut files = Files::create(&network)?;
    places::write(&dictionary, &mut files)?;
    let mut serials = Serials::default();
    for index in 0..persons {
        let person = people.person(index);
        let circle = friends(&people, index);
        write_person(&people, &person, &circle, &mut files)?;
        Host::new(&people, &person, &circle, &mut serials, &mut files).write()?;
        if (index + 1) % PROGRESS_EVERY == 0 || index + 1 == persons {
            progress(SocialProgress { persons_done: index + 1, persons, bytes: files.bytes() });
        }
    }
    files.finish()?;
    parameters::write(&people, &directory.join("substitution_parameters"))?;
    Ok(summary(&files, begun.elapsed()))
}

fn refuse_to_overwrite(directory: &Path) -> Result<(), GenerateError> {
    match std::fs::read_dir(directory).map(|mut entries| entries.next().is_none()) {
        Ok(true) => Ok(()),
        Ok(false) => Err(GenerateError::Exists { path: directory.to_owned() }),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(e) => Err(GenerateError::io(directory, e)),
    }
}

fn write_person(
    people: &Population,
    person: &Person,
    circle: &[Friend],
    files: &mut Files,
) -> Result<(), GenerateError> {
    let Person { id, first_name, last_name, birthday, created, account, .. } = person;
    let gender = if person.male { "male" } else { "female" };
    let (address, browser) = (&account.address, account.browser);
    files.row(
        Table::Person,
        format_args!("{id}|{first_name}|{last_name}|{gender}|{birthday}|{created}|{address}|{browser}"),
    )?;
    for email in &person.emails {
        files.row(Table::PersonEmail, format_args!("{id}|{email}"))?;
    }
    for language in &person.languages {
        files.row(Table::PersonSpeaks, format_args!("{id}|{language}"))?;
    }
    files.row(
        Table::PersonIsLocatedInPlace,
        format_args!("{id}|{}", city_id(people.dictionary, person.city)),
    )?;
    for tag in &person.interests {
        files.row(Table::PersonHasInterestTag, format_args!("{id}|{tag}"))?;
    }
    if let Some((university, class)) = person.study {
        files.row(Table::PersonStudyAtOrganisation, format_args!("{id}|{university}|{class}"))?;
    }
    for (company, since) in &person.work {
        files.row(Table::PersonWorkAtOrganisation, format_args!("{id}|{company}|{since}"))?;
    }
    // Each friendship is written once, by whoever stands first in the row.
    for friend in circle.iter().filter(|friend| friend.index > person.index) {
        debug_assert!(friend.since >= created + STEP);
        files.row(
            Table::PersonKnowsPerson,
            format_args!("{id}|{}|{}", people.id(friend.index), friend.since),
        )?;
    }
    Ok(())
}

fn summary(files: &Files, elapsed: Duration) -> SocialSummary {
    let friendships = files.rows(Table::PersonKnowsPerson);
    SocialSummary {
        persons: files.rows(Table::Person),
        friendships,
        forums: files.rows(Table::Forum),
        memberships: files.rows(Table::ForumHasMemberPerson),
        posts: files.rows(Table::Post),
        comments: files.rows(Table::Comment),
        likes: files.rows(Table::PersonLikesPost) + files.rows(Table::PersonLikesComment),
        vertices: files.sum(|name| name.len() == 1),
        edges: files.sum(|name| name.len() == 3 && !["email", "speaks"].contains(&name[1])) + friendships,
        bytes: files.bytes(),
        elapsed,
    }
}
