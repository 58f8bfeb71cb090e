//! The pages of a column chunk, one after the other, as the crate `parquet` decodes them.
//!
//! That crate believes what a file says of itself. So a page gets there only if its sizes are those that it has, and if it is no larger
//! than a page may be.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use parquet::basic::Encoding;
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result};

use super::codec::Codec;
use super::delta;
use super::file::ParquetFile;
use super::thrift::{Compact, Kind, Wrong};

/// Most bytes of a page when it is unpacked. Writers begin a new one after a megabyte or so; but a text is in one.
const LONGEST_PAGE: usize = 256 << 20;
/// Most bytes of pages that the columns of a file have in memory together.
const MOST_HELD: u64 = 1 << 30;
/// Bytes that are read to find a header in, one after the other: it may have texts in it.
const HEADERS: [u64; 3] = [256, 64 << 10, 16 << 20];
/// Most values in the lists of rows that are read at once.
pub(super) const MOST_IN_LISTS: u64 = 4 << 20;

/// What the columns of a file share.
#[derive(Default)]
pub(super) struct Held {
    /// Bytes of pages that are in memory.
    pages: AtomicU64,
}

/// Which column it is that is read.
pub(super) struct Whose {
    /// Whether a row may have several values.
    pub(super) is_list: bool,
    /// The most that levels of repetition, and of definition, may be: 0 where there are none.
    pub(super) levels: [i16; 2],
}

/// See the module.
pub(super) struct Pages {
    file: Arc<ParquetFile>,
    held: Arc<Held>,
    /// Values of lists since somebody began to read rows.
    in_lists: Arc<AtomicU64>,
    whose: Whose,
    codec: Codec,
    /// What has not been read.
    rest: Range<u64>,
    /// Values that are still to come.
    values: u64,
    /// The header of the page that is next.
    next: Option<Header>,
    /// Bytes of the dictionary and of the last page.
    own: [u64; 2],
    has_dictionary: bool,
}

/// What is said of a page.
#[derive(Clone, Copy, Debug, Default)]
struct Header {
    kind: i64,
    /// Bytes when it is unpacked, and as it lies there.
    length: i64,
    packed: i64,
    crc: Option<i64>,
    values: i64,
    encoding: i64,
    /// How levels of definition and of repetition are encoded.
    levels: [i64; 2],
    /// In version 2: values that are null, rows, bytes of levels of definition and of repetition.
    version_2: [i64; 4],
    is_unpacked: bool,
}

const DATA: i64 = 0;
const DICTIONARY: i64 = 2;
const DATA_2: i64 = 3;

impl Pages {
    /// The pages of a chunk with so many values.
    pub(super) fn new(
        (file, held): (Arc<ParquetFile>, Arc<Held>),
        in_lists: Arc<AtomicU64>,
        whose: Whose,
        (rest, codec): (Range<u64>, Codec),
        values: u64,
    ) -> Self {
        let (own, has_dictionary) = ([0; 2], false);
        Self { file, held, in_lists, whose, codec, rest, values, next: None, own, has_dictionary }
    }

    /// Looks at the header of the next page that has something.
    fn look(&mut self) -> Result<Option<Header>> {
        while self.next.is_none() && self.values > 0 {
            if self.rest.is_empty() {
                return Err(damaged(format!("{} of its values are missing", self.values)));
            }
            let (header, length) = self.header()?;
            let packed = u64::try_from(header.packed)
                .ok()
                .filter(|packed| *packed <= self.rest.end - self.rest.start - length);
            let packed = packed.ok_or_else(|| damaged("a page is longer than its column"))?;
            self.step(length);
            let is_empty = header.kind != DICTIONARY && header.values == 0;
            if is_empty || ![DATA, DATA_2, DICTIONARY].contains(&header.kind) {
                self.step(packed);
                continue;
            }
            if usize::try_from(header.length).is_ok_and(|length| length <= LONGEST_PAGE) {
                self.next = Some(header);
                break;
            }
            let most = LONGEST_PAGE >> 20;
            return Err(damaged(format!("a page of {} bytes, and {most} MiB are the most", header.length)));
        }
        Ok(self.next)
    }

