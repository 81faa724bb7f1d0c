"""Refuse words of the old private language, listed in tools/language.toml, in names and messages.

    .venv/bin/python -m tools.language

Folders and files that are `pending` in that list are not renamed yet, and passed over; `--pending` writes them anew.
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
LIST = ROOT / "tools" / "language.toml"
FOLDERS = ("memsite", "memories", "sessions", "memsite_client", "bench", "tools", "tests", "templates")
WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
TAG = re.compile(r"{[{%#].*?[}%#]}|<[^>]*>", re.DOTALL)
"""What is not text in a template."""


@dataclass(frozen=True)
class Language:
    """The refused words, each with the term to use instead, and the paths that are passed over."""

    pending: list[str]
    modules: dict[str, str]
    names: dict[str, str]
    words: dict[str, str]
    phrases: dict[str, str]
    allowed: dict[str, list[str]]

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        phrases = sorted(map(re.escape, self.phrases), key=len, reverse=True)
        return re.compile(rf"\b(?:{'|'.join(phrases)})\b", re.IGNORECASE)

    def is_pending(self, where: str) -> bool:
        return any(is_within(where, path) for path in self.pending)

    def refused_name(self, name: str) -> str | None:
        """Return what to use instead of an identifier; None if it is fine."""
        parts = (self.words.get(word.lower()) for word in WORD.findall(name))
        return self.names.get(name) or next(filter(None, parts), None)

    def check_file(self, where: str, text: str) -> Iterator[str]:
        """Yield a line for each refused word in a file."""
        allowed = {name for path, names in self.allowed.items() if is_within(where, path) for name in names}
        for part in Path(where).with_suffix("").parts[1:]:
            if part in self.modules and part not in allowed:
                yield f"{where}: module {part}: {self.modules[part]}"
        strings = [(0, TAG.sub(" ", text))]
        if where.endswith(".py"):
            tree = ast.parse(text)
            strings = list(strings_of(tree))
            for line, name in names_of(tree):
                if name not in allowed and (term := self.refused_name(name)):
                    yield f"{where}:{line}: {name}: {term}"
        for line, string in strings:
            for match in self.pattern.finditer(string):
                yield f"{where}:{line}: “{match[0]}”: {self.phrases[match[0].lower()]}"


def is_within(where: str, path: str) -> bool:
    """Return whether a file is this one, or lies in this folder."""
    return where == path or where.startswith(f"{path.rstrip('/')}/")


def names_of(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield (line, name) of what is defined: functions, classes, methods, parameters, variables, attributes."""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield node.lineno, name
            case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield node.lineno, name


def strings_of(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield (line, string) of each string that is no docstring and has more than one word."""
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        match node:
            case ast.Constant(str(text)) if id(node) not in docstrings and " " in text.strip():
                yield node.lineno, text


def read_language(path: Path = LIST) -> Language:
    values: Mapping[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    return Language(**values)


def files() -> Iterator[str]:
    """Yield the paths of what is checked, relative to the checkout."""
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            where = path.relative_to(ROOT)
            if path.suffix in (".py", ".html", ".txt") and not {"migrations", "build", "data"} & {*where.parts}:
                yield str(where)


def refused(language: Language, where: str) -> list[str]:
    return list(language.check_file(where, (ROOT / where).read_text(encoding="utf-8")))


def list_pending(language: Language) -> list[str]:
    """Return the folders of three levels, or files above those, in which something is refused."""
    return sorted({"/".join(Path(where).parts[:3]) for where in files() if refused(language, where)})


def write_pending(paths: list[str]) -> None:
    """Put the list, which begins the file of words, in the place of the one before."""
    lines = "".join(f'    "{path}",\n' for path in paths)
    text = re.sub(r"^pending = \[.*?^\]\n", f"pending = [\n{lines}]\n", LIST.read_text(), count=1, flags=re.M | re.S)
    LIST.write_text(text, encoding="utf-8")


def main(arguments: list[str]) -> int:
    """Return 1 if something is refused outside of what is pending."""
    language = read_language()
    if arguments == ["--pending"]:
        write_pending(list_pending(language))
        return 0
    problems = [problem for where in files() if not language.is_pending(where) for problem in refused(language, where)]
    print("\n".join(problems), end="\n" if problems else "")  # noqa: T201  # a command
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
