//! Posts, photographs, trees of comments, and likes.

use super::GenerateError;
use super::calendar::{END, STEP, dated_id};
use super::files::{Files, Table};
use super::forums::{Forum, Host};
use super::person::{Account, Population};
use super::random::Random;
use super::text;

/// Comments below a post that is no photograph, on average but for those that would come after the end of time.
const COMMENTS: f64 = 12.5;
/// Most comments below one post; a whole thread is in memory while it is written.
const LONGEST_THREAD: u64 = 150;
/// Likes of a message, on average but for those that nobody is there to give.
const LIKES: f64 = 1.0;
/// Most likes of one message.
const MOST_LIKES: u64 = 300;

/// Somebody who may write in a forum, and from when on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Participant {
    pub(super) index: u64,
    pub(super) joined: i64,
}

/// A message that can be replied to.
struct Message {
    id: u64,
    date: i64,
    author: u64,
    topic: usize,
}

/// A post and the comments below it. Nothing is written if the time is up.
pub(super) fn thread(host: &mut Host, forum: &Forum) -> Result<(), GenerateError> {
    // On a wall or in a group the moderator writes more than others do.
    let author = match host.random.chance(40) {
        true => forum.participants[0],
        false => host.random.any(&forum.participants),
    };
    let Some(post) = text_post(host, forum, author)? else { return Ok(()) };
    like(host, forum, Table::PersonLikesPost, &post)?;
    let mut thread = vec![post];
    for _ in 0..host.random.heavy(COMMENTS, LONGEST_THREAD) {
        let author = host.random.any(&forum.participants);
        // Two comments in five answer the post whatever else was said; the others answer anything in the thread.
        let parent = if host.random.chance(40) { 0 } else { host.random.below(thread.len() as u64) as usize };
        if let Some(comment) = comment(host, &thread[parent], parent == 0, author)? {
            like(host, forum, Table::PersonLikesComment, &comment)?;
            thread.push(comment);
        }
    }
    Ok(())
}

/// A photograph in an album; one second after the other, and never commented, as LDBC has it.
pub(super) fn photo(host: &mut Host, forum: &Forum, number: u64) -> Result<(), GenerateError> {
    let date = forum.created + STEP + number as i64 * 1000;
    if date >= END {
        return Ok(());
    }
    let account = host.people.account(forum.participants[0].index);
    let id = next_id(host, date);
    let Account { address, browser, .. } = &account;
    host.files.row(Table::Post, format_args!("{id}|photo{id}.jpg|{date}|{address}|{browser}|||0"))?;
    let post = Message { id, date, author: forum.participants[0].index, topic: forum.tags[0] };
    let tags = if host.random.chance(40) { &forum.tags[..1] } else { &[] };
    post_relations(host, forum, &post, &account, tags)?;
    like(host, forum, Table::PersonLikesPost, &post)
}

fn next_id(host: &mut Host, date: i64) -> u64 {
    host.serials.messages += 1;
    dated_id(date, host.serials.messages)
}

fn text_post(host: &mut Host, forum: &Forum, author: Participant) -> Result<Option<Message>, GenerateError> {
    let earliest = author.joined.max(forum.created) + STEP;
    let date = host.random.between(earliest, END);
    if date >= END {
        return Ok(None);
    }
    let account = host.people.account(author.index);
    let topic = if host.random.chance(60) { host.random.favour(&forum.tags) } else { account.main_interest };
    let dictionary = host.people.dictionary;
    let content = text::post(&mut host.random, dictionary, &dictionary.tags[topic].name);
    let id = next_id(host, date);
    let Account { address, browser, language, .. } = &account;
    let length = content.len();
    host.files
        .row(Table::Post, format_args!("{id}||{date}|{address}|{browser}|{language}|{content}|{length}"))?;
    let mut tags = vec![topic];
    for &tag in &forum.tags {
        if tag != topic && host.random.chance(50) {
            tags.push(tag);
        }
    }
    let post = Message { id, date, author: author.index, topic };
    post_relations(host, forum, &post, &account, &tags)?;
    Ok(Some(post))
}

