"""The examples of the documentation, as they are printed."""

import contextlib
import io
import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests/readme"))

from blocks import blocks  # noqa: E402

EXAMPLES = [
    pytest.param(block, id=f"{page}:{block.line}")
    for page in ("README.md", "docs/python.md")
    for block in blocks((ROOT / page).read_text())
    if block.language == "py"
]


@pytest.mark.parametrize("block", EXAMPLES)
def test_an_example_prints_what_it_says(block, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(compile(block.text, "example", "exec"), {"__name__": "example"})
    assert said.getvalue().splitlines() == block.printed


def test_the_documentation_has_examples():
    assert len(EXAMPLES) >= 6
