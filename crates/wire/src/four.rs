//! Messages of TinkerPop 4.0, which speaks over HTTP: a request is a script with fields, and a response is one stream of results with
//! the status behind them, so that it can be sent before all results are known.
//!
//! The specification is `docs/src/dev/provider/index.asciidoc` and `docs/src/dev/io/` of apache/tinkerpop at commit
//! fd0e3b5be07ef0c86fe7a5b5dc03d9dafd942aef of `master` (22 August 2026, after 4.0.0-beta.3).
//!
//! ```text
//! begin(bulked) ─ results ─ results ─ … ─ end(status)
//! ```

use values::Str;

use crate::graphson::{self, Dialect, Version};
use crate::message::{Args, Properties, Results};
use crate::{DecodeError, EncodeError, WireValue, graphbinary, memory};

/// How messages of 4.0 are encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// GraphBinary 4.0.
    GraphBinary,
    /// GraphSON 4.0, with types or without.
    GraphSon {
        /// Whether values say their types.
        typed: bool,
    },
}

/// The mime types by which clients name formats. The first of a format is its canonical one.
const MIME_TYPES: [(&str, Format); 4] = [
    ("application/vnd.graphbinary-v4.0", Format::GraphBinary),
    ("application/vnd.gremlin-v4.0+json", Format::GraphSon { typed: true }),
    ("application/vnd.gremlin-v4.0+json;types=true", Format::GraphSon { typed: true }),
    ("application/vnd.gremlin-v4.0+json;types=false", Format::GraphSon { typed: false }),
];

/// What a client asks.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The script.
    pub gremlin: Str,
    /// What else it says, such as `g`, `parameters` and `timeoutMillis`.
    pub fields: Args,
}

/// How a request went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// An HTTP status code.
    pub code: u16,
    /// For people; empty when all is well.
    pub message: Str,
    /// For programs; empty when all is well.
    pub exception: Str,
}

impl Status {
    /// All is well.
    pub fn ok() -> Self {
        Self { code: 200, message: Str::new(), exception: Str::new() }
    }
}

/// What a client reads.
#[derive(Clone, Debug, PartialEq)]
pub struct Response {
    /// Results, each with how often it occurs.
    pub results: Vec<(WireValue, i64)>,
    /// Whether they came with that number.
    pub bulked: bool,
    /// How it went.
    pub status: Status,
}

impl Format {
    /// The format of that mime type, which is one of 4.0's own.
    pub fn from_mime(mime: &str) -> Option<Self> {
        let mime = crate::format::plain_mime(mime);
        MIME_TYPES.iter().find(|(name, _)| *name == mime).map(|(_, format)| *format)
    }

    /// The canonical mime type.
    pub fn mime(self) -> &'static str {
        // Each format is in the table.
        MIME_TYPES.iter().find(|(_, format)| *format == self).map_or(MIME_TYPES[0].0, |(name, _)| *name)
    }

    fn dialect(typed: bool) -> Dialect {
        Dialect { version: Version::V4, typed }
    }

    /// About how many bytes of memory a request takes when it is decoded: more for usual ones.
    pub fn memory_of(self, body: &[u8]) -> usize {
        match self {
            Self::GraphBinary => memory::of_binary(body),
            Self::GraphSon { .. } => memory::of_json(body),
        }
    }

    /// Decodes a request that fills `body`.
    ///
    /// # Errors
    /// With the place of the first problem.
    pub fn decode_request(self, body: &[u8]) -> Result<Request, DecodeError> {
        match self {
            Self::GraphBinary => graphbinary::four::decode_request(body),
            Self::GraphSon { .. } => graphson::four::decode_request(body),
        }
    }

    /// Appends a request to `out`.
    ///
    /// # Errors
    /// When a field cannot be expressed.
    pub fn encode_request(self, request: &Request, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        match self {
            Self::GraphBinary => graphbinary::four::encode_request(request, out),
            Self::GraphSon { typed } => graphson::four::encode_request(request, Self::dialect(typed), out),
        }
    }

    /// Whether its results can say how often they occur.
    pub fn has_bulks(self) -> bool {
        self == Self::GraphBinary
    }

    /// Appends what a response begins with. `bulked`: its results say how often they occur, which only some formats can.
    pub fn begin(self, bulked: bool, out: &mut Vec<u8>) {
        match self {
            Self::GraphBinary => graphbinary::four::begin(bulked, out),
            Self::GraphSon { typed } => graphson::four::begin(Self::dialect(typed), out),
        }
    }

    /// Appends results to a response: traversers to one that is bulked, values to another. `are_first`: none were before.
    ///
    /// # Errors
    /// When a value cannot be expressed; `out` then ends in the middle of it.
    pub fn results(
        self,
        results: Results<'_>,
        properties: Properties,
        are_first: bool,
        out: &mut Vec<u8>,
    ) -> Result<(), EncodeError> {
        match self {
            Self::GraphBinary => graphbinary::four::results(results, properties, out),
            Self::GraphSon { typed } => {
                graphson::four::results(results, properties, Self::dialect(typed), are_first, out)
            }
        }
    }

    /// Appends what a response ends with.
    pub fn end(self, status: &Status, out: &mut Vec<u8>) {
        match self {
            Self::GraphBinary => graphbinary::four::end(status, out),
            Self::GraphSon { typed } => graphson::four::end(status, Self::dialect(typed), out),
        }
    }

    /// Decodes a response that fills `body`.
    ///
    /// # Errors
    /// With the place of the first problem.
    pub fn decode_response(self, body: &[u8]) -> Result<Response, DecodeError> {
        match self {
            Self::GraphBinary => graphbinary::four::decode_response(body),
            Self::GraphSon { .. } => graphson::four::decode_response(body),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn canonical_mime_types_name_their_formats_and_no_others_do() {
        for (name, format) in MIME_TYPES {
            assert_eq!(Format::from_mime(name), Some(format));
            assert_eq!(Format::from_mime(format.mime()), Some(format));
            assert_eq!(crate::Format::from_mime(name), None, "3.x has its own");
        }
        assert_eq!(
            Format::from_mime("Application/vnd.gremlin-v4.0+json; types=false; charset=utf-8"),
            Some(Format::GraphSon { typed: false })
        );
        assert_eq!(Format::from_mime("application/json"), None);
    }
}
