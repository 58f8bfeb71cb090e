//! Type codes of version 1. Those of version 4 are some of them ([`super::version`]).

pub const INT: u8 = 0x01;
pub const LONG: u8 = 0x02;
pub const STRING: u8 = 0x03;
pub const DATE: u8 = 0x04;
pub const TIMESTAMP: u8 = 0x05;
pub const CLASS: u8 = 0x06;
pub const DOUBLE: u8 = 0x07;
pub const FLOAT: u8 = 0x08;
pub const LIST: u8 = 0x09;
pub const MAP: u8 = 0x0a;
pub const SET: u8 = 0x0b;
pub const UUID: u8 = 0x0c;
pub const EDGE: u8 = 0x0d;
pub const PATH: u8 = 0x0e;
pub const PROPERTY: u8 = 0x0f;
pub const GRAPH: u8 = 0x10;
pub const VERTEX: u8 = 0x11;
pub const VERTEX_PROPERTY: u8 = 0x12;
pub const BARRIER: u8 = 0x13;
pub const BINDING: u8 = 0x14;
pub const BYTECODE: u8 = 0x15;
pub const CARDINALITY: u8 = 0x16;
pub const COLUMN: u8 = 0x17;
pub const DIRECTION: u8 = 0x18;
pub const OPERATOR: u8 = 0x19;
pub const ORDER: u8 = 0x1a;
pub const PICK: u8 = 0x1b;
pub const POP: u8 = 0x1c;
pub const LAMBDA: u8 = 0x1d;
pub const P: u8 = 0x1e;
pub const SCOPE: u8 = 0x1f;
pub const T: u8 = 0x20;
pub const TRAVERSER: u8 = 0x21;
pub const BIG_DECIMAL: u8 = 0x22;
pub const BIG_INTEGER: u8 = 0x23;
pub const BYTE: u8 = 0x24;
pub const BYTE_BUFFER: u8 = 0x25;
pub const SHORT: u8 = 0x26;
pub const BOOLEAN: u8 = 0x27;
pub const TEXT_P: u8 = 0x28;
pub const TRAVERSAL_STRATEGY: u8 = 0x29;
pub const BULK_SET: u8 = 0x2a;
pub const TREE: u8 = 0x2b;
pub const METRICS: u8 = 0x2c;
pub const TRAVERSAL_METRICS: u8 = 0x2d;
pub const MERGE: u8 = 0x2e;
pub const DT: u8 = 0x2f;
pub const GTYPE: u8 = 0x30;
pub const CHAR: u8 = 0x80;
pub const DURATION: u8 = 0x81;
pub const INET_ADDRESS: u8 = 0x82;
pub const INSTANT: u8 = 0x83;
pub const LOCAL_DATE: u8 = 0x84;
pub const LOCAL_DATE_TIME: u8 = 0x85;
pub const LOCAL_TIME: u8 = 0x86;
pub const MONTH_DAY: u8 = 0x87;
pub const OFFSET_DATE_TIME: u8 = 0x88;
pub const OFFSET_TIME: u8 = 0x89;
pub const PERIOD: u8 = 0x8a;
pub const YEAR: u8 = 0x8b;
pub const YEAR_MONTH: u8 = 0x8c;
pub const ZONED_DATE_TIME: u8 = 0x8d;
pub const ZONE_OFFSET: u8 = 0x8e;
/// Between the results and the status of a response of version 4.
pub const MARKER: u8 = 0xfd;
/// Null of no type in particular.
pub const NULL: u8 = 0xfe;

/// The flag that a value follows.
pub const PRESENT: u8 = 0x00;
/// The flag of null.
pub const ABSENT: u8 = 0x01;
/// The flag that a value follows in another form: a list with bulks, a map whose order counts. Of version 4 alone.
pub const VARIANT: u8 = 0x02;
