"""The full-text index beside the memories: made and kept by the database, so that no write can miss it.

SQLite: an FTS5 table over a view, with porter stemming. It holds the app as a word of its own, so that a search
reads only the postings of one app (measured: 119 ms → 1.5 ms at 100,000 memories).

PostgreSQL: a generated tsvector beside the memory with a GIN index, and the same words in it: split at whatever is no
letter or digit, without diacritics, stemmed by porter, none left out; and the app's own, which no text can hold.

In both, each character of a script that is written without spaces is a word.
"""

from memories.language.scripts import CHARACTERS, RANGES
from memsite.tenancy.append_only import TriggerOperation
from memsite.tenancy.row_level_security import SETTING, SITE

TABLE = "memories_fulltext"
SOURCE = "memories_fulltext_source"
MEMORY = "memories_memory"
WORDS = "words"
"""PostgreSQL's column, which no model names."""
COLUMNS = ("app", "content", "subject", "tags")


def app_word(app_pk: int | str) -> str:
    return f"app{app_pk}"


ESCAPE = r"\u"
BLOCK = 256
"""Characters that are read at a time: SQLite counts them from the front to find one."""


def indexed_as(**options: str) -> str:
    """Return what SQLite's table is made as."""
    given = {**options, "tokenize": "porter unicode61 remove_diacritics 2"}
    arguments = [*COLUMNS, *(f"{name}='{value}'" for name, value in given.items())]
    return f"fts5({', '.join(arguments)})"


def row(alias: str) -> str:
    """Return the values of COLUMNS for a memory row, as SQL."""
    subject = f"coalesce({alias}.subject, '')"
    return f"'app' || {alias}.app_id, {content(alias, subject)}, {subject}, {alias}.tags"


def content(alias: str, subject: str) -> str:
    """Return SQL of the content.

    A character that is a word has a space on both sides; there, and where tags have letters beyond ASCII, which are
    kept as escapes, subject and tags are written out with it.
    """
    # Most rows are ASCII, which is told at once. A tag at a time: FTS5 reads what it is an index of without tables such
    # as `json_each`.
    beyond = f"length({alias}.content || {subject}) < length(CAST({alias}.content || {subject} AS BLOB))"
    sign = "substr(block, number, 1)"
    return f"""CASE WHEN {beyond} AND {alias}.content || {subject} GLOB '*[{CHARACTERS}]*'
OR {alias}.tags LIKE '%{ESCAPE}%' THEN (WITH RECURSIVE tag (place, said) AS (
SELECT 0, json_extract({alias}.tags, '$[0]') UNION ALL
SELECT place + 1, json_extract({alias}.tags, '$[' || (place + 1) || ']') FROM tag
WHERE place + 1 < json_array_length({alias}.tags)
), told (said) AS MATERIALIZED (
SELECT {alias}.content || ' ' || {subject} || ' ' || (SELECT coalesce(group_concat(said, ' '), '') FROM tag)
), letter (at, number, block) AS (
SELECT 1, 1, substr(said, 1, {BLOCK}) FROM told UNION ALL
SELECT at + (number = {BLOCK}) * {BLOCK}, number % {BLOCK} + 1,
CASE number WHEN {BLOCK} THEN (SELECT substr(said, at + {BLOCK}, {BLOCK}) FROM told) ELSE block END
FROM letter WHERE {sign} <> ''
) SELECT group_concat(CASE WHEN {sign} GLOB '[{CHARACTERS}]' THEN ' ' || {sign} || ' ' ELSE {sign} END, '') FROM letter
) ELSE {alias}.content END"""


def source() -> list[str]:
    """Return SQL of what the index is read from, and of the triggers that keep it.

    A memory without content, in the cold archive, is not in the index: a row is taken out by what it was put in with.
    """
    names = ", ".join(COLUMNS)
    add = f"INSERT INTO {TABLE} (rowid, {names}) SELECT NEW.id, {row('NEW')} WHERE NEW.content <> '';"
    remove = (
        f"INSERT INTO {TABLE} ({TABLE}, rowid, {names}) SELECT 'delete', OLD.id, {row('OLD')} WHERE OLD.content <> '';"
    )
    return [
        f"CREATE VIEW {SOURCE} (id, {names}) AS SELECT id, {row(MEMORY)} FROM {MEMORY} WHERE content <> ''",
        f"CREATE TRIGGER {TABLE}_insert AFTER INSERT ON {MEMORY} BEGIN {add} END",
        f"CREATE TRIGGER {TABLE}_delete AFTER DELETE ON {MEMORY} BEGIN {remove} END",
        f"CREATE TRIGGER {TABLE}_update AFTER UPDATE OF content, subject, tags ON {MEMORY} BEGIN {remove} {add} END",
    ]


