#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints a program of this folder as OpenCV's form for a bug report asks for it: title, system, description, program.
Of a tutorial it prints the text with the code that each `@snippet FILE NAME` stands for, as OpenCV's pages show it.

usage: form.py PROGRAM|TUTORIAL
"""

import ast
import pathlib
import platform
import re
import sys


def parts(path):
    """Title, description and program of a file."""
    text = path.read_text()
    if path.suffix == ".py":
        head = ast.get_docstring(ast.parse(text))
        body = text.split('"""', 2)[2]
    else:
        comment = re.match(r"(?://[^\n]*\n)+", text)[0]
        head = re.sub(r"^// ?", "", comment, flags=re.M)
        body = text[len(comment) :]
    title, _, description = head.partition("\n\n")
    return title.strip(), description.strip(), body.strip()


def filled(page):
    """A tutorial with its code."""

    def code(match):
        return "```cpp\n" + (page.parent / match[1]).read_text().split(f"//! [{match[2]}]\n")[1] + "```"

    return re.sub(r"^@snippet (\S+) (\S+)$", code, page.read_text(), flags=re.M)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    path = pathlib.Path(sys.argv[1])
    if path.suffix == ".md":
        print(filled(path), end="")
        return
    import cv2  # a tutorial does without

    title, description, program = parts(path)
    language = {".py": "python", ".cpp": "cpp"}[path.suffix]
    print(f"{title}\n\n### System Information\n\nOpenCV {cv2.__version__}, {platform.platform()}")
    print(f"Python {platform.python_version()}\n\n### Detailed description\n\n{description}")
    print(f"\n### Steps to reproduce\n\n```{language}\n{program}\n```\n\nIt prints `wrong: ...`, and `right: ...` once it is mended.")


if __name__ == "__main__":
    main()
