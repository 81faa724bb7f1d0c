"""Learns the weights of memories/language/secrets/tagger.py: logistic regression over its hashed features.

    .venv/bin/python -m tools.train_secret_tagger --left-out s3_secrets_b
    .venv/bin/python -m tools.train_secret_tagger --write

Texts: tests/data/secrets (by several authors), the same with other values, what tools/secret_texts.tsv makes, and
ordinary texts of this repository. The first command leaves one author out and shows what is found of his texts, by
the rules, the model, and both, at each threshold; the second writes the weights.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import uuid
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memories.language import secrets
from memories.language.secrets import tagger
from memories.language.secrets.values import settle

ROOT = Path(__file__).parents[1]
DATA = ROOT / "tests" / "data" / "secrets"
TEXTS = Path(__file__).parent / "secret_texts.tsv"
COPIES, SWAPS, MOST_ORDINARY = 5, 4, 9_000
WEIGHT_OF_MADE = 0.3
"""What a made text counts beside one of an author."""
PENALTY, STEPS, MEMORY = 0.03, 100, 8
THRESHOLDS = (0.5, 1.0, 1.5, 2.0, 2.5)
CAPITALS = "ABCDEFGHJKLMNPQRSTUVWXYZ0123456789"
HEX = "0123456789abcdef"
SLOT = re.compile(r"\{([a-zA-Z]+)(\d*)\}")
USERS = (
    "admin guest jbaker reception frontdesk backup t.ashby redac office svc-print kasse caja cassa accueil presse info"
)


class Text(NamedTuple):
    text: str
    secrets: tuple[str, ...] = ()
    language: str = "en"
    author: str = ""


class Row(NamedTuple):
    """A candidate: which text it is of, whether it is a secret, its score's features, what it counts."""

    text: int
    form: str
    is_secret: bool
    features: NDArray[np.int64]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--left-out", nargs="*", default=[], help="authors, each left out in turn")
    options.add_argument("--unseen", type=Path, help="JSON lines of text and secrets, to measure on")
    options.add_argument("--write", action="store_true")
    options.add_argument("--show", action="store_true", help="print what is wrong at a threshold of 2")
    given = options.parse_args()
    labelled = read_labelled()
    for author in given.left_out:
        weights = learn([text for text in labelled if text.author != author])
        measure(author, [text for text in labelled if text.author == author], weights, show=given.show)
    if given.write or given.unseen:
        weights = learn(labelled)
        if given.write:
            tagger.WEIGHTS.write_bytes(quantised(weights).tobytes())
        if given.unseen:
            measure("unseen", list(read_lines(given.unseen)), weights, show=given.show)


def read_labelled() -> list[Text]:
    labelled = json.loads((DATA / "labelled.json").read_text(encoding="utf-8"))
    harmless = json.loads((DATA / "harmless.json").read_text(encoding="utf-8"))
    prose = json.loads((DATA / "said.json").read_text(encoding="utf-8"))
    rows = [(language, "labelled", case) for language, _, case in labelled]
    rows += [("en", "labelled", case) for _, case in harmless]
    rows += [
        (language, "written", in_lines(text))
        for (language, name), texts in lists().items()
        for text in texts
        if name in "+-" and not SLOT.search(text)
    ]
    return [marked(case, language, author) for language, author, case in (*rows, *prose)]


def in_lines(text: str) -> str:
    return text.replace("⏎", "\n").replace("⇥", "\t")


def marked(case: str, language: str, author: str) -> Text:
    """«…» is a secret; ¦ keeps the keys in a file from looking like keys."""
    case = case.replace("¦", "")
    return Text(re.sub("[«»]", "", case), tuple(re.findall("«([^»]*)»", case)), language, author)


def read_lines(file: Path) -> Iterator[Text]:
    for line in file.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        yield Text(row["text"], tuple(row["secrets"]), row.get("language", ""), file.stem)


