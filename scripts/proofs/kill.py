"""kill: cards go to the backend by every mix of processes; these are killed, answers are lost or replaced by a gateway's,
connections are refused, the TOKEN changes, clocks are wrong.

Each mix shares one sandbox. Its photos come in bundles, fronts and backs in any order, and some fronts are refused until
the end. Nothing may be lost or sent twice, no back may come before its front, fsck must be clean at any time.
"""

import os
import time
from collections import Counter
from datetime import datetime
from functools import partial

from proofs.proof import Violation
from proofs.remote import LossyProxy
from proofs.shim import wrong_clock
from proofs.stage import TOKEN_EXPIRED, Stage
from proofs.tool import BUSY, HANG_SECONDS, replace_file, until
from proofs.workers import KINDS, QUIET_TIME, Run, Watch

# Name, processes, settings.
MIXES = (
    ("alone", ("run",), {}),
    ("several", ("run", "run", "pathless", "backup"), {}),
    ("batches", ("run", "run"), {"delivery_layout": "batch", "delivery_batch_wait": "100ms"}),
    ("applications", ("run", "watch"), {"delivery_layout": "application", "delivery_front_wait": "500ms"}),
    ("watched", ("watch", "pathless"), {}),
    ("served", ("serve", "pathless"), {}),
    ("services", ("run", "watch", "serve", "pathless"), {}),
)
SETTINGS = {
    "run_patience": "2s",
    "watch_quiet_time": QUIET_TIME,
    "watch_sidecar": "none",
    # No clock that was wrong once may erase anything.
    "retention_delivered": "7d",
    "delivery_token": None,
    "delivery_retcode_token_expired": TOKEN_EXPIRED,
    # A gateway's 301, 403 and 404 stop delivery, and the next one may go at once.
    "stop_probe_interval": "1s",
}
# Of each mix.
CASES, KILLS = 80, 40
QUICK_CASES, QUICK_KILLS = 4, 2
# One front in so many is refused until its sidecar is mended.
BROKEN = 4
LOST_ANSWERS, REPLACED_ANSWERS = 0.3, 0.2
# The TOKEN changes after one round in so many.
TOKEN_ROUNDS = 3
SIDES = {"front": "IDCARD_FRONT_APP", "back": "IDCARD_BACK_APP"}
YEAR = 365 * 86_400
CLOCKS = (YEAR, -YEAR, 3600, -3600, 10 * YEAR)
WRONG_CLOCKS = 0.2
# At the end a person looks every so many seconds, and gives a new TOKEN.
PERSON_SECONDS = 2


