"""scripts/prove-kills: many cards, the process killed again and again at random moments until all are done."""

import signal
import subprocess
import time

from proofs.cards import Pairs
from proofs.endpoints import Backend, Verifier
from proofs.proof import Proof
from proofs.tool import HANG_SECONDS, Sandbox

DESCRIPTION = """\
Takes 1,000 cards (500 pairs) to the backend while the process is killed (SIGKILL) at random moments, at least 100 times,
until a run ends by itself with everything delivered. Expects exactly one accepted document per side in the backend's
ledger, no refusal, and a clean fsck after every tenth kill and at the end."""

# Progress stops if every run dies while it starts; so many kills in a row without a new document prove that.
STALLED_KILLS = 400


def options(parser):
    parser.add_argument("--cards", type=int, help="how many cards (default: 1000; with --quick 60)")
    parser.add_argument("--kills", type=int, help="at least so many kills (default: 100; with --quick 20)")


class Moment:
    """Draws the moments of the kills so that they spread over all the work: after a random time, or as soon as a random
    number of documents has arrived, whichever comes first."""

    def __init__(self, random):
        self.random = random
        # Seconds until a run has got somewhere; learnt on the way.
        self.mean = 0.4

    def draw(self, kills_left, documents_left):
        """Seconds, and documents of this run, after which it is killed."""
        share = 1.2 * documents_left / max(1, kills_left)
        return self.random.uniform(0, 2 * self.mean), self.random.randint(0, max(1, int(share)))

    def learn(self, progressed):
        self.mean = max(0.1, self.mean * 0.95) if progressed else self.mean * 1.1


def live(process, backend, seconds, documents):
    """Lets a run live until it ends or its moment has come; then kills it. Returns what it said on standard error."""
    end = time.monotonic() + seconds
    goal = backend.count() + documents
    while process.poll() is None:
        try:
            return process.communicate(timeout=0.01)[1]
        except subprocess.TimeoutExpired:
            if time.monotonic() >= end or (documents > 0 and backend.count() >= goal):
                process.send_signal(signal.SIGKILL)
    return process.communicate()[1]


def prove(proof):
    quick = proof.options.quick
    cards = proof.options.cards or (60 if quick else 1000)
    wanted = proof.options.kills or (20 if quick else 100)
    total = cards // 2
    pairs = Pairs(proof.seed)
    photos = proof.subfolder("photos")
    pairs.make(photos, range(total))
    verifier = proof.keep_running(Verifier(proof.folder))
    backend = proof.keep_running(Backend(proof.tool.binary, proof.folder))
    sandbox = Sandbox(
        proof.tool,
        proof.subfolder("work"),
        verifier.url,
        backend.url,
        verification_concurrency=4,
        delivery_concurrency=4,
        imaging_concurrency=2,
    )
    moment = Moment(proof.random)
    kills = runs = stalled = documents = checks = 0
    while True:
        runs += 1
        process = sandbox.start(["run", photos, "--quiet", "--format", "json"], stdout=subprocess.DEVNULL)
        seconds, growth = moment.draw(wanted - kills, 2 * total - documents)
        # Once there were enough kills, one of the runs may live to its end.
        if kills >= wanted and proof.random.random() < 0.5:
            seconds, growth = HANG_SECONDS, 0
        errors = live(process, backend, seconds, growth)
        if process.returncode == -signal.SIGKILL:
            kills += 1
        elif process.returncode != 0:
            proof.violated(f"run {runs} ended with {process.returncode}: {errors.strip()[-600:]}")
        now = backend.count()
        moment.learn(now > documents)
        stalled = 0 if now > documents or process.returncode == 0 else stalled + 1
        documents = now
        if process.returncode == 0 and kills >= wanted:
            break
        if process.returncode == 0:
            # Done too early: more cards, until there were enough kills.
            pairs.make(photos, range(total, total + max(1, total // 10)))
            total += max(1, total // 10)
        if stalled > STALLED_KILLS:
            proof.violated(f"no progress over {stalled} runs")
            break
        if kills % 10 == 0:
            checks += 1
            finding = sandbox.check()
            if finding is not None:
                proof.violated(f"after {kills} kills: {finding}")
        if kills % 50 == 0:
            proof.progress(f"{kills} kills, {documents} documents")
    finding = sandbox.check()
    if finding is not None:
        proof.violated(f"at the end: {finding}")
    proof.judge_ledger(backend.ledger(), backend.refusals(), [Pairs.business_number(number) for number in range(total)])
    repeats = sum(count - 1 for count in verifier.requests().values())
    proof.figure("cards", 2 * total)
    proof.figure("kills", f"{kills} in {runs} runs")
    proof.figure("documents in the ledger", len(backend.ledger()))
    proof.figure("photos verified again after a kill", repeats)
    proof.figure("fsck", f"clean {checks + 1} times")


if __name__ == "__main__":
    Proof("prove-kills", DESCRIPTION, options).run(prove)
