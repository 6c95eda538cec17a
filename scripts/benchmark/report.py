"""Medians, ratios and what became of the claims."""

import statistics

HEADINGS = {
    "cards_per_second": "cards/s",
    "cpu_ms_per_card": "CPU ms/card",
    "peak_mb": "peak MB",
    "seconds": "s",
    "flushes_per_card": "flushes/card",
}


class Results:
    def __init__(self):
        self.runs = {}

    def add(self, comparison, figures):
        self.runs.setdefault(comparison.name, {}).setdefault(figures["contender"], []).append(figures)

    def median(self, comparison, contender, figure):
        runs = self.runs.get(comparison, {}).get(contender, [])
        values = [run[figure] for run in runs if figure in run]
        return statistics.median(values) if values else None

    def spread(self, comparison, contender, figure):
        """Half of the range in percent of the median."""
        values = [run[figure] for run in self.runs[comparison][contender]]
        return 50 * (max(values) - min(values)) / statistics.median(values)

    def all_ok(self, comparison, contender):
        return all(run["ok"] for run in self.runs[comparison][contender])

    def ratio(self, comparison, claim):
        """The pipeline's figure over what it is measured against; the figure itself without one; None without both."""
        mine = self.median(comparison.name, "pipeline", claim.figure)
        if not claim.other or mine is None:
            return mine
        if claim.other.startswith("@"):
            other = self.median(claim.other[1:], "pipeline", claim.figure)
        elif claim.other == "fastest":
            peers = [name for name in self.runs[comparison.name] if not name.startswith(("pipeline", "native"))]
            times = [self.median(comparison.name, name, claim.figure) for name in peers]
            other = min(times) if times else None
        else:
            other = self.median(comparison.name, claim.other, claim.figure)
        return mine / other if other else None

    def claims(self, comparison):
        """Each claim as (words, ratio, whether it holds)."""
        against = {"": "", "fastest": " / fastest peer"}
        for claim in comparison.claims:
            ratio = self.ratio(comparison, claim)
            if ratio is None:
                continue
            other = against.get(claim.other, f" / {claim.other.lstrip('@')}")
            sign = "≤" if claim.at_most else "≥"
            words = f"{HEADINGS[claim.figure]}{other} {sign} {claim.bound:g}"
            yield words, ratio, ratio <= claim.bound if claim.at_most else ratio >= claim.bound

    def table(self, comparison):
        runs = self.runs.get(comparison.name)
        if not runs:
            return ""
        columns = [name for name in HEADINGS if any(name in run for rows in runs.values() for run in rows)]
        lines = [
            f"{comparison.title}\n",
            "| contender | " + " | ".join(HEADINGS[name] for name in columns) + " | pipeline's speed / its | spread | runs |",
            "|---|" + "---:|" * (len(columns) + 3),
        ]
        mine = self.median(comparison.name, "pipeline", "cards_per_second")
        for contender, rows in runs.items():
            figures = [self.median(comparison.name, contender, name) for name in columns]
            speed = self.median(comparison.name, contender, "cards_per_second")
            cells = [f"{value:.2f}" if value is not None else "" for value in figures]
            cells.append(f"{mine / speed:.2f}" if mine and speed else "")
            cells.append(f"±{self.spread(comparison.name, contender, 'cards_per_second'):.0f} %")
            cells.append(str(len(rows)) + ("" if self.all_ok(comparison.name, contender) else " FAILED"))
            lines.append(f"| {contender} | " + " | ".join(cells) + " |")
        for words, ratio, holds in self.claims(comparison):
            lines.append(f"  {'held  ' if holds else 'MISSED'}  {words}: {ratio:.2f}")
        return "\n".join(lines)