class Mix(Stage):
    """One sandbox with its processes, its endpoints, and what was brought to it."""

    def __init__(self, proof, name, kinds, settings, cases):
        # The TOKEN in use expires at half of the documents.
        super().__init__(proof, name, "--expire-token-after", str(cases))
        self.settings, self.expires_after = settings, cases
        self.proxy = proof.keep_running(LossyProxy(self.backend, LOST_ANSWERS, REPLACED_ANSWERS, f"{name}-{proof.seed}"))
        self.delivery_url = self.proxy.url
        self.tokens = self.resolved = 0
        self.change_token()
        self.sandbox = self.new_sandbox()
        self.cases = self.kills = self.clocks = 0
        # Seconds until a killed process has got somewhere; learnt on the way.
        self.mean = 0.4
        self.workers = [proof.keep_running(KINDS[kind](self, place)) for place, kind in enumerate(kinds)]
        self.bringers = [worker for worker in self.workers if worker.brings]

    def new_sandbox(self, name="work"):
        return super().new_sandbox(
            name, delivery_token_file=self.token_file, **BUSY, **SETTINGS, **self.settings
        )

    @property
    def token_file(self):
        return os.path.join(self.folder, "token")

    def change_token(self):
        self.tokens += 1
        replace_file(self.token_file, f"proof-token-{self.tokens}\n")

    def resolve(self):
        """A person decides on each card of which only the backend's ledger tells whether it has it."""
        held = [card for card in self.sandbox.cards("--state", "held") if card["reason"] == "outcome_unknown"]
        # Read afterwards, the ledger has what was sent before a card was held.
        ledger = {(line["business_no"], line["doctype"]) for line in self.backend.ledger()}
        for card in held:
            decision = "delivered" if (card["business_no"], SIDES[card["side"]]) in ledger else "anew"
            outcome = self.sandbox.run(["cards", "resolve", card["card_id"], "--as", decision])
            self.proof.expect_end(outcome, f"{self.name}: cards resolve --as {decision}")
        self.resolved += len(held)
        return len(held)

    def is_broken(self, index):
        return index % BROKEN == 1

    def clock(self):
        """Variables of the next process: now and then its clock is wrong."""
        if self.random.random() >= WRONG_CLOCKS:
            return {}
        self.clocks += 1
        return wrong_clock(self.proof.folder, self.random.choice(CLOCKS))

    def drive(self, cases, kills):
        """Brings the cases in bundles, and kills a process after each, until there were enough of both."""
        size = max(1, cases // kills)
        for rounds in range(20 * kills):
            if self.kills >= kills and self.cases >= cases:
                return
            self.cases += size
            self.bring(range(self.cases - size, self.cases))
            # The one that is about to expire stays until a process has met that.
            is_kept = self.backend.count() >= 0.6 * self.expires_after and not self.has_expired()
            if rounds % TOKEN_ROUNDS == TOKEN_ROUNDS - 1 and not is_kept:
                self.change_token()
            for worker in self.workers:
                worker.start()
            before = self.backend.count()
            victim = self.random.choice(self.workers)
            if victim.kill_within(self.random.uniform(0, 2 * self.mean)):
                self.kills += 1
                self.mean *= 0.95 if self.backend.count() > before else 1.1
            else:
                self.mean *= 0.8
            self.mean = min(3, max(0.05, self.mean))
            if rounds % 10 == 9:
                self.proof.expect_whole(self.sandbox, f"{self.name}, after {self.kills} kills")
        raise Violation(f"{self.name}: only {self.kills} kills in {20 * kills} rounds")

    def bring(self, bundle):
        """To one process after the other; half of what one `run` gets the next gets as well."""
        runs = [worker for worker in self.bringers if isinstance(worker, Run)]
        for index in bundle:
            worker = self.bringers[index % len(self.bringers)]
            worker.bring([index])
            if worker in runs[1:] and index % 4 < 2:
                runs[0].bring([index])

    def finish(self):
        """What was refused is mended; then all goes, and a person decides only what no answer can."""
        self.change_token()
        for worker in self.workers:
            if worker.is_service:
                worker.start()
            worker.mend()
        for worker in self.workers:
            if not worker.is_service:
                worker.end()
            if isinstance(worker, Run):
                worker.start()
        self.wait_for(2 * self.cases)
        for worker in self.workers:
            if isinstance(worker, Watch):
                worker.judge_files()
            worker.end()
        self.proxy.replaced = 0
        self.resolve()
        folders = [worker.folder for worker in self.workers if isinstance(worker, Run)]
        last = self.sandbox.take_in(*folders)
        if self.resolve():
            last = self.sandbox.take_in(*folders)
        self.proof.expect_end(last, f"{self.name}: the run over everything, mended,")
        self.proof.expect_whole(self.sandbox, f"{self.name}, at the end")
        self.judge(range(self.cases))
        cards = self.sandbox.cards()
        states = [card["state"] for card in cards]
        if states != ["delivered"] * (2 * self.cases):
            self.violated(f"the cards stand at { {state: states.count(state) for state in set(states)} }")
        fates = Counter(self.proxy.fates)
        for fate in ("lost", "replaced"):
            self.expect(fates[fate] > 0 or fates["passed"] < 20, f"no answer was {fate}")
        self.expect(self.has_expired() or fates["passed"] < 20, "no TOKEN expired")
        moved = sum(abs(datetime.fromisoformat(card["created_at"]).timestamp() - time.time()) > 1800 for card in cards)
        # A process that is started again to finish the rest brings no card.
        self.expect(moved > 0 or self.kills < 10, "no card bears the time of a wrong clock")
        self.proof.figure(
            self.name,
            f"{2 * self.cases} cards, {self.kills} kills, {fates['lost']} lost answers, {fates['replaced']} replaced ones "
            f"({fates['refusing']} times no connection after it), {self.resolved} cards for a person, "
            f"{self.clocks} wrong clocks ({moved} cards bear their time)",
        )

    def has_expired(self):
        return any(line["retcode"] == TOKEN_EXPIRED for line in self.backend.refusals())

    def wait_for(self, documents):
        """Waits until so many documents have arrived, as long as there is progress; now and then a person looks."""
        looked = time.monotonic()

        def is_done():
            nonlocal looked
            if time.monotonic() > looked + PERSON_SECONDS:
                self.change_token()
                self.resolve()
                looked = time.monotonic()
            for worker in self.workers:
                worker.start()
            return self.backend.count() >= documents

        if not until(is_done, seconds=HANG_SECONDS / 3, progress=self.backend.count):
            self.violated(f"no progress at {self.backend.count()} documents of {documents}")


def mix(proof, name, kinds, settings):
    cases, kills = (QUICK_CASES, QUICK_KILLS) if proof.quick else (CASES, KILLS)
    course = Mix(proof, name, kinds, settings, cases)
    course.drive(cases, kills)
    course.finish()


PARTS = {name: partial(mix, name=name, kinds=kinds, settings=settings) for name, kinds, settings in MIXES}
