"""scripts/prove-serve: cards arrive over HTTP while the service is killed, besieged, stopped up, ended and reloaded."""

import contextlib
import os
import signal
import threading
import time

from proofs.changes import Changes, write_secret
from proofs.hostile import MIB
from proofs.proof import Proof
from proofs.service import Request, webhook_secret
from proofs.siege import MEMORY, Siege
from proofs.stage import Stage

DESCRIPTION = """\
Proves `serve` over loopback, with clients that submit pairs of cards as forms, bare images and webhooks, some repeated:
  kills     the process is killed (SIGKILL) at random, at least 30 times, while it starts, too
  hostile   slow connections, idle ones, floods of header fields, parts and bytes, bodies that end early, wrong lengths;
            honest clients are answered meanwhile, memory and descriptors are watched
  pressure  the verifier hangs or is gone, and the queue is full: 503 until it is back
  ending    SIGTERM under load, with slow clients and a verifier that hangs
  reload    tokens and webhook secrets change under load, with SIGHUP
Expects that whatever was answered 202 is there afterwards, that each repetition is told the same card, exactly one
accepted document per side in the backend's ledger, and a clean fsck."""

CLIENTS = 6
# More than it takes to close a store and to end a process.
ENDING_SECONDS = 20


def options(parser):
    parser.add_argument("--part", choices=sorted(Parts.names()), help="only this part (default: all)")
    parser.add_argument("--kills", type=int, help="at least so many kills (default: 30; with --quick 3)")
    parser.add_argument("--pairs", type=int, help="pairs submitted under kills (default: 300; with --quick 12)")


class Limits:
    """How many hostile clients there are of each kind, and which limits of the service they meet."""

    def __init__(self, quick):
        self.connections = 160 if quick else 512
        self.slow = 120 if quick else 500
        self.idle = 500 if quick else 2000
        # How many do the same at once, and how many requests each of them cuts off.
        self.together = 3 if quick else 16
        self.truncated = 20 if quick else 100
        # A gigabyte is one beyond any of these.
        self.settings = {"server_max_connections": self.connections}
        if quick:
            self.settings |= {
                "imaging_max_source_bytes": "2MiB",
                "webhooks_body_bytes": "3MiB",
                "webhooks_memory_bytes": "8MiB",
                "server_header_timeout": "2s",
                "server_body_timeout": "1s",
                "server_body_grace": "1s",
                "server_write_timeout": "1s",
            }
        self.webhook_memory = (8 if quick else 128) * MIB


