"""What all scenarios share: seed, evidence, findings, and the summary."""

import os
import random
import shutil
import signal
import sys
import tempfile
import time

from proofs.tool import Tool, default_binary

ENOUGH_FINDINGS = 20


class Skip(Exception):
    """It cannot be tried here."""


class Violation(Exception):
    """A promise was broken; ends the scenario at once."""


class Proof:
    def __init__(self, options):
        self.options, self.name, self.quick = options, options.scenario, options.quick
        self.seed = options.seed if options.seed is not None else int.from_bytes(os.urandom(4), "big")
        self.random = random.Random(self.seed)
        self.violations, self.omissions, self.figures, self.services = [], [], [], []
        self.started = time.monotonic()

    def run(self, parts):
        """Runs the parts, prints the summary, ends the process."""
        binary = self.options.binary or default_binary()
        if binary is None or not os.access(binary, os.X_OK):
            print("prove: no binary: build it with scripts/build-release, or name it by --binary", file=sys.stderr)
            sys.exit(69)
        self.folder = os.path.realpath(tempfile.mkdtemp(prefix=f"prove-{self.name}-"))
        # Built again in the middle, the binary would change under the proof.
        copy = os.path.join(self.folder, os.path.basename(binary))
        shutil.copy2(binary, copy)
        self.tool = Tool(copy)
        # An orderly end stops the services as well.
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
        print(f"prove {self.name}: seed {self.seed}, evidence in {self.folder}", flush=True)
        try:
            for name, part in parts.items():
                if self.options.only in (None, name):
                    self.run_part(name, part)
        except Violation as violation:
            self.violations.append(str(violation))
        sys.exit(self.summary())

    def run_part(self, name, part):
        started = time.monotonic()
        try:
            part(self)
        except Skip as skip:
            self.left_out(f"{name}: {skip}")
        finally:
            while self.services:
                self.services.pop()()
        self.progress(f"{name}: {time.monotonic() - started:.0f} s")

    def keep_running(self, service):
        """A service that is stopped when its part ends."""
        self.services.append(service.stop)
        return service

    def figure(self, name, value):
        self.figures.append((name, value))

    def progress(self, text):
        print(f"  {text}", flush=True)

    def violated(self, text):
        """Notes a broken promise and goes on."""
        self.violations.append(text)
        print(f"  VIOLATION: {text}", flush=True)
        if len(self.violations) >= ENOUGH_FINDINGS:
            raise Violation(f"{ENOUGH_FINDINGS} findings are enough; the proof was stopped")

    def left_out(self, text):
        """Notes what could not be tried here: without it nothing is proved."""
        self.omissions.append(text)
        self.progress(f"left out: {text}")

    def expect(self, holds, text):
        if not holds:
            self.violated(text)

    def expect_end(self, outcome, what, *statuses):
        """A command ended in one of these ways; with 0 unless said otherwise."""
        if outcome.status not in (statuses or (0,)):
            self.violated(f"{what} ended with {outcome.status}: {outcome.tail()}")
        return outcome

    def expect_whole(self, sandbox, where):
        outcome = sandbox.run(["fsck"])
        if outcome.status != 0:
            words = (outcome.output + outcome.errors).strip()[-600:]
            self.violated(f"{where}: fsck ended with {outcome.status}: {words}")

    def expect_injected(self, what, count, tries):
        """Runs without a fault prove nothing."""
        # Runs differ in their last few calls, so that some end before the call that was meant.
        if count == 0 or count < 0.8 * (tries - 1):
            self.violated(f"{what}: {count} faults were injected in {tries} runs; runs without one prove nothing")

    def subfolder(self, name):
        path = os.path.join(self.folder, name)
        os.makedirs(path, exist_ok=True)
        return path

    def summary(self):
        width = max((len(name) for name, _ in self.figures), default=0)
        result = "FAILED" if self.violations else "not proved" if self.omissions else "proved"
        print(f"prove {self.name}: {result} in {time.monotonic() - self.started:.0f} s (seed {self.seed})")
        for name, value in self.figures:
            print(f"  {name.ljust(width)}  {value}")
        for violation in self.violations:
            print(f"  - {violation}")
        for omission in self.omissions:
            print(f"  left out: {omission}")
        if self.violations or self.options.keep:
            print(f"  evidence: {self.folder}")
        else:
            shutil.rmtree(self.folder, ignore_errors=True)
        return 1 if self.violations else 69 if self.omissions else 0
