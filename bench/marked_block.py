# SPDX-License-Identifier: Apache-2.0
"""The part of a page that a script writes, between its two marks."""
import sys


def replace(page, begin, end, block, words):
    """Ends the script. `words`: those of the command line behind the page; with --check nothing is written, and the exit code is 1 where the page has another block."""
    text = page.read_text()
    before, rest = text.split(begin)
    made = before + begin + block + end + rest.split(end)[1]
    if words == ["--check"]:
        sys.exit(0 if made == text else 1)
    page.write_text(made)