    /// The header that is here, and how many bytes it has.
    fn header(&self) -> Result<(Header, u64)> {
        let mut problem = "it ends in its midst";
        for most in HEADERS {
            let end = self.rest.start.saturating_add(most).min(self.rest.end);
            let bytes = self.file.read(self.rest.start..end)?;
            match Header::read(&bytes) {
                Ok((header, length)) => return Ok((header, length as u64)),
                Err(Wrong::Ends) if end < self.rest.end => {}
                Err(Wrong::Ends) => break,
                Err(Wrong::Other(other)) => {
                    problem = other;
                    break;
                }
            }
        }
        Err(damaged(format!("the header of a page is damaged: {problem}")))
    }

    fn step(&mut self, bytes: u64) {
        self.rest.start += bytes;
        self.file.advance(bytes);
    }

    /// Reads and unpacks the page of a header.
    fn page(&mut self, header: Header) -> Result<Page> {
        let (packed, length) = (header.packed as u64, header.length as usize);
        let bytes = self.file.read(self.rest.start..self.rest.start + packed)?;
        if bytes.len() as u64 != packed {
            return Err(damaged("the file ends in the midst of a page"));
        }
        self.step(packed);
        if let Some(expected) = header.crc {
            let mut crc = flate2::Crc::new();
            crc.update(&bytes);
            if crc.sum() != expected as u32 {
                return Err(damaged("the checksum of a page is not that of its bytes"));
            }
        }
        let is_dictionary = header.kind == DICTIONARY;
        self.hold(usize::from(!is_dictionary), length as u64)?;
        let [.., of_definition, of_repetition] = header.version_2;
        let levels = of_definition.checked_add(of_repetition).and_then(|both| usize::try_from(both).ok());
        let is_fit = [of_definition, of_repetition].iter().all(|length| *length >= 0);
        let levels = levels.filter(|levels| is_fit && *levels <= length.min(bytes.len()));
        let levels = levels.ok_or_else(|| damaged("a page has longer levels than it is itself"))?;
        let codec = if header.is_unpacked { Codec::Plain } else { self.codec };
        let bytes = unpacked(bytes, (levels, length), codec)
            .map_err(|problem| damaged(format!("a page: {problem}")))?;
        self.made(header, bytes.into())
    }

    /// The page that has these bytes.
    fn made(&mut self, header: Header, buf: Bytes) -> Result<Page> {
        let num_values = small(header.values)?;
        let encoding = encoding(header.encoding)?;
        let is_of_dictionary = matches!(encoding, Encoding::RLE_DICTIONARY | Encoding::PLAIN_DICTIONARY);
        if header.kind == DICTIONARY {
            if num_values as usize > buf.len() {
                return Err(damaged("a dictionary declares more values than it can hold"));
            }
            if std::mem::replace(&mut self.has_dictionary, true) {
                return Err(damaged("it has two dictionaries"));
            }
            return Ok(Page::DictionaryPage { buf, num_values, encoding, is_sorted: false });
        }
        if is_of_dictionary && !self.has_dictionary {
            return Err(damaged("a page needs a dictionary, and there is none"));
        }
        self.values = self.values.saturating_sub(u64::from(num_values));
        if self.whose.is_list {
            let count = self.in_lists.fetch_add(num_values.into(), Ordering::Relaxed) + u64::from(num_values);
            if count > 2 * MOST_IN_LISTS {
                return Err(damaged(format!(
                    "the lists of a few rows have more than {MOST_IN_LISTS} values"
                )));
            }
        }
        let levels = [header.levels[0], header.levels[1]].map(level_encoding);
        let [def_level_encoding, rep_level_encoding] = levels;
        let data = self.data_of(&header, &buf)?;
        look_at_deltas(encoding, &buf[data..], num_values.into()).map_err(damaged)?;
        if header.kind == DATA {
            let (def_level_encoding, rep_level_encoding) = (def_level_encoding?, rep_level_encoding?);
            let statistics = None;
            return Ok(Page::DataPage {
                buf,
                num_values,
                encoding,
                def_level_encoding,
                rep_level_encoding,
                statistics,
            });
        }
        let [nulls, rows, of_definition, of_repetition] = header.version_2;
        Ok(Page::DataPageV2 {
            buf,
            num_values,
            encoding,
            num_nulls: small(nulls)?,
            num_rows: small(rows)?,
            def_levels_byte_len: small(of_definition)?,
            rep_levels_byte_len: small(of_repetition)?,
            is_compressed: !header.is_unpacked,
            statistics: None,
        })
    }

