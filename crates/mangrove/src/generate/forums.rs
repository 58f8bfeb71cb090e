//! Walls, albums and groups: every person's forums, who joined them, and what they are about.

use super::GenerateError;
use super::calendar::{END, STEP, dated_id};
use super::files::{Files, Table};
use super::friends::Friend;
use super::messages::{self, Participant};
use super::person::{Person, Population};
use super::random::{Draw, Random};

/// Most members of a group; walls and albums have no more than the owner has friends.
const LARGEST_GROUP: u64 = 400;
/// How far in the row of interests a group finds its members.
const GROUP_REACH: u64 = 300;

/// Numbers given out so far.
#[derive(Default)]
pub(super) struct Serials {
    pub(super) forums: u64,
    pub(super) messages: u64,
}

/// A forum and the people who may write in it, the moderator first.
pub(super) struct Forum {
    pub(super) id: u64,
    pub(super) created: i64,
    pub(super) tags: Vec<usize>,
    pub(super) participants: Vec<Participant>,
}

/// Everything a person's forums need.
pub(super) struct Host<'a> {
    pub(super) people: &'a Population<'a>,
    pub(super) person: &'a Person,
    pub(super) friends: &'a [Friend],
    pub(super) random: Random,
    pub(super) serials: &'a mut Serials,
    pub(super) files: &'a mut Files,
}

impl<'a> Host<'a> {
    /// Prepares the forums of a person.
    pub(super) fn new(
        people: &'a Population<'a>,
        person: &'a Person,
        friends: &'a [Friend],
        serials: &'a mut Serials,
        files: &'a mut Files,
    ) -> Self {
        let random = Random::new(people.seed, Draw::Forums, person.index);
        Self { people, person, friends, random, serials, files }
    }

    /// Writes all forums that the person moderates, with members and messages.
    pub(super) fn write(mut self) -> Result<(), GenerateError> {
        let sociable = 1.0 + (self.friends.len() as f64).sqrt();
        self.wall(sociable)?;
        for number in 0..self.random.heavy(3.0, 25) {
            self.album(number)?;
        }
        if self.random.chance(10) {
            self.group(sociable)?;
        }
        Ok(())
    }

    fn name(&self) -> String {
        format!("{} {}", self.person.first_name, self.person.last_name)
    }

    /// The wall: all friends are members from the day they became friends.
    fn wall(&mut self, sociable: f64) -> Result<(), GenerateError> {
        let members = self.friends.to_vec();
        let tags = self.person.interests.iter().copied().take(4).collect();
        let title = format!("Wall of {}", self.name());
        let Some(forum) = self.open(title, self.person.created + STEP, tags, members)? else { return Ok(()) };
        for _ in 0..1 + self.random.heavy(0.75 * sociable, 100) {
            messages::thread(self, &forum)?;
        }
        Ok(())
    }

    /// An album of photographs: some friends are members.
    fn album(&mut self, number: u64) -> Result<(), GenerateError> {
        let created = self.random.between(self.person.created + STEP, END);
        let mut members = Vec::new();
        for friend in self.friends {
            if self.random.chance(75) {
                members.push(*friend);
            }
        }
        let first = self.random.skewed(self.person.interests.len());
        let count = 1 + self.random.below(5) as usize;
        let tags = self.person.interests[first..].iter().copied().take(count).collect();
        let title = format!("Album {number} of {}", self.name());
        let Some(forum) = self.open(title, created, tags, members)? else { return Ok(()) };
        for photo in 0..1 + self.random.below(18) {
            messages::photo(self, &forum, photo)?;
        }
        Ok(())
    }

    /// A group around a topic: friends, and people who share the interest.
    fn group(&mut self, sociable: f64) -> Result<(), GenerateError> {
        let created = self.random.between(self.person.created + STEP, END);
        let mut members = Vec::new();
        for friend in self.friends {
            if self.random.chance(30) {
                members.push(*friend);
            }
        }
        let here = self.people.by_interest.position(self.person.index);
        for _ in 0..5 + self.random.heavy(20.0, LARGEST_GROUP / 2) {
            let offset = self.random.below(2 * GROUP_REACH + 1);
            let place = (here + offset).saturating_sub(GROUP_REACH).min(self.people.size - 1);
            let index = self.people.by_interest.item(place);
            members.push(Friend { index, since: self.people.created(index) });
        }
        members.retain(|member| member.index != self.person.index);
        members.sort_unstable();
        members.dedup_by_key(|member| member.index);
        members.truncate(LARGEST_GROUP as usize);
        let topic = self.person.interests[0];
        let kind = self.random.any(self.people.dictionary.words("group"));
        let title = format!("{kind} {}", self.people.dictionary.tags[topic].name.replace('_', " "));
        let mut tags = vec![topic];
        tags.extend(self.person.interests.iter().skip(1).take(2));
        let Some(forum) = self.open(title, created, tags, members)? else { return Ok(()) };
        for _ in 0..2 + self.random.heavy(1.5 * sociable, 200) {
            messages::thread(self, &forum)?;
        }
        Ok(())
    }

    /// Writes a forum and its members; none if it would begin after the end of time. A member joins after the forum began
    /// and not before the day in `since`.
    fn open(
        &mut self,
        title: String,
        created: i64,
        tags: Vec<usize>,
        members: Vec<Friend>,
    ) -> Result<Option<Forum>, GenerateError> {
        if created >= END {
            return Ok(None);
        }
        let id = dated_id(created, self.serials.forums);
        self.serials.forums += 1;
        self.files.row(Table::Forum, format_args!("{id}|{title}|{created}"))?;
        self.files.row(Table::ForumHasModeratorPerson, format_args!("{id}|{}", self.person.id))?;
        for tag in &tags {
            self.files.row(Table::ForumHasTagTag, format_args!("{id}|{tag}"))?;
        }
        let mut participants = vec![Participant { index: self.person.index, joined: created }];
        for member in members {
            let earliest = created.max(member.since) + STEP;
            let joined = self.random.early(earliest, END);
            if joined >= END {
                continue;
            }
            let member_id = self.people.id(member.index);
            self.files.row(Table::ForumHasMemberPerson, format_args!("{id}|{member_id}|{joined}"))?;
            participants.push(Participant { index: member.index, joined });
        }
        Ok(Some(Forum { id, created, tags, participants }))
    }
}