class Parts:
    """The parts of the proof, each by its name."""

    def __init__(self, proof):
        self.proof, self.quick, self.random = proof, proof.options.quick, proof.random

    @staticmethod
    def names():
        return [name for name in vars(Parts) if not name.startswith("_") and name not in ("names", "run")]

    def run(self):
        for name in self.names():
            if self.proof.options.part in (None, name):
                started = time.monotonic()
                getattr(self, name)()
                self.proof.progress(f"{name}: {time.monotonic() - started:.0f} s")

    def kills(self):
        stage = Stage(self.proof, "kills")
        pairs = self.proof.options.pairs or (12 if self.quick else 300)
        kills = self.proof.options.kills if self.proof.options.kills is not None else (3 if self.quick else 30)
        plan = self._repeating(stage.submissions, pairs)
        stage.serve.start()
        clients = stage.clients(plan, count=CLIENTS)
        for kill in range(kills):
            goal = 2 * pairs * (kill + self.random.uniform(0.2, 1)) / (kills + 1)
            stage.wait(
                lambda goal=goal: stage.submissions.count() >= goal, "acknowledgement", stage.submissions.count
            )
            # Anywhere within the requests that are under way.
            time.sleep(self.random.uniform(0, 0.1))
            stage.serve.kill()
            if kill % 5 == 1:
                # It dies once more, while it starts.
                stage.serve.start(waits=False)
                time.sleep(self.random.uniform(0, 0.5))
                stage.serve.kill()
            if kill % 10 == 9 and (finding := stage.sandbox.check()) is not None:
                stage.violated(f"after {kill + 1} kills: {finding}")
            stage.serve.start()
            stage.submissions.expect_all_there(stage.serve, stage.token, f"after kill {kill + 1}")
            if kill % 10 == 9:
                self.proof.progress(f"{kill + 1} kills, {stage.submissions.count()} cards acknowledged")
        clients.join()
        # Once more, all of them: long delivered, or not yet.
        stage.clients(list({submission.name: submission for submission in plan}.values()), count=CLIENTS).join()
        stage.figure("kills", f"{kills + (kills + 3) // 5} ({(kills + 3) // 5} of them while it started)")
        stage.finish()

    def _repeating(self, submissions, pairs):
        """All submissions, a third of them once more soon after: before, while or after the first is answered."""
        plan = [submissions.make(index, is_back) for index in range(pairs) for is_back in (False, True)]
        for submission in self.random.sample(plan, len(plan) // 3):
            plan.insert(plan.index(submission) + self.random.randint(1, 8), submission)
        return plan

    def hostile(self):
        limits = Limits(self.quick)
        stage = Stage(self.proof, "hostile", **limits.settings)
        siege = Siege(stage, limits)
        siege.begin()
        hostile = siege.hostile
        siege.attack("slow", hostile.slow)
        siege.attack("idle", lambda: hostile.idle(Siege.HONEST + 1))
        siege.attack("answers nobody reads", hostile.unread_answers)
        siege.attack("header floods", hostile.header_floods)
        siege.attack("forms of 10,000 parts", hostile.forms)
        siege.attack("1 GB bodies", hostile.huge_bodies)
        # What is kept of each is told with the room that growing arrays have.
        siege.attack("1 GB webhooks", hostile.huge_webhooks, MEMORY + 2 * limits.webhook_memory)
        siege.attack("bodies that end early", hostile.truncated)
        siege.attack("wrong lengths", hostile.wrong_lengths)
        siege.end()
        stage.finish()

    def pressure(self):
        limit = 6 if self.quick else 50
        source = self.proof.subfolder("source")
        stage = Stage(
            self.proof,
            "pressure",
            has_door=True,
            sandbox_max_queue=limit,
            sources=f"inbox={source}",
            verification_timeout="60s",
            breaker_failures=3,
            breaker_open_for="200ms",
            breaker_open_cap="1s",
        )
        stage.door.open()
        stage.serve.start()
        for way in ("hangs", "is gone"):
            with stage.without_verifier(way):
                taken, refused = self._fill(stage, limit)
                self._expect_pressure(stage, way)
                before = stage.submissions.count()
            # Those refused come again, with others behind them.
            first = stage.submissions.next_index
            more = [stage.submissions.make(first + index // 2, index % 2) for index in range(limit)]
            stage.clients([*refused, *more], count=CLIENTS).join()
            stage.wait(lambda: stage.serve.readiness() == (200, []), "readiness")
            if stage.submissions.count() != before + len(refused) + len(more):
                stage.violated(f"the verifier {way}: not all that was refused was taken afterwards")
            # The next round begins with an empty queue.
            stage.wait_for_documents()
            stage.figure(f"the verifier {way}", f"{taken} taken at a limit of {limit}, then 503 queue_full, then all")
        stage.finish()

    def _fill(self, stage, limit):
        """Submits until nothing more is taken; returns how many were, and what was refused."""
        with stage.serve.client(stage.token) as client:
            stopped = threading.Event()
            taken, refused = 0, []
            for submission in stage.submissions.until(stopped, stage.submissions.next_index):
                if refused:
                    # The back of a front that was refused.
                    refused.append(submission)
                    continue
                answer = client.send(submission.request)
                if answer.status == 202:
                    stage.submissions.note(submission, answer, None)
                    taken += 1
                    continue
                stopped.set()
                refused.append(submission)
                if answer.code != "queue_full" or taken < limit:
                    stage.violated(f"{submission.name} was answered {answer!r} after {taken} of {limit} were taken")
            return taken, refused

    def _expect_pressure(self, stage, way):
        """Whoever comes is told when to come again, and everybody else why."""
        with stage.serve.client(stage.token) as client:
            for place in range(3):
                submission = stage.submissions.draft(1_000_000 + place, False)
                self._expect_refusal(stage, way, submission.way, client.send(submission.request))
            run = Request("POST", "/v1/runs", [("Content-Type", "application/json")], b'{"source": "inbox"}')
            self._expect_refusal(stage, way, "run", client.send(run))
        status, reasons = stage.serve.readiness()
        if status != 503 or "queue_full" not in reasons:
            stage.violated(f"the verifier {way}: /readyz is {status} {reasons} with a full queue")
        if not stage.serve.is_healthy():
            stage.violated(f"the verifier {way}: /healthz does not say that it lives")

    @staticmethod
    def _expect_refusal(stage, way, what, answer):
        if answer.code != "queue_full" or answer.status != 503 or not answer.retry_after:
            found = f"{answer!r}, Retry-After {answer.retry_after}"
            stage.violated(f"the verifier {way}: {what} was answered {found} with a full queue")

    def ending(self):
        seconds = 1 if self.quick else 5
        stage = Stage(self.proof, "ending", run_shutdown_timeout=f"{seconds}s")
        stopped = threading.Event()
        stage.serve.start()
        clients = stage.clients(stage.submissions.until(stopped), count=CLIENTS, pause=0.1 if self.quick else 0.02)
        ways = ("with slow clients", "the verifier hangs", "twice")
        longest = 0.0
        rounds = len(ways) if self.quick else 5 * len(ways)
        for number in range(rounds):
            way = ways[number % len(ways)]
            goal = stage.submissions.count() + self.random.randint(3, 12)
            stage.wait(lambda: stage.submissions.count() >= goal, "acknowledgement", stage.submissions.count)
            longest = max(longest, self._end(stage, way, seconds))
            stage.serve.start()
            stage.submissions.expect_all_there(stage.serve, stage.token, f"after SIGTERM {number + 1} ({way})")
        stopped.set()
        clients.join()
        stage.figure("SIGTERM", f"{rounds} times: {', '.join(ways)}")
        stage.figure("longest end", f"{longest:.2f} s, run.shutdown_timeout {seconds} s")
        stage.finish()

    @staticmethod
    def _end(stage, way, seconds):
        """One SIGTERM; returns how long the end took."""
        with contextlib.ExitStack() as stack:
            if way == "the verifier hangs":
                stack.enter_context(stage.without_verifier("hangs"))
            if way == "with slow clients":
                for place in range(6):
                    request = stage.submissions.draft(1_000_000 + place, False).request
                    slow = stack.enter_context(stage.serve.connect())
                    slow.say(request.head(stage.token) + request.body[: len(request.body) // 2])
                    stack.enter_context(stage.serve.connect())
            started = time.monotonic()
            if way == "twice":
                stage.serve.process.send_signal(signal.SIGTERM)
                # The second says more than the first only if it comes after it.
                time.sleep(0.05)
            status = stage.serve.end(seconds=seconds + ENDING_SECONDS)
            took = time.monotonic() - started
        if status is None:
            stage.violated(f"serve was still there {seconds + ENDING_SECONDS} s after SIGTERM ({way})")
        elif status != 143:
            stage.violated(f"serve ended with {status} after SIGTERM ({way}): see {stage.serve.path}")
        return took

    def reload(self):
        secrets = os.path.join(self.proof.subfolder("reload"), "secrets")
        old, new = (webhook_secret(self.random) for _ in range(2))
        write_secret(secrets, old)
        stage = Stage(self.proof, "reload", webhooks_secrets_file=secrets)
        stage.submissions.secret = old
        changes = Changes(stage, secrets)
        stage.serve.start()
        first, stage.token = stage.token, None
        changes.begin(first)
        # The new ones beside the old ones, then the new ones alone; nobody waits.
        second = stage.serve.token("second")
        changes.expect_token(second, False)
        write_secret(secrets, old, new)
        changes.reload()
        changes.expect_token(second, True)
        changes.expect_secret(new, True)
        changes.end_clients()
        stage.submissions.secret = new
        changes.begin(second)
        outcome = stage.sandbox.run(["tokens", "revoke", "desk"])
        if outcome.status != 0:
            stage.violated(f"tokens revoke ended with {outcome.status}: {outcome.tail()}")
        changes.expect_token(first, True)
        write_secret(secrets, new)
        changes.reload()
        changes.expect_token(first, False)
        changes.expect_secret(old, False)
        # What cannot be read changes nothing.
        kept = changes.break_tokens()
        changes.reload("cannot be read")
        changes.expect_token(second, True)
        changes.mend_tokens(kept)
        for _ in range(3 if self.quick else 50):
            changes.reload()
        changes.end_clients()
        stage.token = second
        stage.figure("SIGHUP", f"{changes.count} times")
        stage.finish()


def prove(proof):
    Parts(proof).run()


if __name__ == "__main__":
    Proof("prove-serve", DESCRIPTION, options).run(prove)