def ordinary() -> list[Text]:
    """Return what people write and what is in files, without secrets."""
    texts: dict[str, None] = {}
    for file in (
        *ROOT.glob("bench/corpora/*.json"),
        *ROOT.glob("tests/data/judgement/*.json*"),
        *ROOT.glob("tests/data/*.jsonl"),
    ):
        content = file.read_text(encoding="utf-8")
        values = (
            [json.loads(line) for line in content.splitlines()] if file.suffix == ".jsonl" else [json.loads(content)]
        )
        texts.update((text, None) for value in values for text in secrets.texts_in(value) if " " in text)
    for file in (*ROOT.glob("docs/**/*.md"), *ROOT.glob("*.md")):
        texts.update((text, None) for text in file.read_text(encoding="utf-8").split("\n\n"))
    for file in (*ROOT.glob("memories/**/*.py"), *ROOT.glob("memsite/**/*.py")):
        lines = [] if "secret" in str(file.relative_to(ROOT)) else file.read_text(encoding="utf-8").splitlines()
        texts.update(("\n".join(lines[i : i + 8]), None) for i in range(0, len(lines), 8))
    chosen = [text for text in texts if 0 < len(text) < 1_500]
    random.Random(0).shuffle(chosen)  # noqa: S311  # the same texts each time
    return [Text(text) for text in chosen[:MOST_ORDINARY]]


@cache
def lists() -> dict[tuple[str, str], list[str]]:
    entries_of: dict[tuple[str, str], list[str]] = defaultdict(list)
    for line in TEXTS.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            language, name, entries = line.split("\t")
            entries_of[language, name] += [entries] if name in "+-" else entries.split(", ")
    return entries_of


