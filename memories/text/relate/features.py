"""The named numbers the model weighs. Every one is written so that 0 means "nothing to see"."""

from .alignment import align
from .conflicts import weigh_cues, weigh_opposites, weigh_signs
from .coverage import weigh_coverage, weigh_remainders
from .evidence import Evidence, Sides
from .figures import weigh_clashes, weigh_numbers
from .ordering import weigh_order
from .outline import outline
from .reading import read

COSINE = "cosine"
CLOSE_AT_RELATED, CLOSE_PER_STEP = 0.45, 0.4
"""What closeness adds to "one matter": MiniLM's cosine, for which the features were chosen."""

WEIGHED = (
    COSINE, "coverage_low", "coverage_high", "coverage_mean", "exact_shared",
    "opening_exact", "length_gap", "lone_new", "lone_both", "other_name", "sign_clash", "opposed", "opposed_more",
    "opposites_agree", "negated_and_opposed", "negated_and_agree", "weak_change_cue", "exclusive_differs",
    "only_against_all", "number_equal", "number_both", "number_one_side", "number_unpaired", "other_subject",
    "any_conflict", "matter_and_number", "negated_and_shared", "value_and_matter", "change_and_matter",
    "number_and_shared", "order_agrees", "order_clashes", "negated_one_side", "rule_clash",
    "rule_implied", "sibling", "many_valued", "heads_differ", "swapped",
)  # fmt: skip
"""The features the model weighs; the others only feed these, or a reason. Chosen by cross-validation."""


def lay_side_by_side(existing: str, new: str, subject: str) -> Sides:
    old, now = outline(existing, subject), outline(new, subject)
    return Sides(old, now, align(old, now), read(old.written, subject), read(now.written, subject))


def extract(sides: Sides, closeness: float | None) -> Evidence:
    """Return the features of a pair and the words behind them. `closeness`: cosine, 0 related and 1 the same."""
    found = Evidence()
    weigh_coverage(found, sides)
    weigh_remainders(found, sides)
    weigh_signs(found, sides.aligned)
    weigh_numbers(found, sides)
    weigh_order(found, sides.existing, sides.new)
    weigh_opposites(found, sides)
    weigh_cues(found, sides.existing, sides.new)
    weigh_clashes(found, sides.existing_statement, sides.new_statement)
    _weigh_together(found, closeness)
    return found


def _weigh_together(found: Evidence, closeness: float | None) -> None:
    """Conflict counts when the matter is one; its absence counts the same way."""
    f = found.features
    f[COSINE] = 0.0 if closeness is None else closeness
    coverage = f["coverage_mean"]
    matter = coverage if closeness is None else (coverage + CLOSE_AT_RELATED + CLOSE_PER_STEP * closeness) / 2
    f["any_conflict"] = _strongest_conflict(f)
    f["matter_and_number"] = matter * f["number_conflict"]
    f["number_and_shared"] = f["number_conflict"] * f["exact_shared"]
    f["negated_and_shared"] = f["negated_shared_word"] * f["exact_shared"]
    f["value_and_matter"] = max(f["other_name"], f["sibling"]) * matter
    f["change_and_matter"] = max(f["change_cue"], 0) * matter
    if not f["negated_one_side"]:
        f["sign_clash"] *= 0.5  # negated on both sides: the signs of single words are guesses


def _strongest_conflict(f: dict[str, float]) -> float:
    return max(
        f["number_conflict"], f["opposed"], f["order_clashes"], min(f["rule_clash"], 1), f["rule_implied"],
        f["sign_clash"], f["swapped"], 0.8 * f["negated_one_side"], 0.7 * f["sibling"],
    )  # fmt: skip
