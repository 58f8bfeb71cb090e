"""Writes the files beside it, with pyarrow: `python make.py` (see README.md)."""

import datetime as dt
import decimal
import uuid

import pyarrow as pa
import pyarrow.parquet as pq

UTC = dt.timezone.utc
D = decimal.Decimal
ID = uuid.UUID("6ba7b810-9dad-11d1-80b4-00c04fd430c8")
NOON = dt.datetime(2010, 5, 1, 12, 30, 15)
COUNT = 40


def people():
    """Forty people, of whom each third has hardly anything."""
    rows = range(COUNT)
    some = lambda make: [None if row % 3 == 2 else make(row) for row in rows]
    column = lambda values, kind: pa.array(values, kind)
    when = lambda row: NOON + dt.timedelta(days=row, microseconds=1000 * row)
    columns = {
        "pid:ID": column([row * 10 for row in rows], pa.int64()),
        ":LABEL": column(["robot" if row == 1 else "person" for row in rows], pa.string()),
        "name": column(some(lambda row: f"näme {row % 5}"), pa.string()),
        "empty": column(some(lambda row: ""), pa.string()),
        "ok": column(some(lambda row: row % 2 == 0), pa.bool_()),
        "byte": column(some(lambda row: row - 20), pa.int8()),
        "short": column(some(lambda row: -300 * row), pa.int16()),
        "int": column(some(lambda row: 70_000 * row), pa.int32()),
        "long": column(some(lambda row: -5_000_000_000 * row), pa.int64()),
        "ubyte": column(some(lambda row: 255 - row), pa.uint8()),
        "ushort": column(some(lambda row: 65_535 - row), pa.uint16()),
        "uint": column(some(lambda row: 4_294_967_295 - row), pa.uint32()),
        "ulong": column(some(lambda row: 18_446_744_073_709_551_615 - row), pa.uint64()),
        "float": column(some(lambda row: row / 4), pa.float32()),
        "double": column(some(lambda row: row / 8 + 1e300), pa.float64()),
        "day": column(some(lambda row: dt.date(1969, 12, 31) + dt.timedelta(days=row)), pa.date32()),
        "ms": column(some(when), pa.timestamp("ms")),
        "us": column(some(lambda row: when(row).replace(tzinfo=UTC)), pa.timestamp("us", "UTC")),
        "ns": column(some(lambda row: when(row).replace(tzinfo=UTC)), pa.timestamp("ns", "Europe/Berlin")),
        "money": column(some(lambda row: D(f"{row * 7 - 100}e-2")), pa.decimal128(9, 2)),
        "much": column(some(lambda row: D(f"-{10**30 + row}e-5")), pa.decimal128(38, 5)),
        "uuid": column(some(lambda row: ID.bytes), pa.binary(16)).cast(pa.uuid()),
        "bytes:string": column(some(lambda row: f"b{row}".encode()), pa.binary()),
        "tags": column(some(lambda row: [[], ["a", ""], ["b", None, "c;d"]][row // 3 % 3]), pa.list_(pa.string())),
        "counts:int[]": column(some(lambda row: list(range(row % 4))), pa.list_(pa.int64())),
        "nothing": pa.nulls(COUNT),
        "left:IGNORE": column([{"a": row} for row in rows], pa.struct([("a", pa.int32())])),
    }
    return pa.table(columns)


def knows():
    """Each knows the next one."""
    ids = [row * 10 for row in range(COUNT)]
    return pa.table({
        ":START_ID": pa.array(ids[:-1], pa.int64()),
        ":END_ID": pa.array(ids[1:], pa.int64()),
        "since": pa.array([dt.date(2010, 1, 1)] * (COUNT - 1), pa.date32()),
        "weights": pa.array([[0.5, row] for row in range(COUNT - 1)], pa.list_(pa.float64())),
    })


def write(name, table, **options):
    pq.write_table(table, f"{name}.parquet", **options)


DELTA = {
    **{name: "DELTA_BINARY_PACKED" for name in ["pid:ID", "int", "long", "ms", "day", "ulong"]},
    "name": "DELTA_BYTE_ARRAY",
    "empty": "DELTA_LENGTH_BYTE_ARRAY",
    "tags.list.element": "DELTA_BYTE_ARRAY",
    "float": "BYTE_STREAM_SPLIT",
    "double": "BYTE_STREAM_SPLIT",
    "bytes:string": "DELTA_LENGTH_BYTE_ARRAY",
    "ok": "RLE",
}

people = people()
write("people-plain", people, compression="none", use_dictionary=False)
write("people-snappy", people, compression="snappy", row_group_size=7)
write("people-zstd", people, compression="zstd", data_page_version="2.0", write_page_checksum=True)
write("people-gzip", people, compression="gzip", data_page_version="2.0", data_page_size=64, write_batch_size=8)
write("people-delta", people, compression="zstd", use_dictionary=False, column_encoding=DELTA)
write("people-old", people, compression="snappy", version="1.0", use_compliant_nested_type=False, use_deprecated_int96_timestamps=True)
write("knows", knows(), compression="snappy")
write("packed-lz4", knows(), compression="lz4")

nested = {
    "map": pa.array([[("k", 1)]], pa.map_(pa.string(), pa.int32())),
    "struct": pa.array([{"a": 1}], pa.struct([("a", pa.int32())])),
    "lists": pa.array([[[1]]], pa.list_(pa.list_(pa.int32()))),
    "time": pa.array([dt.time(1, 2)], pa.time64("us")),
    "half": pa.array([1.5], pa.float16()),
    "blob": pa.array([b"\xff"], pa.binary()),
}
for name, column in nested.items():
    write(f"odd-{name}", pa.table({":ID": pa.array([1]), name: column}), compression="none")