def no_source() -> list[str]:
    triggers = [f"DROP TRIGGER IF EXISTS {TABLE}_{event}" for event in ("insert", "delete", "update")]
    return [*triggers, f"DROP VIEW IF EXISTS {SOURCE}"]


# By their numbers, as PostgreSQL's patterns have them: its databases are in UTF-8, which `normalize` asks for, too.
ESCAPED = "".join(rf"\U{first:08x}-\U{last:08x}" for first, last in RANGES)
# Letters with a mark become the letter and the mark, which then is no letter any more; those of Korean stay together,
# also where they were typed apart.
PLAIN = rf"""CREATE OR REPLACE FUNCTION memsite_plain(told text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
SELECT regexp_replace(regexp_replace(normalize(regexp_replace(normalize(told, NFC), '([{ESCAPED}])', ' \1 ', 'g'), NFD),
'[\u0300-\u036f]+', '', 'g'), '[^[:alnum:]]+', ' ', 'g')
$$"""
# Words that wait to be put into the index are read by each search as well: after some thousand memories that took
# longer than all else, and putting them in at once costs a write nothing that could be measured.
WORDS_INDEX = f"CREATE INDEX {{}} {TABLE} ON {MEMORY} USING gin ({WORDS}) WITH (fastupdate = off)"


def search_vector(row: str = "") -> str:
    """Return SQL of what PostgreSQL's column holds for a row; with its alias and a dot, where there are more tables."""
    text = f"{row}content || ' ' || coalesce({row}subject, '') || ' ' || {row}tags::text"
    return f"CASE WHEN {row}content <> '' THEN public.memsite_words({row}app_id, {text}) END"


POSTGRES = [
    "CREATE TEXT SEARCH DICTIONARY memsite_stem (TEMPLATE = snowball, Language = porter)",
    "CREATE TEXT SEARCH CONFIGURATION memsite (PARSER = default)",
    # Of what the parser tells apart, only this is left where every sign is a space.
    "ALTER TEXT SEARCH CONFIGURATION memsite ADD MAPPING FOR asciiword, word, numword, uint WITH memsite_stem",
    PLAIN,
    """CREATE FUNCTION memsite_words(app bigint, told text) RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
SELECT array_to_tsvector(ARRAY['#' || app]) || to_tsvector('public.memsite', public.memsite_plain(told))
$$""",
    """CREATE FUNCTION memsite_query(app bigint, word text) RETURNS tsquery LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
SELECT CASE WHEN numnode(found) > 0 THEN quote_literal('#' || app)::tsquery && found END
FROM phraseto_tsquery('public.memsite', public.memsite_plain(word)) AS found
$$""",
    f"ALTER TABLE {MEMORY} ADD COLUMN {WORDS} tsvector GENERATED ALWAYS AS ({search_vector()}) STORED",
    WORDS_INDEX.format(""),
]
NO_POSTGRES = [
    "DROP FUNCTION IF EXISTS memsite_holders",
    f"DROP INDEX IF EXISTS {TABLE}",
    f"ALTER TABLE {MEMORY} DROP COLUMN IF EXISTS {WORDS}",
    "DROP FUNCTION IF EXISTS memsite_query, memsite_words, memsite_plain",
    "DROP TEXT SEARCH CONFIGURATION IF EXISTS memsite",
    "DROP TEXT SEARCH DICTIONARY IF EXISTS memsite_stem",
]

HOLDERS = f"""
CREATE OR REPLACE FUNCTION memsite_holders(app bigint, word text, most bigint) RETURNS text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
SELECT string_agg(id::text, ',') FROM (
    SELECT id FROM {MEMORY} WHERE {WORDS} @@ memsite_query(app, word)
    AND coalesce(nullif(current_setting('{SETTING}', true), ''), '{SITE}') IN ('{SITE}', app::text) LIMIT most
) AS found
$$"""
"""What holds a word, asked as the tables' owner; nothing of an app that the connection was not told of."""


class FullTextIndex(TriggerOperation):
    """The migration step."""

    def describe(self) -> str:
        return "Index memories by their words"

    def forwards(self, vendor: str) -> list[str]:
        if vendor != "sqlite":
            return [*POSTGRES, HOLDERS]
        table = indexed_as(content=SOURCE, content_rowid="id")
        return [f"CREATE VIRTUAL TABLE {TABLE} USING {table}", *source()]

    def backwards(self, vendor: str) -> list[str]:
        return [*no_source(), f"DROP TABLE IF EXISTS {TABLE}"] if vendor == "sqlite" else NO_POSTGRES
