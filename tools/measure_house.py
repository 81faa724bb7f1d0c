"""Print how large and how entangled the code is, beside the goals.

    .venv/bin/python -m tools.measure_house [FOLDER]

Product code is every Python file of memsite, memories, sessions and memsite_client, and manage.py, without migrations;
its lines are all lines. Functions are counted per 1,000 lines that are not blank, comment or docstring. On the code of
2026-11-28 these definitions give 826 files, 85.0k lines, 5 / 14 / 64, 98 functions per 1,000 lines, 315 and 152 files,
2 cycles, 5 imports that run upward and 290 `# fmt: skip`; docs are docs/**/*.md and README.md.
"""

from __future__ import annotations

import ast
import configparser
import re
import statistics
import sys
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("memsite", "memories", "sessions", "memsite_client")
SMALL_LINES = 40
JOINS_ALL = ("memsite.config.urls",)
"""What may import every layer: it puts the site together."""
CANDIDATE, QUERY = "files a candidate passes until it is a memory", "files a query passes until its answer"
GOALS = {
    "product code: files": "≤ 420",
    "product code: lines": "≤ 68k",
    "function median / p90 / max": "7–9 / ≤ 30 / ≤ 80",
    "functions per 1,000 lines": "≤ 65",
    "test : code lines": "keep (0.87)",
    "files with one importer": "≤ 110",
    f"files ≤ {SMALL_LINES} lines": "≤ 40",
    CANDIDATE: "≤ 18",
    QUERY: "≤ 14",
    "import cycles": "0",
    "imports that run upward": "0",
    "# fmt: skip": "≤ 20",
    "docs, words": "≤ 30k",
}
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
Imports = Mapping[str, Collection[str]]
"""Names of modules, and of those that each imports."""