class Maker:
    """Values of a language, and texts from templates: `{x}` calls the method of that name, `{d4}` is of 4 digits."""

    def __init__(self, language: str, source: random.Random) -> None:
        self.language, self.source = language, source
        self._name, self._name2 = source.sample(lists()[language, "names"], 2)

    def fill(self, template: str) -> str:
        return SLOT.sub(self._filled, template)

    def _filled(self, slot: re.Match[str]) -> str:
        name, size = slot[1], slot[2]
        if name == "d":
            return self.digits(int(size))
        made: Callable[[], str] = getattr(
            self, f"make_{name.lower() if name in ('W', 'WU') and not size else name}{size}"
        )
        value = made()
        return value[0].upper() + value[1:] if name == "W" else value.upper() if name == "WU" else value

    def digits(self, size: int) -> str:
        value = "".join(self.source.choices("0123456789", k=size))
        if size == 4 and self.source.random() < 0.25:
            return self.source.choice(("0000", "1234", "1999", "2580", "2004", "1984", "2021", "1515", "3030", "1212"))
        return value if size > 2 or value[0] != "0" else self.source.choice("123456789") + value[1:]

    def of(self, name: str) -> str:
        return self.source.choice(lists()[self.language, name])

    def some(self, alphabet: str, fewest: int, most: int) -> str:
        return "".join(self.source.choices(alphabet, k=self.source.randint(fewest, most)))

    def cjk(self) -> bool:
        return bool(lists()[self.language, "cjk"])

    def make_w(self) -> str:
        return self.of("words").lower()

    make_wu = make_w

    def make_m(self) -> str:
        """Return a password as people make them."""
        choice = self.source.choice
        if self.source.random() < 0.07:
            return self.some(CAPITALS + CAPITALS.lower(), 8, 14)
        a, b, third = self.make_w(), self.make_w(), self.make_w()
        big, second, symbol = a[0].upper() + a[1:], b[0].upper() + b[1:], choice("!@#$%&*+=_.?~-")
        number, year = self.some("0123456789", 1, choice((1, 2, 4))), str(self.source.randint(1940, 2032))
        leet = a.translate({ord("e"): "3", ord("o"): "0"} if choice((True, False)) else {ord("a"): "4", ord("i"): "1"})
        shapes = (
            *(a + number, big + number, big + symbol + second, big + symbol + number, a + second + number),
            *(big + second + number, a + b + number, f"{a}-{b}-{number}", a + symbol + b + number),
            *(big + symbol + second + number, f"{big}.{b}{number}", f"{a}_{b}", f"{a}_{number}", big + year),
            *(big + year + choice("!?"), leet + second, leet[0].upper() + leet[1:] + symbol + b, number + big + second),
            *(f"{big}-{second}-{number}", a + second, big + choice("=+%&*^~") + second, f"{big}-{second}"),
            *(f"{big}.{number}{number[:1]}", big + second + third, f"{big}-{self.of('grammar')}-{second}"),
            *(choice("#!$") + a + number, f"{big}={second}"),
        )
        return choice(shapes)

    def make_h(self) -> str:
        if self.source.random() < 0.35:
            return self.make_m()
        value = "-".join(self.make_w() for _ in range(self.source.choice((2, 3, 3, 4))))
        return value + self.source.choice(("", "-") if value.count("-") > 1 else ("-",)) + self.some("0123456789", 1, 3)

    def make_w2(self) -> str:
        return self.make_w() + (self.of("grammar") if self.source.random() < 0.5 else "") + self.make_w()

    def make_wordpair(self) -> str:
        return self.make_w() + self.make_w()

    def make_z(self) -> str:
        return self.of("cjk")

    def make_p(self) -> str:
        if self.cjk() and self.source.random() < 0.5:
            return "".join(self.of("cjk") for _ in range(3))
        if self.source.random() < 0.35:
            return " ".join(self.make_w() for _ in range(self.source.choice((3, 4, 4, 5))))
        sentence = [self.of("grammar"), self.make_w(), self.of("verbs"), self.of("grammar"), self.make_w()]
        return " ".join(sentence + [self.make_w()] * (self.source.random() < 0.5))

    def make_p2(self) -> str:
        return self.of("cjk") + self.of("cjk") if self.cjk() else f"{self.make_w()} {self.make_w()}"

    def make_p12(self) -> str:
        return " ".join(self.source.sample(lists()["en", "words"], 12))

    def make_a(self) -> str:
        if self.cjk():
            return self.of("cjk") + self.source.choice(("", "大将", "先生"))
        return f"{self.make_w()} {self.make_w()}".title()

    def make_dg(self) -> str:
        sizes, joint = self.source.choice(
            (
                ((3, 3), " "),
                ((1, 1, 1, 1), "-"),
                ((2, 2, 2), "-"),
                ((1,) * 5, " "),
                ((2, 2, 2), " "),
                ((4,), ""),
                ((1, 1, 1), "-"),
            )
        )
        return joint.join(self.some("0123456789", size, size) for size in sizes)

    def make_dl(self) -> str:
        letter, four = self.source.choice("ABCDEFKXY"), self.digits(4)
        two = self.digits(2)
        return self.source.choice(
            (four, letter + four, four + letter, f"{four}#", two + letter + two, f"{letter}-{four}", self.digits(5))
            + ((f"{letter}-{four}-X", f"{two}K{four}", f"{two} then {two}") if self.source.random() < 0.3 else ())
        )

    def make_pk(self) -> str:
        return self.some(CAPITALS[:24], 2, 2) + self.digits(2) + self.some(CAPITALS[:24], 1, 1)

    def make_pk4(self) -> str:
        return self.some(CAPITALS.lower(), 4, 4)

    def make_pk1(self) -> str:
        return self.some(CAPITALS[:24], 1, 1)

    def make_rc(self) -> str:
        upper = "-".join(self.some(CAPITALS, 4, 4) for _ in range(3))
        four, five = ("-".join(self.some(CAPITALS.lower(), n, n) for _ in range(2)) for n in (4, 5))
        return self.source.choice((upper, four, five, f"{self.digits(4)} {self.digits(4)}"))

    def make_blocks(self) -> str:
        if self.source.random() < 0.4:
            return f"{self.some(CAPITALS[:24], 2, 2)}-{self.digits(4)}-{self.make_w().upper()}"
        blocks = (self.some(CAPITALS, 4, 4) for _ in range(self.source.randint(2, 4)))
        return self.source.choice(" -").join(blocks)

    def make_spell(self) -> str:
        word = re.sub(r"\W", "", self.make_w())[:5] + self.some("0123456789", 1, 2)
        return self.source.choice((" ", "-", " - ", "、" if self.cjk() else " ")).join(word)

    def make_sp(self) -> str:
        if self.source.random() < 0.3:
            return (
                " ".join((self.of("tens"), self.of("tens")))
                if self.source.random() < 0.5
                else f"{self.of('tens')} {self.of('digits')} {self.of('digits')}"
            )
        return " ".join(self.of("digits") for _ in range(4))

    def make_tok(self) -> str:
        return self.some(CAPITALS + CAPITALS.lower(), 16, 40)

    def make_tokb(self) -> str:
        return self.some(CAPITALS + CAPITALS.lower(), 43, 43)

    def make_user(self) -> str:
        return self.source.choice(USERS.split())

    def make_name(self) -> str:
        return self._name

    def make_name2(self) -> str:
        return self._name2

    def make_t(self) -> str:
        return f"{self.source.randint(7, 22)}:{self.source.randint(10, 59)}"

    def make_year(self) -> str:
        return str(self.source.randint(1850, 2035))

    def make_payslip(self) -> str:
        return self.some(CAPITALS[:24], 4, 6) + self.some("0123456789", 2, 4)

    def make_shelf(self) -> str:
        """Where something stands."""
        return self.source.choice("ABC") + self.digits(2)

    def make_pair(self) -> str:
        return self.some("ABCXYZ", 2, 2)

    def make_inv(self) -> str:
        return self.source.choice(
            (f"2026-{self.digits(4)}", f"RE-{self.digits(5)}", f"{self.digits(4)}/{self.digits(2)}")
        )

    def make_sku(self) -> str:
        letters = self.some(CAPITALS[:24], 2, 2)
        return self.source.choice(
            (
                f"{letters}-{self.digits(4)}-A",
                f"{letters[0]}{self.digits(3)}-{self.digits(2)}",
                f"{self.digits(2)}-{self.digits(5)}",
                letters + self.digits(5),
            )
        )

    def make_flight(self) -> str:
        return (
            self.source.choice(("LH", "BA", "AF", "KL")) + self.source.choice(("", " ")) + self.some("123456789", 3, 4)
        )

    def make_jira(self) -> str:
        return f"{self.source.choice(('BELL', 'OPS', 'PAY', 'WEB'))}-{self.some('123456789', 2, 4)}"

    def make_hex7(self) -> str:
        return self.some(HEX, 7, 12)

    def make_hex40(self) -> str:
        return self.some(HEX, *self.source.choice(((40, 40), (64, 64))))

    def make_fingerprint(self) -> str:
        return self.some(HEX.upper(), 16, 16)

    def make_uuid(self) -> str:
        return str(uuid.UUID(int=self.source.getrandbits(128)))

    def make_mac(self) -> str:
        return ":".join(self.some(HEX, 2, 2) for _ in range(6))