    /// Where in a page the values begin, behind the levels.
    fn data_of(&self, header: &Header, page: &[u8]) -> Result<usize> {
        let [.., of_definition, of_repetition] = header.version_2;
        if header.kind == DATA_2 {
            return Ok(of_definition as usize + of_repetition as usize);
        }
        let mut at = 0;
        for (level, encoding) in [(0, header.levels[1]), (1, header.levels[0])] {
            let most = self.whose.levels[level];
            if most == 0 {
                continue;
            }
            at += match encoding {
                BIT_PACKED => {
                    let bits = 16 - (most as u16).leading_zeros() as usize;
                    (header.values as usize * bits).div_ceil(8)
                }
                _ => {
                    let length = page.get(at..at + 4).and_then(|bytes| bytes.try_into().ok());
                    4 + u32::from_le_bytes(length.ok_or_else(|| damaged(LEVELS))?) as usize
                }
            };
            if at > page.len() {
                return Err(damaged(LEVELS));
            }
        }
        Ok(at)
    }

    /// Notes how long the dictionary (0) or the page (1) is that is in memory from now on.
    fn hold(&mut self, which: usize, bytes: u64) -> Result<()> {
        let before = std::mem::replace(&mut self.own[which], bytes);
        let held = self.held.pages.fetch_add(bytes, Ordering::Relaxed) + bytes - before;
        self.held.pages.fetch_sub(before, Ordering::Relaxed);
        if held > MOST_HELD {
            return Err(damaged(format!(
                "pages of the columns need more than {} MiB together",
                MOST_HELD >> 20
            )));
        }
        Ok(())
    }
}

const LEVELS: &str = "a page ends in the midst of its levels";

impl Drop for Pages {
    fn drop(&mut self) {
        self.held.pages.fetch_sub(self.own.iter().sum(), Ordering::Relaxed);
    }
}

impl PageReader for Pages {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        match self.look()? {
            None => Ok(None),
            Some(header) => {
                self.next = None;
                self.page(header).map(Some)
            }
        }
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        let Some(header) = self.look()? else { return Ok(None) };
        let num_rows = if header.kind == DATA_2 { Some(small(header.version_2[1])? as usize) } else { None };
        Ok(Some(PageMetadata {
            num_rows,
            num_levels: Some(small(header.values)? as usize),
            is_dict: header.kind == DICTIONARY,
        }))
    }

    fn skip_next_page(&mut self) -> Result<()> {
        // Rows are read and never passed over.
        Err(damaged("a page was to be skipped"))
    }
}

impl Iterator for Pages {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

impl Header {
    /// Reads a header; how long it is.
    fn read(bytes: &[u8]) -> std::result::Result<(Self, usize), Wrong> {
        let mut header = Self::default();
        let mut compact = Compact::new(bytes);
        compact.fields(|compact, id, kind| {
            match id {
                1 => header.kind = compact.number()?,
                2 => header.length = compact.number()?,
                3 => header.packed = compact.number()?,
                4 => header.crc = Some(compact.number()?),
                5 | 7 | 8 => {
                    compact.fields(|compact, field, kind| header.own_field(compact, (id, field), kind))?
                }
                _ => return Ok(false),
            }
            let _ = kind;
            Ok(true)
        })?;
        Ok((header, compact.position()))
    }

