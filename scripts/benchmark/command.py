"""scripts/bench: the whole comparison, interleaved in one run."""

import argparse
import datetime
import json
import os
import platform
import sys

from benchmark import contenders, photos, plan, report

DESCRIPTION = """\
Makes photos of invented cards, starts two endpoints on loopback, and lets this pipeline and its peers take the same photos
to them, one contender after the other and all over again for each round. Every run is checked: each card must have arrived
exactly once at both endpoints, whole. Prints medians, ratios and their spread, and which of the project's claims hold.
Needs about 4 GB below .build/bench.

scripts/bench --micro times single pieces instead: the codec, the form's encoder and parser, a commit of the sandbox."""


def arguments():
    parser = argparse.ArgumentParser(
        prog="scripts/bench", description=DESCRIPTION, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    names = ", ".join(comparison.name for comparison in plan.COMPARISONS)
    parser.add_argument("--quick", action="store_true", help="a quarter of the photos, one round, three contenders")
    parser.add_argument("--rounds", type=int, help="how often each contender runs (default: 3; with --quick 1)")
    parser.add_argument("--only", metavar="NAME,…", help=f"these comparisons alone: {names}")
    parser.add_argument("--contenders", metavar="NAME,…", help=f"these alone: {', '.join(contenders.names())}")
    parser.add_argument("--json", metavar="FILE", help="also writes every run's figures as JSON")
    parser.add_argument("--binary", default=".build/release/idcard-pipeline", help="the binary to measure")
    parser.add_argument("--folder", default=".build/bench", help=argparse.SUPPRESS)
    return parser.parse_args()


def chosen(options):
    wanted = options.only.split(",") if options.only else [comparison.name for comparison in plan.COMPARISONS]
    unknown = set(wanted) - {comparison.name for comparison in plan.COMPARISONS}
    if unknown:
        sys.exit(f"bench: no comparison of this name: {', '.join(sorted(unknown))}")
    return [comparison for comparison in plan.COMPARISONS if comparison.name in wanted]


def field(comparison, options):
    if options.contenders:
        # With a number of stored cards behind it a contender is the same.
        return [name for name in options.contenders.split(",") if name.split("@")[0] in contenders.names()]
    if options.quick:
        return [name for name in comparison.contenders if name in ("pipeline", "native", "vips", "seq-draft")]
    return comparison.contenders


def main():
    options = arguments()
    from benchmark.measure import measure

    if not os.path.exists(f"/proc/self/task/{os.getpid()}/children"):
        sys.exit("bench: this kernel does not tell a process's children (CONFIG_PROC_CHILDREN): memory would be counted too low")
    results, failed = report.Results(), False
    for comparison in chosen(options):
        # Those of the same size share their photos, but for the very many.
        same = [other.count for other in plan.COMPARISONS if other.inputs == comparison.inputs]
        shared = max(count for count in same if count <= 1000)
        folder = photos.make(options.folder, comparison.inputs, max(comparison.count, shared))
        rounds = options.rounds or (1 if options.quick else comparison.rounds or 3)
        for _ in range(rounds):
            for name in field(comparison, options):
                figures = measure(name, options.folder, options.binary, comparison.job(folder, options.quick))
                results.add(comparison, figures)
                words = f"{figures['cards_per_second']:8.2f} cards/s {figures['cpu_ms_per_card']:7.2f} ms CPU/card"
                words += f" {figures['peak_mb']:4.0f} MB, others used {figures['others_percent']:.0f} %"
                print(f"{comparison.name:16} {name:10} {words}{'' if figures['ok'] else ' FAILED'}", flush=True)
                if not figures["ok"]:
                    failed = True
                    print(figures.get("errors", ""), file=sys.stderr)
    print()
    for comparison in chosen(options):
        print(results.table(comparison), end="\n\n")
    if options.json:
        machine = {"processor": processor(), "cores": os.cpu_count(), "system": platform.platform()}
        document = {"date": datetime.date.today().isoformat(), "machine": machine, "runs": results.runs}
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(document, file, indent=1)
    sys.exit(1 if failed else 0)


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.machine()


if __name__ == "__main__":
    main()