def made_texts() -> Iterator[Text]:
    source = random.Random(3)  # noqa: S311
    for (language, name), templates in list(lists().items()):
        for template in filter(SLOT.search, templates) if name in "+-" else ():
            for _ in range(COPIES):
                case = in_lines(Maker(language, source).fill(template))
                if source.random() < 0.2:
                    case = "".join(
                        part if i % 2 else part.lower() for i, part in enumerate(re.split("(«[^»]*»)", case))
                    )
                yield marked(case, language, "made")


def swapped(texts: Sequence[Text]) -> Iterator[Text]:
    """Texts of authors with other values of the same form, made or of another text; without secrets, other figures."""
    source = random.Random(5)  # noqa: S311
    invented = [secret for text in texts for secret in text.secrets if is_invented(secret)]
    for text in texts:
        if text.secrets:
            for i in range(SWAPS):
                maker = Maker(text.language if lists()[text.language, "names"] else "en", source)
                values = [
                    source.choice(invented) if i % 2 and is_invented(secret) else like(secret, maker)
                    for secret in text.secrets
                ]
                changed = text.text
                for secret, value in zip(text.secrets, values, strict=True):
                    changed = changed.replace(secret, value)
                if all(values) and not any(value in text.text for value in values):
                    yield text._replace(text=changed, secrets=tuple(values))
        elif re.search(r"\d{2}", text.text):
            yield text._replace(
                text=re.sub(
                    r"(?<![\w.])\d{2,8}(?![\w.])",
                    lambda match: "".join(source.choices("123456789", k=len(match[0]))),
                    text.text,
                )
            )


