"""Prints what pyarrow finds in the Parquet files of a directory: columns with their types, and rows."""

import pathlib
import sys

import pyarrow.parquet as pq

for path in sorted(pathlib.Path(sys.argv[1]).glob("*.parquet")):
    table = pq.read_table(path)
    print(f"{path.name}:", ", ".join(f"{field.name} {field.type}" for field in table.schema))
    for row in table.to_pylist():
        print(" ", " | ".join(str(value) for value in row.values()))
