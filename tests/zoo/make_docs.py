"""Writes docs/binding-bugs.md from zoo.toml; with --check it only says whether the file is up to date.

Needs nothing but Python 3.11.
"""

import argparse
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

ZOO = Path(__file__).resolve().parent
PAGE = ZOO.parents[1] / "docs" / "binding-bugs.md"

INTRODUCTION = """\
# Bugs of bindings

<!-- Made from tests/zoo/zoo.toml by tests/zoo/make_docs.py: change it there. -->

Bindings go wrong quietly: shapes fit, nothing is thrown, and the loss falls. These are bugs, what they do,
and what `crossbind conform` says of each. Those that a released binding or converter had say which, with the
public report; of the others, which could happen, no report is known to us. All of them stand in `tests/zoo/`
as a switch of a worker, and a test runs `conform` on every one: it must find it and say where.

To see one:

```sh
python=$(ls -d ~/.cache/crossbind/shared/pytorch-*/bin/python)    # made by crossbind setup pytorch/python
crossbind conform --model lenet1 -- $python tests/zoo/zoo_worker.py --bug transposed-linear
```

| bug | met | found by | where |
|---|---|---|---|
"""

Bug = Mapping[str, Any]


def anchor(title: str) -> str:
    """As the headings of Markdown get them."""
    kept = (c for c in title.lower() if c.isalnum() or c in " -_")
    return "".join(kept).replace(" ", "-")


def place(verdict: Bug) -> str:
    """What conform must say, without its numbers."""
    unit = "batch" if verdict["part"] == "loader" else "step"
    words = [verdict["kind"]]
    if "step" in verdict:
        words.append(f"{unit} {verdict['step']}")
    if "layer" in verdict:
        words.append(f"layer `{verdict['layer']}`")
    return ", ".join(words)


def row(bug: Bug) -> str:
    verdict = bug["verdict"]
    met = "yes" if bug["seen"] else "could happen"
    return f"| [{bug['title']}](#{anchor(bug['title'])}) | {met} | {verdict['part']} | {place(verdict)} |\n"


def section(bug: Bug) -> Iterator[str]:
    yield f"\n## {bug['title']}\n\n"
    for name in ("symptom", "cause", "avoid"):
        yield f"*{name.capitalize()}*: {bug[name]}\n\n"
    met = f"{'; '.join(bug['seen'])}." if bug["seen"] else "no report is known to us."
    yield f"*Seen*: {met}\n\n"
    yield f"*Shown by* `--model {bug['model']}` (`{bug['name']}`):\n\n"
    yield f"```\n{bug['says']}\n```\n"


def page(bugs: list[Bug]) -> str:
    return "".join([INTRODUCTION, *map(row, bugs), *(text for bug in bugs for text in section(bug))])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; 1 when it is not up to date")
    check = parser.parse_args().check
    made = page(tomllib.loads((ZOO / "zoo.toml").read_text())["bug"])
    if check:
        if not PAGE.exists() or PAGE.read_text() != made:
            print(f"{PAGE} is not up to date: python3 tests/zoo/make_docs.py", file=sys.stderr)
            return 1
        return 0
    PAGE.write_text(made)
    return 0


if __name__ == "__main__":
    sys.exit(main())