    /// Reads a field of what a page of a kind says of itself.
    fn own_field(
        &mut self,
        compact: &mut Compact<'_>,
        which: (i64, i64),
        kind: Kind,
    ) -> std::result::Result<bool, Wrong> {
        let [nulls, rows, of_definition, of_repetition] = &mut self.version_2;
        let into = match which {
            (_, 1) => &mut self.values,
            (5 | 7, 2) | (8, 4) => &mut self.encoding,
            (5, 3) => &mut self.levels[0],
            (5, 4) => &mut self.levels[1],
            (8, 2) => nulls,
            (8, 3) => rows,
            (8, 5) => of_definition,
            (8, 6) => of_repetition,
            (8, 7) => {
                self.is_unpacked = !Compact::truth(kind);
                return Ok(true);
            }
            _ => return Ok(false),
        };
        *into = compact.number()?;
        Ok(true)
    }
}

/// Unpacks a page, whose levels may come in front and are never packed then.
fn unpacked(
    mut bytes: Vec<u8>,
    (levels, length): (usize, usize),
    codec: Codec,
) -> std::result::Result<Vec<u8>, String> {
    // A page of nothing but nulls may have no values, not even packed ones.
    if length == levels {
        bytes.truncate(levels);
        return Ok(bytes);
    }
    if levels == 0 {
        return codec.unpack(bytes, length);
    }
    let packed = bytes.split_off(levels);
    bytes.extend(codec.unpack(packed, length - levels)?);
    Ok(bytes)
}

/// Looks at numbers that say how many there are, and how long texts are that grow out of one another.
fn look_at_deltas(encoding: Encoding, data: &[u8], values: u64) -> std::result::Result<(), &'static str> {
    match encoding {
        Encoding::DELTA_BINARY_PACKED | Encoding::DELTA_LENGTH_BYTE_ARRAY => {
            delta::walk(data, values, None).map(drop)
        }
        Encoding::DELTA_BYTE_ARRAY => {
            let mut total = 0u64;
            let mut add = |length: i64| total = total.saturating_add(length.max(0) as u64);
            let suffixes = delta::walk(data, values, Some(&mut add))?;
            delta::walk(&data[suffixes..], values, Some(&mut add))?;
            if total > LONGEST_PAGE as u64 {
                Err("the texts of a page are too long together")
            } else {
                Ok(())
            }
        }
        _ => Ok(()),
    }
}

const BIT_PACKED: i64 = 4;

fn level_encoding(number: i64) -> Result<Encoding> {
    match encoding(number)? {
        // What a page without levels says of them does not matter.
        Encoding::PLAIN => Ok(Encoding::RLE),
        rle @ Encoding::RLE => Ok(rle),
        packed if number == BIT_PACKED => Ok(packed),
        other => Err(damaged(format!("levels are encoded as {other}"))),
    }
}

fn encoding(number: i64) -> Result<Encoding> {
    Ok(match number {
        0 => Encoding::PLAIN,
        2 => Encoding::PLAIN_DICTIONARY,
        3 => Encoding::RLE,
        #[expect(deprecated, reason = "files of old writers have it")]
        BIT_PACKED => Encoding::BIT_PACKED,
        5 => Encoding::DELTA_BINARY_PACKED,
        6 => Encoding::DELTA_LENGTH_BYTE_ARRAY,
        7 => Encoding::DELTA_BYTE_ARRAY,
        8 => Encoding::RLE_DICTIONARY,
        9 => Encoding::BYTE_STREAM_SPLIT,
        other => return Err(damaged(format!("a page has the encoding {other}, which is not known"))),
    })
}

fn small(number: i64) -> Result<u32> {
    let small = i32::try_from(number).ok().and_then(|number| u32::try_from(number).ok());
    small.ok_or_else(|| damaged(format!("a page declares {number} of something")))
}

fn damaged(problem: impl Into<String>) -> ParquetError {
    ParquetError::General(problem.into())
}
