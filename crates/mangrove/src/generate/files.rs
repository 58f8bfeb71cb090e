//! The output: one file per vertex type, relation and attribute list, named as LDBC's `CsvBasic` serializer names them.

use std::fmt;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use super::GenerateError;

macro_rules! tables {
    ($($variant:ident: $folder:literal, $name:literal, $header:literal;)*) => {
        /// One output file.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Table { $($variant),* }
        /// Folder, name and header of every table.
        const TABLES: &[(Table, &str, &str, &str)] = &[$((Table::$variant, $folder, $name, $header)),*];
    };
}

tables! {
    Place: "static", "place", "id|name|url|type";
    PlaceIsPartOfPlace: "static", "place_isPartOf_place", "Place.id|Place.id";
    Organisation: "static", "organisation", "id|type|name|url";
    OrganisationIsLocatedInPlace: "static", "organisation_isLocatedIn_place", "Organisation.id|Place.id";
    TagClass: "static", "tagclass", "id|name|url";
    TagClassIsSubclassOfTagClass: "static", "tagclass_isSubclassOf_tagclass", "TagClass.id|TagClass.id";
    Tag: "static", "tag", "id|name|url";
    TagHasTypeTagClass: "static", "tag_hasType_tagclass", "Tag.id|TagClass.id";
    Person: "dynamic", "person", "id|firstName|lastName|gender|birthday|creationDate|locationIP|browserUsed";
    PersonEmail: "dynamic", "person_email_emailaddress", "Person.id|email";
    PersonSpeaks: "dynamic", "person_speaks_language", "Person.id|language";
    PersonIsLocatedInPlace: "dynamic", "person_isLocatedIn_place", "Person.id|Place.id";
    PersonHasInterestTag: "dynamic", "person_hasInterest_tag", "Person.id|Tag.id";
    PersonStudyAtOrganisation: "dynamic", "person_studyAt_organisation", "Person.id|Organisation.id|classYear";
    PersonWorkAtOrganisation: "dynamic", "person_workAt_organisation", "Person.id|Organisation.id|workFrom";
    PersonKnowsPerson: "dynamic", "person_knows_person", "Person.id|Person.id|creationDate";
    PersonLikesPost: "dynamic", "person_likes_post", "Person.id|Post.id|creationDate";
    PersonLikesComment: "dynamic", "person_likes_comment", "Person.id|Comment.id|creationDate";
    Forum: "dynamic", "forum", "id|title|creationDate";
    ForumHasModeratorPerson: "dynamic", "forum_hasModerator_person", "Forum.id|Person.id";
    ForumHasMemberPerson: "dynamic", "forum_hasMember_person", "Forum.id|Person.id|joinDate";
    ForumHasTagTag: "dynamic", "forum_hasTag_tag", "Forum.id|Tag.id";
    ForumContainerOfPost: "dynamic", "forum_containerOf_post", "Forum.id|Post.id";
    Post: "dynamic", "post", "id|imageFile|creationDate|locationIP|browserUsed|language|content|length";
    PostHasCreatorPerson: "dynamic", "post_hasCreator_person", "Post.id|Person.id";
    PostHasTagTag: "dynamic", "post_hasTag_tag", "Post.id|Tag.id";
    PostIsLocatedInPlace: "dynamic", "post_isLocatedIn_place", "Post.id|Place.id";
    Comment: "dynamic", "comment", "id|creationDate|locationIP|browserUsed|content|length";
    CommentHasCreatorPerson: "dynamic", "comment_hasCreator_person", "Comment.id|Person.id";
    CommentHasTagTag: "dynamic", "comment_hasTag_tag", "Comment.id|Tag.id";
    CommentIsLocatedInPlace: "dynamic", "comment_isLocatedIn_place", "Comment.id|Place.id";
    CommentReplyOfPost: "dynamic", "comment_replyOf_post", "Comment.id|Post.id";
    CommentReplyOfComment: "dynamic", "comment_replyOf_comment", "Comment.id|Comment.id";
}

/// All output files, open for writing. Keeps a buffer of 64 KiB for each and nothing else.
pub(super) struct Files {
    open: Vec<Output>,
}

struct Output {
    path: PathBuf,
    writer: BufWriter<File>,
    rows: u64,
    bytes: u64,
    line: String,
}

impl Files {
    /// Creates all files, with their headers, under `directory`.
    pub(super) fn create(directory: &Path) -> Result<Self, GenerateError> {
        let mut open = Vec::with_capacity(TABLES.len());
        for (table, folder, name, header) in TABLES {
            debug_assert_eq!(*table as usize, open.len());
            let folder = directory.join(folder);
            std::fs::create_dir_all(&folder).map_err(|e| GenerateError::io(&folder, e))?;
            let path = folder.join(format!("{name}_0_0.csv"));
            let file = File::create(&path).map_err(|e| GenerateError::io(&path, e))?;
            let writer = BufWriter::with_capacity(64 << 10, file);
            let mut output = Output { path, writer, rows: 0, bytes: 0, line: String::new() };
            output.write(format_args!("{header}"))?;
            output.rows = 0;
            open.push(output);
        }
        Ok(Self { open })
    }

    /// Appends a row; the fields are joined already.
    pub(super) fn row(&mut self, table: Table, fields: fmt::Arguments) -> Result<(), GenerateError> {
        self.open[table as usize].write(fields)
    }

    /// Number of rows written to a table, without its header.
    pub(super) fn rows(&self, table: Table) -> u64 {
        self.open[table as usize].rows
    }

    /// Number of bytes written in all.
    pub(super) fn bytes(&self) -> u64 {
        self.open.iter().map(|output| output.bytes).sum()
    }

    /// Number of rows written to the tables that `pick` says, given the parts of the table's name: one for a vertex
    /// type, three for a relation or an attribute list.
    pub(super) fn sum(&self, pick: impl Fn(&[&str]) -> bool) -> u64 {
        TABLES
            .iter()
            .filter(|(_, _, name, _)| pick(&name.split('_').collect::<Vec<_>>()))
            .map(|(table, ..)| self.rows(*table))
            .sum()
    }

    /// Writes out what is still buffered.
    pub(super) fn finish(&mut self) -> Result<(), GenerateError> {
        for output in &mut self.open {
            output.writer.flush().map_err(|e| GenerateError::io(&output.path, e))?;
        }
        Ok(())
    }
}

impl Output {
    fn write(&mut self, fields: fmt::Arguments) -> Result<(), GenerateError> {
        self.line.clear();
        fmt::Write::write_fmt(&mut self.line, fields).expect("formatting into a string cannot fail");
        self.line.push('\n');
        self.rows += 1;
        self.bytes += self.line.len() as u64;
        self.writer.write_all(self.line.as_bytes()).map_err(|e| GenerateError::io(&self.path, e))
    }
}