@dataclass(frozen=True, slots=True)
class Module:
    """A module of the product: its name, its lines, its syntax tree."""

    name: str
    is_package: bool
    lines: list[str]
    tree: ast.Module

    def imported(self, modules: Mapping[str, Module]) -> set[str]:
        """Return the product's modules that it imports, inside functions and for type checkers too."""
        names: set[str] = set()
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                names.update(alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                source = self.source(node)
                inner = {f"{source}.{alias.name}" for alias in node.names}
                names.update(name if name in modules else source for name in inner)
        return names & modules.keys() - {self.name}

    def source(self, node: ast.ImportFrom) -> str:
        """Return the absolute name of what a `from` statement imports from."""
        parts = self.name.split(".")
        above = parts[: len(parts) - node.level + self.is_package] if node.level else []
        return ".".join([*above, node.module or ""]).strip(".")

    def function_lengths(self) -> Iterator[int]:
        """Yield the lines of each function and method, nested ones included, without decorators."""
        for node in ast.walk(self.tree):
            if isinstance(node, FUNCTIONS):
                yield (node.end_lineno or node.lineno) - node.lineno + 1

    def code_lines(self) -> int:
        """Count the lines that are not blank, comment or docstring."""
        skipped: set[int] = set()
        for node in ast.walk(self.tree):
            match node:
                case ast.Expr(ast.Constant(str())):
                    skipped.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
        lines = (line.strip() for number, line in enumerate(self.lines, 1) if number not in skipped)
        return sum(bool(line) and not line.startswith("#") for line in lines)


def main(arguments: list[str]) -> None:
    table = measure(Path(arguments[0]).resolve() if arguments else ROOT)
    width = max(map(len, table))
    for name, value in table.items():
        print(f"{name:{width}}  {value:>14}  goal {GOALS[name]}")  # noqa: T201  # a command


def measure(root: Path) -> dict[str, str]:
    """Return the value of each row of GOALS."""
    modules = read_modules(root)
    imports = {name: module.imported(modules) for name, module in modules.items()}
    lengths = sorted(length for module in modules.values() for length in module.function_lengths())
    lines = sum(len(module.lines) for module in modules.values())
    importers = Counter(target for targets in imports.values() for target in targets)
    values = [
        len(modules),
        f"{lines:,}",
        f"{statistics.median(lengths):.0f} / {lengths[len(lengths) * 9 // 10]} / {lengths[-1]}",
        round(len(lengths) / sum(module.code_lines() for module in modules.values()) * 1000),
        f"{sum(map(count_lines, (root / 'tests').rglob('*.py'))) / lines:.2f}",
        sum(importers[name] == 1 and not module.is_package for name, module in modules.items()),
        sum(len(module.lines) <= SMALL_LINES for module in modules.values()),
        walk_length(root, "candidate"),
        walk_length(root, "query"),
        count_cycles({name: targets for name, targets in imports.items() if not name.startswith("memsite_client")}),
        len(upward(imports, *read_layers(root))),
        sum("# fmt: skip" in line for module in modules.values() for line in module.lines),
        f"{sum(len(path.read_text().split()) for path in [*(root / 'docs').rglob('*.md'), root / 'README.md']):,}",
    ]
    return dict(zip(GOALS, map(str, values), strict=True))


def read_modules(root: Path) -> dict[str, Module]:
    """Return the product's modules by name."""
    paths = [path for package in PACKAGES for path in sorted((root / package).rglob("*.py"))]
    modules = {}
    for path in [*paths, root / "manage.py"]:
        where = path.relative_to(root)
        # Whoever has installed the client from this checkout has a `build` in it.
        if not {"migrations", "build"} & {*where.parts}:
            name = ".".join(where.with_suffix("").parts).removesuffix(".__init__")
            text = path.read_text(encoding="utf-8")
            modules[name] = Module(name, path.name == "__init__.py", text.splitlines(), ast.parse(text))
    return modules


def count_lines(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def walk_length(root: Path, word: str) -> str:
    """Count the files that ARCHITECTURE.md lists, in backticks, below the heading that has this word; "-" if none."""
    page = root / "ARCHITECTURE.md"
    text = page.read_text(encoding="utf-8") if page.exists() else ""
    section = re.search(rf"^#+ [^\n]*\b{word}\b.*?(?=^#|\Z)", text, re.MULTILINE | re.DOTALL | re.IGNORECASE)
    files = set(re.findall(r"^\d+\. `([\w/]+\.py)`", section[0], re.MULTILINE)) if section else set()
    return str(len(files)) if files else "-"


def count_cycles(imports: Imports) -> int:
    """Count the groups of modules that reach each other; those of the client name one another's types only."""
    reached = {name: reach(name, imports) for name in imports}
    groups = {frozenset(other for other in reached[name] if name in reached.get(other, ())) for name in imports}
    return len(groups - {frozenset()})


def reach(name: str, imports: Imports) -> set[str]:
    """Return what a module imports, directly or through others."""
    seen: set[str] = set()
    left = list(imports[name])
    while left:
        if (current := left.pop()) not in seen:
            seen.add(current)
            left.extend(imports.get(current, ()))
    return seen


def read_layers(root: Path) -> tuple[list[list[str]], list[tuple[str, str]]]:
    """Return the layers of the import contract, the highest first, and the imports that it ignores."""
    parser = configparser.ConfigParser(comment_prefixes="#")
    parser.read(root / ".importlinter")
    contract = next(parser[name] for name in parser.sections() if parser[name].get("type") == "layers")
    layers = [re.split(r"\s*[:|]\s*", line.strip()) for line in contract["layers"].strip().splitlines()]
    ignored = [line.split(" -> ") for line in contract.get("ignore_imports", "").strip().splitlines() if "->" in line]
    return layers, [(source.strip(), target.strip()) for source, target in ignored]


def upward(imports: Imports, layers: list[list[str]], ignored: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the imports of a higher layer. A module without a layer imports as from the highest of its package."""
    ranks = {package: number for number, layer in enumerate(layers) for package in layer}
    highest: dict[str, int] = {}
    for package, rank in ranks.items():
        highest.setdefault(package.partition(".")[0], rank)
    return [
        (name, target)
        for name, targets in imports.items()
        for target in targets
        if rank_of(name, highest | ranks, 0) > rank_of(target, ranks, len(layers)) and name not in JOINS_ALL
        if not any(fnmatch(name, source) and fnmatch(target, goal.replace("**", "*")) for source, goal in ignored)
    ]


def rank_of(module: str, ranks: Mapping[str, int], otherwise: int) -> int:
    """Return the rank of the nearest package that has one."""
    while module and module not in ranks:
        module = module.rpartition(".")[0]
    return ranks.get(module, otherwise)


if __name__ == "__main__":
    main(sys.argv[1:])
