//! One file of a backup.
//!
//! ```text
//! "mgbackup" 8 │ format u32 │ number u32 │ seal of the file before u64 │ checksum of these u64
//! frame   length of the body u32 │ XXH3-64 of the body, seeded with the frame's number, u64 │ body
//!
//! body    1 │ name                                a keyspace; they are numbered over all files, from 0
//!         2 │ keyspace u8 │ key length u16 │ key │ value
//!         3 │ keyspace u8 │ key                   removed
//!         4 │ frames u64 │ seal u64               the end; the seal is the XXH3-64 of the checksums of all frames
//! ```
//!
//! All numbers are little-endian. A file gets its name when it is whole and synced, so one without an end was damaged.

use std::fs::{self, File};
use std::io::{BufReader, BufWriter, Read, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use store::Store;
use xxhash_rust::xxh3::{Xxh3Default, xxh3_64, xxh3_64_with_seed};

use super::failed;
use crate::error::Result;

const MAGIC: &[u8; 8] = b"mgbackup";
const FORMAT: u32 = 1;
const HEADER: usize = 32;
const FRAME: usize = 12;
/// Longest body: the longest value of a store and more than any key.
const LONGEST: usize = 64 << 20;

/// How much is written between two looks at the room that is left.
const BYTES_PER_LOOK_FOR_ROOM: usize = 8 << 20;

const KEYSPACE: u8 = 1;
const PAIR: u8 = 2;
const REMOVED: u8 = 3;
const END: u8 = 4;

/// Writes a file under another name, until it is whole.
pub(super) struct BackupWriter<'a> {
    store: &'a dyn Store,
    path: PathBuf,
    unfinished: PathBuf,
    file: BufWriter<File>,
    frames: u64,
    seal: Xxh3Default,
    bytes: u64,
    /// Bytes since the room that is left was looked at.
    unchecked: usize,
    body: Vec<u8>,
}

impl<'a> BackupWriter<'a> {
    /// Begins the file with this number; `previous` is the seal of the one before. It takes no room that `store` needs.
    pub(super) fn create(path: &Path, number: u32, previous: u64, store: &'a dyn Store) -> Result<Self> {
        let unfinished = path.with_extension("unfinished");
        let file = File::create(&unfinished).map_err(|error| failed(&unfinished, error))?;
        let mut writer = Self {
            store,
            path: path.to_owned(),
            unfinished,
            file: BufWriter::with_capacity(1 << 20, file),
            frames: 0,
            seal: Xxh3Default::new(),
            bytes: 0,
            unchecked: BYTES_PER_LOOK_FOR_ROOM,
            body: Vec::new(),
        };
        let mut header = MAGIC.to_vec();
        header.extend_from_slice(&FORMAT.to_le_bytes());
        header.extend_from_slice(&number.to_le_bytes());
        header.extend_from_slice(&previous.to_le_bytes());
        header.extend_from_slice(&xxh3_64(&header).to_le_bytes());
        writer.write(&header)?;
        Ok(writer)
    }

    pub(super) fn keyspace(&mut self, name: &str) -> Result<()> {
        self.frame(&[&[KEYSPACE], name.as_bytes()])
    }

    pub(super) fn pair(&mut self, keyspace: u8, key: &[u8], value: &[u8]) -> Result<()> {
        // The store bounds keys to 65,535 bytes.
        let length = (key.len() as u16).to_le_bytes();
        self.frame(&[&[PAIR, keyspace], &length, key, value])
    }

    pub(super) fn removed(&mut self, keyspace: u8, key: &[u8]) -> Result<()> {
        self.frame(&[&[REMOVED, keyspace], key])
    }

    /// Ends the file and gives it its name; durable when it returns. Its length in bytes.
    pub(super) fn finish(mut self) -> Result<u64> {
        let (frames, seal) = (self.frames.to_le_bytes(), self.seal.digest().to_le_bytes());
        self.frame(&[&[END], &frames, &seal])?;
        self.take_name().map_err(|error| failed(&self.path, error))?;
        Ok(self.bytes)
    }

    fn take_name(&mut self) -> std::io::Result<()> {
        self.file.flush()?;
        self.file.get_ref().sync_all()?;
        fs::rename(&self.unfinished, &self.path)?;
        File::open(self.path.parent().unwrap_or(Path::new(".")))?.sync_all()
    }

    fn frame(&mut self, parts: &[&[u8]]) -> Result<()> {
        let mut body = std::mem::take(&mut self.body);
        body.clear();
        parts.iter().for_each(|part| body.extend_from_slice(part));
        let checksum = xxh3_64_with_seed(&body, self.frames).to_le_bytes();
        self.frames += 1;
        self.seal.update(&checksum);
        self.write(&(body.len() as u32).to_le_bytes())?;
        self.write(&checksum)?;
        self.write(&body)?;
        self.body = body;
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.unchecked += bytes.len();
        if self.unchecked >= BYTES_PER_LOOK_FOR_ROOM {
            let directory = self.path.parent().unwrap_or(Path::new("."));
            self.store.check_room(directory, bytes.len()).map_err(|error| failed(&self.unfinished, error))?;
            self.unchecked = 0;
        }
        self.bytes += bytes.len() as u64;
        self.file.write_all(bytes).map_err(|error| failed(&self.unfinished, error))
    }
}

/// A file that was not finished gives its room back.
impl Drop for BackupWriter<'_> {
    fn drop(&mut self) {
        // When it was finished it has another name.
        let _ = fs::remove_file(&self.unfinished);
    }
}