def is_invented(secret: str) -> bool:
    """Return whether a person may have made it up, of letters and more."""
    return len(secret) < 24 and " " not in secret and secret.isascii() and tagger._form(secret) == "odd"


def like(secret: str, maker: Maker) -> str:
    """Another value of the same form, "" where none is known."""
    if re.fullmatch(r"[\d -]+|[0-9A-Za-z]{4,6}(?:[ -](?=\S*\d)[0-9A-Za-z]{4,6})+|[A-Z]{0,3}-?\d{2,5}[A-Z#]?", secret):
        return re.sub(r"\d", lambda _: maker.digits(1), secret)
    has_digit = any(map(str.isdigit, secret))
    if " " in secret:
        return (
            ""
            if has_digit or "\n" in secret or len(secret) > 60
            else maker.make_a()
            if secret.istitle()
            else maker.make_p()
        )
    if re.fullmatch(r"[^\W\d_]+", secret) and (secret[1:].islower() or not secret.isascii()):
        return maker.make_z() if maker.cjk() and not secret.isascii() else maker.make_w()
    return "" if len(secret) > 24 else maker.make_h() if secret.count("-") > 1 else maker.make_m()


def rows_of(texts: Sequence[Text]) -> list[Row]:
    rows = []
    for i, text in enumerate(texts):
        reading = tagger.Reading(text.text, secrets.fold(text.text))
        spans = [match.span() for secret in text.secrets for match in re.finditer(re.escape(secret), text.text)]
        for candidate in reading.candidates:
            is_secret = label(*candidate, spans)
            if is_secret is not None:
                features = np.array(sorted(tagger.places_of(reading.features(candidate))))
                rows.append(Row(i, candidate.form, is_secret, features))
    return rows


def label(start: int, end: int, form: str, spans: Iterable[tuple[int, int]]) -> bool | None:
    """Whether a candidate is a secret, whole or, of figures and odd words, a part; None for what is neither."""
    for first, last in spans:
        if start < last and first < end:
            is_inside, is_whole = first - 1 <= start and end <= last + 2, start <= first and last - 1 <= end
            if is_inside:
                return True if is_whole or form not in ("word", "phrase", "joined") else None
            return True if is_whole and end - start <= (last - first) * 1.4 + 2 else None
    return False


def learn(texts: Sequence[Text]) -> NDArray[np.float64]:
    own = rows_of([*texts, *ordinary()])
    made = rows_of([*swapped(texts), *made_texts()])
    return fit([*own, *made], np.array([1.0] * len(own) + [WEIGHT_OF_MADE] * len(made)))


