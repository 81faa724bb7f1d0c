"""What the memory tool answers, word for word as the vendor's own: of files' texts, and of nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from memories.compat.memory_tool.paths import Refused, is_below

MOST_LINES = 999_999
NUMBER_WIDTH = 6
LEVELS = 2
AROUND = 2
"""Lines shown before and after the one that was changed."""
UNITS = "BKMG"


def show_folder(path: str, sizes: Mapping[str, int]) -> str:
    """Two levels of what is in it, by name. `sizes` are the bytes of each file below it, by path."""
    folder = path.rstrip("/")
    header = f"Here're the files and directories up to 2 levels deep in {path}, excluding hidden items:"
    lines = [f"{show_size(sum(sizes.values()))}\t{folder}"]
    lines += [f"{show_size(size)}\t{folder}{rest}" for rest, size in entries(sizes)]
    return "\n".join([header, *lines])


def entries(sizes: Mapping[str, int]) -> list[tuple[str, int]]:
    """`/name` of each file and `/name/` of each folder, with its bytes. `sizes` by what follows the folder's path."""
    found: dict[str, int] = {}
    for rest, size in sizes.items():
        names = rest.strip("/").split("/")
        for level in range(1, min(LEVELS, len(names)) + 1):
            if any(name.startswith(".") for name in names[:level]):
                break
            entry = "/" + "/".join(names[:level]) + ("/" if level < len(names) else "")
            found[entry] = found.get(entry, 0) + size
    return sorted(found.items(), key=lambda entry: entry[0].split("/"))


def show_size(size_bytes: int) -> str:
    unit = min(max(size_bytes.bit_length() - 1, 0) // 10, len(UNITS) - 1)
    size = size_bytes / 1024**unit
    return f"{size:.0f}{UNITS[unit]}" if size == int(size) else f"{size:.1f}{UNITS[unit]}"


def show_file(path: str, text: str, view_range: Sequence[int] | None) -> str:
    """Its lines with their numbers; those of `view_range` [first, last], where -1 is the last there is."""
    lines = text.split("\n")
    if len(lines) > MOST_LINES:
        raise Refused(f"File {path} exceeds maximum line limit of 999,999 lines.")
    first, last = view_range if view_range and len(view_range) == 2 else (1, -1)
    start = max(1, first) - 1
    shown = lines[start : len(lines) if last == -1 else max(last, 0)]
    return f"Here's the content of {path} with line numbers:\n" + "\n".join(numbered(shown, start + 1))


def numbered(lines: Sequence[str], first: int) -> Iterator[str]:
    return (f"{number:>{NUMBER_WIDTH}}\t{line}" for number, line in enumerate(lines, first))


def replaced(path: str, text: str, old: str, new: str) -> tuple[str, str]:
    """(the text with the one `old` replaced, what to answer)."""
    count = text.count(old) if old else 0
    if not count:
        raise Refused(f"No replacement was performed, old_str `{old}` did not appear verbatim in {path}.")
    places = [text.count("\n", 0, position) + 1 for position in positions(text, old)]
    if count > 1:
        where = ", ".join(map(str, places))
        raise Refused(
            f"No replacement was performed. Multiple occurrences of old_str `{old}` in lines: {where}. "
            "Please ensure it is unique"
        )
    changed = text.replace(old, new, 1)
    lines, at = changed.split("\n"), places[0] - 1
    start = max(0, at - AROUND)
    snippet = "\n".join(numbered(lines[start : at + AROUND + 1], start + 1))
    told = "The memory file has been edited. Here is the snippet showing the change (with line numbers):"
    return changed, f"{told}\n{snippet}"


def positions(text: str, part: str) -> Iterator[int]:
    """Of each, also of those that overlap."""
    position = text.find(part)
    while position != -1:
        yield position
        position = text.find(part, position + 1)


def inserted(text: str, line: int, new: str) -> str:
    """The text with `new` after this line; 0 is before the first."""
    lines = text.removesuffix("\n").split("\n") if text else []
    if not 0 <= line <= len(lines):
        raise Refused(f"Invalid `insert_line` parameter: {line}. It should be within the range [0, {len(lines)}].")
    lines.insert(line, new.rstrip("\n"))
    return "\n".join(lines).removesuffix("\n") + "\n"


def below(folder: str, sizes: Mapping[str, int]) -> dict[str, int]:
    """The files in this folder, by what follows its path."""
    return {path[len(folder) :]: size for path, size in sizes.items() if is_below(path, folder)}