/// Something that a file holds.
pub(super) enum Entry {
    Keyspace(String),
    Pair { keyspace: u8, key: Vec<u8>, value: Vec<u8>, place: Place },
    Removed { keyspace: u8, key: Vec<u8> },
}

/// Where a frame begins in its file, its number there, and the length of its body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    at: u64,
    frame: u64,
    bytes: u32,
}

impl Place {
    /// The value of the pair that was read here before, from the file at `path`.
    pub(super) fn value(self, file: &File, path: &Path) -> Result<Vec<u8>> {
        let mut frame = vec![0; FRAME + self.bytes as usize];
        file.read_exact_at(&mut frame, self.at).map_err(|error| failed(path, error))?;
        let (checksum, body) = frame[4..].split_at(8);
        let is_sound = xxh3_64_with_seed(body, self.frame).to_le_bytes() == checksum;
        match body.split_first().and_then(|(_, rest)| pair(rest, self)) {
            Some(Entry::Pair { value, .. }) if is_sound => Ok(value),
            _ => Err(failed(path, format!("the entry at byte {} is not the one read before", self.at))),
        }
    }
}

/// Reads a file and compares everything with its checksums.
pub(super) struct BackupReader {
    path: PathBuf,
    file: BufReader<File>,
    at: u64,
    frames: u64,
    seal: Xxh3Default,
    ended: bool,
}

impl BackupReader {
    /// Opens the file with this number, which must go on from the file with the seal `previous`.
    pub(super) fn open(path: &Path, number: u32, previous: u64) -> Result<Self> {
        let file = File::open(path).map_err(|error| failed(path, error))?;
        let mut reader = Self {
            path: path.to_owned(),
            file: BufReader::with_capacity(1 << 20, file),
            at: 0,
            frames: 0,
            seal: Xxh3Default::new(),
            ended: false,
        };
        let header: [u8; HEADER] = reader.array()?;
        let (fields, checksum) = header.split_at(HEADER - 8);
        if fields[..8] != *MAGIC || xxh3_64(fields).to_le_bytes() != checksum {
            return Err(failed(path, "it does not begin as a backup does"));
        }
        let field =
            |at: usize| u32::from_le_bytes([fields[at], fields[at + 1], fields[at + 2], fields[at + 3]]);
        if field(8) != FORMAT {
            let found = field(8);
            return Err(failed(path, format!("its format is {found}, this version reads {FORMAT}")));
        }
        if field(12) != number || fields[16..24] != previous.to_le_bytes() {
            return Err(failed(
                path,
                "it does not go on from the file before; one is missing or of another graph",
            ));
        }
        Ok(reader)
    }

    /// The next entry; none at the end of a file that is whole.
    pub(super) fn next(&mut self) -> Result<Option<Entry>> {
        if self.ended {
            return Ok(None);
        }
        let (at, frame, seal) = (self.at, self.frames, self.seal.digest());
        let body = self.frame()?;
        let place = Place { at, frame, bytes: body.len() as u32 };
        let entry = match body.split_first() {
            Some((&KEYSPACE, name)) => String::from_utf8(name.to_vec()).ok().map(Entry::Keyspace),
            Some((&PAIR, rest)) => pair(rest, place),
            Some((&REMOVED, [keyspace, key @ ..])) => {
                Some(Entry::Removed { keyspace: *keyspace, key: key.to_vec() })
            }
            Some((&END, rest)) => {
                let end = [place.frame.to_le_bytes(), seal.to_le_bytes()].concat();
                let more = self.file.read(&mut [0]).map_err(|error| failed(&self.path, error))?;
                if rest != end || more > 0 {
                    return Err(failed(&self.path, "it does not end as it was written"));
                }
                self.ended = true;
                return Ok(None);
            }
            _ => None,
        };
        let unknown = || failed(&self.path, format!("the entry at byte {} does not read", place.at));
        entry.map(Some).ok_or_else(unknown)
    }

    /// What the next file must go on from, once this one was read to its end: all of it but the end itself.
    pub(super) fn seal(&self) -> u64 {
        self.seal.digest()
    }

    fn frame(&mut self) -> Result<Vec<u8>> {
        let begins = self.at;
        let damaged =
            |path: &Path| failed(path, format!("the entry at byte {begins} is not the one written"));
        let header: [u8; FRAME] = self.array()?;
        let (length, checksum) = header.split_at(4);
        let length = u32::from_le_bytes([length[0], length[1], length[2], length[3]]) as usize;
        if length > LONGEST {
            return Err(damaged(&self.path));
        }
        let mut body = vec![0; length];
        self.fill(&mut body)?;
        if xxh3_64_with_seed(&body, self.frames).to_le_bytes() != checksum {
            return Err(damaged(&self.path));
        }
        self.frames += 1;
        self.seal.update(checksum);
        Ok(body)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let mut bytes = [0; N];
        self.fill(&mut bytes)?;
        Ok(bytes)
    }

    fn fill(&mut self, bytes: &mut [u8]) -> Result<()> {
        let ends = |error: std::io::Error| match error.kind() {
            std::io::ErrorKind::UnexpectedEof => failed(&self.path, "it ends too early"),
            _ => failed(&self.path, error),
        };
        self.file.read_exact(bytes).map_err(ends)?;
        self.at += bytes.len() as u64;
        Ok(())
    }
}

fn pair(rest: &[u8], place: Place) -> Option<Entry> {
    let ([keyspace, low, high], rest) = rest.split_first_chunk()?;
    let (key, value) = rest.split_at_checked(u16::from_le_bytes([*low, *high]).into())?;
    Some(Entry::Pair { keyspace: *keyspace, key: key.to_vec(), value: value.to_vec(), place })
}
