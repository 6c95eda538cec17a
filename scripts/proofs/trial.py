"""One command over a case of its own that is struck at one of its calls, and the recovery from it."""

import os
import shutil
import signal

from proofs.cards import Pairs
from proofs.shim import Shim
from proofs.stage import Stage
from proofs.tool import HANG_SECONDS, until
from proofs.workers import digests

# So many points of each kind are struck in the quick form.
QUICK_POINTS = 2
# A watch has done all within a second; one that was struck and leaves something to a rescan is ended after so many.
PATIENCE = 5
DELIVERED = ["delivered"] * 2
MARK = ".idcard-pipeline-sandbox"


class Range(Stage):
    """Trials with a case of their own each."""

    def __init__(self, proof, name):
        super().__init__(proof, name)
        self.shim, self.tried = Shim(proof.folder), 0

    def points(self, counts):
        """The numbers of the calls to strike: all, or a few in the quick form."""
        total = sum(counts.values())
        every = max(1, total // QUICK_POINTS) if self.proof.quick else 1
        return range(1 + self.proof.random.randrange(every), total + 1, every)

    def calls(self, counts, most):
        """What the shim is to strike: each point, or of each kind of call so many at most, evenly spread."""
        if most is None:
            return [{"at": at} for at in self.points(counts)]
        calls = []
        for kind, count in sorted(counts.items()):
            every = -(-count // most)
            calls += [{"at": at, "only": kind} for at in range(1 + self.proof.random.randrange(every), count + 1, every)]
        return self.proof.random.sample(calls, QUICK_POINTS) if self.proof.quick else calls

    def case(self):
        self.tried += 1
        return self.tried - 1

    def end(self):
        self.judge(range(self.tried))


class Trial:
    """A run over one pair."""

    # How it ends if nothing was left to say.
    orderly = 0
    # All points are struck.
    most = None
    # How often a point that was not reached is tried.
    rounds = 1

    def __init__(self, stage, indices, **settings):
        self.stage, self.proof, self.index = stage, stage.proof, indices[0]
        self.sandbox = stage.new_sandbox(f"trial-{self.index}", **settings)
        self.photos = stage.photos(f"trial-{self.index}/photos", indices[:1])
        self.report = os.path.join(self.sandbox.folder, "calls")
        if len(indices) > 1:
            earlier = self.sandbox.take_in(stage.photos(f"trial-{self.index}/earlier", indices[1:]))
            self.proof.expect_end(earlier, "the pair before the failure")

    def run(self, mode, at=None, **more):
        """A struck run; what the shim said of it."""
        # A failure is one of files; a kill may strike what goes to the network as well.
        below = f"{self.sandbox.path}:{self.photos}" if mode == "fail" else None
        variables = self.stage.shim.variables(mode, self.report, at, below=below, **more)
        self.outcome = self.give(variables)
        self.end = self.outcome.status
        return self.stage.shim.lines(self.report)

    def give(self, variables=None):
        return self.sandbox.take_in(self.photos, extra=variables)

    def judge(self, outcome, where):
        """Whether all came to its end."""
        self.proof.expect_end(outcome, where)

    def close(self):
        """Ends what lives beside it."""

    def judge_orderly(self, where):
        number = Pairs.business_number(self.index)
        states = [card["state"] for card in self.sandbox.cards("--business-no", number)]
        documents = sum(line["business_no"] == number for line in self.stage.backend.ledger())
        self.proof.expect(
            (states, documents) == (DELIVERED, 2), f"{where}: ended with 0, but the cards stand at {states}, with {documents} documents"
        )

    def recover(self, where):
        """Goes on to the end; forgets the sandbox if all is well."""
        found = len(self.proof.violations)
        self.judge(self.give(), f"{where}: the one after it")
        self.proof.expect_whole(self.sandbox, where)
        self.close()
        if len(self.proof.violations) == found:
            shutil.rmtree(self.sandbox.folder)


class Watched(Trial):
    """A watch over a folder with one pair, which belongs below `done` then, and nowhere else. Another process of the sandbox lives on."""

    orderly, most = 143, 150
    # The other process may have done the work before the point is reached.
    rounds = 3

    def __init__(self, stage, indices):
        super().__init__(stage, indices, watch_quiet_time="10ms", watch_sidecar="none")
        empty = os.path.join(self.sandbox.folder, "empty")
        os.makedirs(empty)
        self.other = self.sandbox.start(["watch", empty])
        self.wanted = {os.path.join("done", path): content for path, content in self.files().items()}

    def files(self):
        return {path: digest for path, digest in digests(self.photos).items() if path != MARK}

    def is_done(self):
        if not all(os.path.exists(os.path.join(self.photos, path)) for path in self.wanted):
            return False
        # Beside a watch that was struck a moment ago the list may have to be asked for again.
        listed = self.sandbox.run(["cards", "list", "--state", "delivered", "--format", "json"])
        return listed.status == 0 and listed.output.count('"card_id"') == 2

    def give(self, variables=None):
        """Watches until all is done or the watch ends by itself; one that was struck may leave the rest to a later rescan."""
        process = self.sandbox.start(["watch", self.photos, "--format", "jsonl"], variables)
        is_done = until(self.is_done, process, PATIENCE if variables else HANG_SECONDS)
        process.send_signal(signal.SIGTERM)
        outcome = self.sandbox.end(process)
        # One that was begun, or ended by itself, a moment ago does not listen to signals: it is ended at once.
        if outcome.status == -signal.SIGTERM:
            outcome.status = self.orderly
        self.is_left = outcome.status == self.orderly and not is_done
        return outcome

    def judge(self, outcome, where):
        self.proof.expect_end(outcome, where, self.orderly)
        self.proof.expect(self.other.poll() is None, f"{where}: the other process has ended")
        states, files = self.sandbox.states(), self.files()
        self.proof.expect(states == DELIVERED, f"{where}: the cards stand at {states}")
        self.proof.expect(files == self.wanted, f"{where}: the photos lie at {sorted(files)}, or have other bytes")

    def close(self):
        self.other.send_signal(signal.SIGTERM)
        self.sandbox.end(self.other)

    def judge_orderly(self, where):
        """It went on; what it left the next one has to do."""
        self.end = "143 with something left" if self.is_left else 143