def fit(rows: Sequence[Row], counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """By L-BFGS, with an L2 penalty and the bias as it is."""
    sizes = np.array([len(row.features) for row in rows])
    used, columns = np.unique(np.concatenate([row.features for row in rows]), return_inverse=True)
    first, of_row = np.concatenate([[0], np.cumsum(sizes)[:-1]]), np.repeat(np.arange(len(rows)), sizes)
    target = np.array([row.is_secret for row in rows], dtype=float)

    def loss_at(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        logits = np.add.reduceat(weights[columns], first) + tagger.BIAS
        loss = (counts * np.logaddexp(0, np.where(target > 0, -logits, logits))).sum() + PENALTY * (
            weights @ weights
        ) / 2
        residual = counts * (1 / (1 + np.exp(-logits)) - target)
        return float(loss), np.bincount(columns, weights=residual[of_row], minlength=len(used)) + PENALTY * weights

    result = np.zeros(tagger.N_WEIGHTS)
    result[used] = minimised(loss_at, len(used))
    return result


def minimised(
    loss_at: Callable[[NDArray[np.float64]], tuple[float, NDArray[np.float64]]], size: int
) -> NDArray[np.float64]:
    weights = np.zeros(size)
    past: list[tuple[NDArray[np.float64], NDArray[np.float64]]] = []
    loss, gradient = loss_at(weights)
    for _ in range(STEPS):
        direction, factors = gradient.copy(), []
        for step, change in reversed(past):
            factors.append((step @ direction) / (change @ step))
            direction -= factors[-1] * change
        step_size = (past[-1][0] @ past[-1][1]) / (past[-1][1] @ past[-1][1]) if past else 0.1 / np.abs(gradient).max()
        direction *= step_size
        for (step, change), factor in zip(past, reversed(factors), strict=True):
            direction += step * (factor - (change @ direction) / (change @ step))
        size_of_step = 1.0
        while True:
            tried = weights - size_of_step * direction
            tried_loss, tried_gradient = loss_at(tried)
            if tried_loss <= loss or size_of_step < 1e-4:
                break
            size_of_step /= 2
        if (tried - weights) @ (tried_gradient - gradient) > 1e-10:
            past = [*past, (tried - weights, tried_gradient - gradient)][-MEMORY:]
        weights, loss, gradient = tried, tried_loss, tried_gradient
    return weights


def quantised(weights: NDArray[np.float64]) -> NDArray[np.int8]:
    return np.clip(np.rint(weights * tagger.STEPS_PER_UNIT), -127, 127).astype(np.int8)


def measure(name: str, texts: Sequence[Text], weights: NDArray[np.float64], *, show: bool) -> None:
    whole = quantised(weights).astype(int)
    for threshold in THRESHOLDS:
        recognised, hit = [0, 0, 0], [0, 0, 0]
        for text in texts:
            folded = secrets.fold(text.text)
            by_rules = [item[:2] for item in settle(secrets.find_by_rules(text.text, folded), text.text)]
            reading = tagger.Reading(text.text, folded)
            scored = [(span, score(reading, span, whole)) for span in reading.candidates]
            learnt = [span[:2] for span, logit in scored if logit >= threshold]
            for i, spans in enumerate((by_rules, learnt, [*by_rules, *learnt])):
                if text.secrets:
                    rest = blanked(text.text, spans)
                    recognised[i] += not any(secret in rest for secret in text.secrets)
                else:
                    hit[i] += bool(spans)
            if show and threshold == 2.0:
                rest = blanked(text.text, [*by_rules, *learnt])
                if any(secret in rest for secret in text.secrets) or (learnt and not text.secrets):
                    misses = [
                        (text.text[span.start : span.end], span.form, round(logit, 1))
                        for span, logit in scored
                        if logit > -2
                    ]
                    write(f"{'MISS' if text.secrets else 'HIT'} {text.language} {text.text!r} {text.secrets} {misses}")
        n_secret = sum(bool(text.secrets) for text in texts)
        counts = f"found {recognised} of {n_secret}, hit {hit} of {len(texts) - n_secret}"
        write(f"{name} at {threshold}: rules, model, both: {counts}")


def score(reading: tagger.Reading, candidate: tagger.Candidate, weights: NDArray[np.int64]) -> float:
    features = tagger.places_of(reading.features(candidate))
    return float(weights[list(features)].sum() / tagger.STEPS_PER_UNIT + tagger.BIAS)


def blanked(text: str, spans: Iterable[tuple[int, int]]) -> str:
    chars = list(text)
    for start, end in spans:
        chars[start:end] = "\0" * (end - start)
    return "".join(chars)


def write(text: str) -> None:
    print(text, flush=True)  # noqa: T201  # a command


if __name__ == "__main__":
    main()
