"""What all proofs share: options, seed, evidence, the judgement of the ledger, and the summary."""

import argparse
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter, defaultdict

from proofs.tool import Tool, default_binary


class Skip(Exception):
    """The proof cannot be run here."""


class Violation(Exception):
    """A promise was broken; ends the proof at once."""


class Proof:
    """One proof in the course of being run."""

    def __init__(self, name, description, add_options=lambda parser: None, has_quick=True):
        self.name = name
        parser = argparse.ArgumentParser(
            prog=f"scripts/{name}",
            description=description,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        parser.add_argument(
            "--binary",
            metavar="PATH",
            help="the command to prove (default: .build/release/idcard-pipeline, else the debug build)",
        )
        parser.add_argument("--seed", type=int, help="repeats a run (default: random; it is printed)")
        parser.add_argument("--folder", metavar="DIR", help="where to work (default: a fresh folder in TMPDIR)")
        parser.add_argument("--keep", action="store_true", help="keep the evidence of a run without findings, too")
        if has_quick:
            parser.add_argument("--quick", action="store_true", help="the shortened form that the tests run")
        add_options(parser)
        self.options = parser.parse_args()
        if not has_quick:
            self.options.quick = False
        seed = self.options.seed if self.options.seed is not None else int.from_bytes(os.urandom(4), "big")
        self.seed = seed
        self.random = random.Random(seed)
        self.violations = []
        self.omissions = []
        self.figures = []
        self.services = []
        self.started = time.monotonic()

    def run(self, body):
        """Runs the proof, prints the summary, ends the process."""
        binary = self.options.binary or default_binary()
        if binary is None or not os.access(binary, os.X_OK):
            print(f"{self.name}: no binary; build it (swift build) or name it by --binary", file=sys.stderr)
            sys.exit(69)
        if self.options.folder is not None:
            os.makedirs(self.options.folder, exist_ok=True)
        self.folder = os.path.realpath(tempfile.mkdtemp(prefix=f"{self.name}-", dir=self.options.folder))
        # Built anew in the middle, the binary would change under the proof; a link costs nothing.
        copy = os.path.join(self.folder, "idcard-pipeline")
        shutil.copy2(binary, copy)
        self.tool = Tool(copy)
        # An orderly end stops the services as well.
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
        print(f"{self.name}: seed {self.seed}, evidence in {self.folder}", flush=True)
        try:
            body(self)
        except Skip as skip:
            self.left_out(str(skip))
        except Violation as violation:
            self.violations.append(str(violation))
        finally:
            self._end()
        sys.exit(self._summary())

    def _end(self):
        while self.services:
            self.services.pop()()

    def keep_running(self, service):
        """A service that is stopped when the proof ends."""
        self.services.append(service.stop)
        return service

    def figure(self, name, value):
        """A line of the summary."""
        self.figures.append((name, value))

    def progress(self, text):
        print(f"  {text}", flush=True)

    def violated(self, text):
        """Notes a broken promise and goes on."""
        self.violations.append(text)
        print(f"  VIOLATION: {text}", flush=True)
        if len(self.violations) >= 20:
            raise Violation("twenty findings are enough; the proof was stopped")

    def left_out(self, text):
        """Notes what could not be tried here: a proof without it proves nothing."""
        self.omissions.append(text)
        self.progress(f"left out: {text}")

    def expect_injected(self, what, count, tries):
        """Faults that were to be injected were injected: runs without one prove nothing."""
        # Runs differ in their last few calls, so that some end before the call that was meant.
        if count == 0 or count < 0.8 * (tries - 1):
            self.violated(f"{what}: {count} faults were injected in {tries} runs; runs without one prove nothing")

    def subfolder(self, name):
        path = os.path.join(self.folder, name)
        os.makedirs(path, exist_ok=True)
        return path

    def judge_ledger(self, ledger, refusals, expected, where=""):
        """Exactly one accepted document per side of each business number, and nothing refused."""
        sides = defaultdict(Counter)
        for line in ledger:
            sides[line["business_no"]][line["doctype"]] += 1
        wanted = {"IDCARD_FRONT_APP": 1, "IDCARD_BACK_APP": 1}
        for number in expected:
            if dict(sides.get(number, {})) != wanted:
                self.violated(f"{where}{number}: the ledger holds {dict(sides.get(number, {}))}, not one of each side")
        for number in sides.keys() - set(expected):
            self.violated(f"{where}{number}: the ledger holds documents of a case that was never taken in")
        numbers = set(expected)
        for line in ledger:
            if line["business_no"] in numbers and line["out_of_order"]:
                self.violated(f"{where}{line['business_no']}: the back came before its front")
        for line in refusals:
            # Whatever the backend refuses here, it had under another key.
            self.violated(f"{where}the backend refused an upload with {line['retcode']}: sent again under a new key")

    def _summary(self):
        seconds = time.monotonic() - self.started
        width = max((len(name) for name, _ in self.figures), default=0)
        result = "FAILED" if self.violations else "not proved" if self.omissions else "proved"
        print(f"{self.name}: {result} in {seconds:.0f} s (seed {self.seed})")
        for name, value in self.figures:
            print(f"  {name.ljust(width)}  {value}")
        if self.violations:
            print(f"  {len(self.violations)} violations:")
            for violation in self.violations:
                print(f"  - {violation}")
        for omission in self.omissions:
            print(f"  left out: {omission}")
        if self.violations or self.options.keep:
            print(f"  evidence: {self.folder}")
        else:
            shutil.rmtree(self.folder, ignore_errors=True)
        return 1 if self.violations else 69 if self.omissions else 0
