"""scripts/prove SCENARIO: breaks things around the command on purpose, and looks whether its promises hold."""

import argparse
import importlib
import sys

from proofs.proof import Proof

SCENARIOS = {
    "kill": "every mix of processes is killed at random moments while answers are lost or replaced and clocks are wrong",
    "strike": "each system call is killed or failed in turn",
    "disk": "the power is cut and the disk is full (root)",
    "leaks": "planted names, numbers and pixels appear nowhere; what was erased is gone",
    "service": "serve is killed, ended, reloaded and besieged by hostile clients",
    "outages": "endpoints, TOKEN, certificates, disk and clock fail under serve: all faces agree on cause and time (root)",
    "answers": "backends and verifiers answer what nobody expects: nothing goes under two keys, and the way out leads out",
    "siege": "strangers who only wait take all places of serve, and honest requests are answered within a second",
    "clients": "schemathesis makes requests to serve out of its OpenAPI document",
    "fuzz": "the form parser and the image decoder take mutated bytes under sanitizers",
    "clerk": "LibreOffice shows the tables of a run and of the cases as they were written; promtool takes the rules",
    "console": "a browser shows the pages of serve: a day of a clerk and of a reviewer, what is personal, how it looks",
    "bare": "quickstart and tests in a bare Debian 12 (root)",
}


def main():
    parser = argparse.ArgumentParser(
        prog="scripts/prove",
        description=__doc__.split(": ", 1)[1],
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="Ends with 0 if all was proved, 1 if a promise was broken or nothing was injected, 69 if it could not be tried.",
    )
    parser.add_argument("scenario", nargs="?", metavar="SCENARIO")
    parser.add_argument("--list", action="store_true", help="tells the scenarios")
    parser.add_argument("--quick", action="store_true", help="the short form: seconds instead of minutes or hours")
    parser.add_argument("--binary", metavar="PATH", help="the command to prove (default: the release build, else the debug build)")
    parser.add_argument("--only", metavar="PART", help="one part of the scenario")
    parser.add_argument("--seed", type=int, help="repeats a run (default: random; it is printed)")
    parser.add_argument("--keep", action="store_true", help="keeps the evidence of a run without findings, too")
    options = parser.parse_args()
    if options.list or options.scenario not in SCENARIOS:
        words = "\n".join(f"{name:8} {words}" for name, words in SCENARIOS.items())
        print(words, file=sys.stdout if options.list else sys.stderr)
        sys.exit(0 if options.list else 64)
    try:
        parts = importlib.import_module(f"proofs.{options.scenario}").PARTS
        if options.only not in (None, *parts):
            print(f"prove: {options.scenario} has no part {options.only}, but {', '.join(parts)}", file=sys.stderr)
            sys.exit(64)
        Proof(options).run(parts)
    except ModuleNotFoundError as error:
        print(f"prove: not proved: the Python module {error.name} is missing: run scripts/setup", file=sys.stderr)
        sys.exit(69)


if __name__ == "__main__":
    main()
