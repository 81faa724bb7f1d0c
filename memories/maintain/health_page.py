"""The health report as a page of Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from memories.maintain.figures import answered


def as_markdown(report: Mapping[str, Any]) -> str:
    recalled, used, spent, failed = (report[name] for name in ("recall", "use", "costs", "failures"))
    tenths = enumerate(report["confidence"])
    live = sum(report["memories"].get(status, 0) for status in ("active", "inactive"))
    return "\n".join(
        [
            f"# Health of {report['app_id']}",
            "",
            f"As of {report['at'][:16].replace('T', ' ')} UTC; rates are of the last {report['days']} days.",
            "",
            *table("Memories", ("status", "number"), report["memories"].items()),
            f"{live:,} of {report['limit']:,} that the app may hold; {report['pinned']:,} pinned.",
            "",
            *table("Active by category", ("category", "number"), report["categories"].items()),
            *table("Last confirmed", ("when", "active memories"), report["confirmed"].items()),
            *table("Confidence", ("from", "active memories"), ((at / 10, count) for at, count in tenths)),
            *table("Came in", ("month", "memories"), report["growth"].items()),
            "## Recall",
            "",
            f"{recalled['searches']:,} searches, {percent(recalled['hit_rate'])} found something"
            + (f", {recalled['mean_ms']:g} ms each." if recalled["mean_ms"] is not None else "."),
            *(f"- {answered(tier)}: {percent(row['share'])}" for tier, row in recalled["by_tier"].items()),
            "",
            "## Use",
            "",
            f"{used['injected']:,} handed over; of those judged, {percent(used['echo_rate'])} were used.",
            "",
            *table(
                "Costs",
                ("operation", "calls", "failed", "tokens", "US dollars"),
                ((name, *row.values()) for name, row in spent["by_operation"].items()),
            ),
            "## Failures",
            "",
            f"- texts given up: {failed['texts_given_up']:,}; waiting: {failed['texts_waiting']:,}",
            f"- active memories without a vector: {failed['without_vector']:,}",
            *(f"- job {name}: {count:,} run{'' if count == 1 else 's'}" for name, count in failed["jobs"].items()),
            *(f"- rejected, {kind}: {count:,}" for kind, count in failed["rejected"].items()),
            "",
        ]
    )


def table(title: str, columns: Iterable[str], rows: Iterable[Iterable[Any]]) -> list[str]:
    names = list(columns)
    lines = [f"| {' | '.join(cell(value) for value in row)} |" for row in rows]
    if not lines:
        return [f"## {title}", "", "None.", ""]
    rule = f"| --- |{' ---: |' * (len(names) - 1)}"
    return [f"## {title}", "", f"| {' | '.join(names)} |", rule, *lines, ""]


def cell(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value).replace("|", "\\|")


def percent(share_of_one: float | None) -> str:
    return "none" if share_of_one is None else f"{100 * share_of_one:.1f} %"