fn post_relations(
    host: &mut Host,
    forum: &Forum,
    post: &Message,
    account: &Account,
    tags: &[usize],
) -> Result<(), GenerateError> {
    let id = post.id;
    let country = visited_country(&mut host.random, host.people, account);
    host.files.row(Table::ForumContainerOfPost, format_args!("{}|{id}", forum.id))?;
    host.files.row(Table::PostHasCreatorPerson, format_args!("{id}|{}", account.id))?;
    host.files.row(Table::PostIsLocatedInPlace, format_args!("{id}|{country}"))?;
    write_tags(host.files, Table::PostHasTagTag, id, tags)
}

fn comment(
    host: &mut Host,
    parent: &Message,
    parent_is_post: bool,
    author: Participant,
) -> Result<Option<Message>, GenerateError> {
    let date = parent.date.max(author.joined) + STEP + host.random.delay();
    if date >= END {
        return Ok(None);
    }
    let account = host.people.account(author.index);
    // A conversation drifts: one comment in four turns to what its author likes.
    let topic = if host.random.chance(75) { parent.topic } else { account.main_interest };
    let dictionary = host.people.dictionary;
    let content = text::comment(&mut host.random, dictionary, &dictionary.tags[topic].name);
    let id = next_id(host, date);
    let Account { address, browser, .. } = &account;
    let length = content.len();
    host.files.row(Table::Comment, format_args!("{id}|{date}|{address}|{browser}|{content}|{length}"))?;
    host.files.row(Table::CommentHasCreatorPerson, format_args!("{id}|{}", account.id))?;
    let country = visited_country(&mut host.random, host.people, &account);
    host.files.row(Table::CommentIsLocatedInPlace, format_args!("{id}|{country}"))?;
    let reply = if parent_is_post { Table::CommentReplyOfPost } else { Table::CommentReplyOfComment };
    host.files.row(reply, format_args!("{id}|{}", parent.id))?;
    if content.starts_with("About") {
        let tags = comment_tags(&mut host.random, topic, dictionary.tags.len());
        write_tags(host.files, Table::CommentHasTagTag, id, &tags)?;
    }
    Ok(Some(Message { id, date, author: author.index, topic }))
}

/// What a comment that says something is about: its topic, and up to six others that it brings up.
fn comment_tags(random: &mut Random, topic: usize, topics: usize) -> Vec<usize> {
    let mut tags = vec![topic];
    for _ in 0..random.below(7) {
        let other = random.skewed(topics);
        if !tags.contains(&other) {
            tags.push(other);
        }
    }
    tags
}

fn write_tags(files: &mut Files, table: Table, id: u64, tags: &[usize]) -> Result<(), GenerateError> {
    tags.iter().try_for_each(|tag| files.row(table, format_args!("{id}|{tag}")))
}

/// Where a message is written: at home, or one time in twelve on a journey.
fn visited_country(random: &mut Random, people: &Population, account: &Account) -> usize {
    if random.below(12) == 0 {
        random.below(people.dictionary.countries.len() as u64) as usize
    } else {
        account.country
    }
}

/// Likes of a message: a run of participants from a random one on, so nobody likes twice.
fn like(host: &mut Host, forum: &Forum, table: Table, message: &Message) -> Result<(), GenerateError> {
    let crowd = forum.participants.len() as u64;
    let count = host.random.heavy(LIKES, MOST_LIKES).min(crowd);
    let first = host.random.below(crowd);
    for step in 0..count {
        let Participant { index, joined } = forum.participants[((first + step) % crowd) as usize];
        let date = message.date.max(joined) + host.random.delay();
        if index != message.author && date < END {
            host.files.row(table, format_args!("{}|{}|{date}", host.people.id(index), message.id))?;
        }
    }
    Ok(())
}
