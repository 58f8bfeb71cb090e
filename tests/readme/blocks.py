"""The examples of a page: what stands between fences, and what it says that it prints."""

import dataclasses
import re

FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PRINTS = re.compile(r"(?:#|//) prints (.*)$", re.MULTILINE)


@dataclasses.dataclass(frozen=True)
class Block:
    language: str
    text: str
    line: int

    @property
    def printed(self):
        """The lines that it says it prints: `# prints this, then that`."""
        return [line for said in PRINTS.findall(self.text) for line in said.split(", then ")]


def blocks(page):
    return [Block(found[1], found[2], page.count("\n", 0, found.start()) + 2) for found in FENCE.finditer(page)]
