"""`serve` under proof with what is around it, and honest clients that know what they were told."""

import os
import signal
import subprocess
import threading
import time
from collections import Counter, namedtuple
from pathlib import Path

from proofs.cards import Pairs, jpeg
from proofs.proof import Violation
from proofs.service_client import (
    ANSWER_SECONDS, HOST, Client, NoAnswer, Request, form_card, free_port, raw_card, send_until, webhook_card, webhook_secret,
)
from proofs.stage import Stage
from proofs.tool import BUSY, HANG_SECONDS, until

WAYS = ("form", "raw", "webhook")


class Serve(Stage):
    """`serve` over a sandbox of its own, on a port that stays the same however often it is started."""

    def __init__(self, proof, name, **settings):
        super().__init__(proof, name)
        self.secret = webhook_secret(proof.random)
        if "webhooks_secrets_file" not in settings:
            settings["webhooks_secrets"] = self.secret
        self.sandbox = self.new_sandbox(**BUSY, **settings)
        self.port, self.path = free_port(), os.path.join(proof.folder, f"{name}.log")
        self.log = open(self.path, "a", encoding="utf-8")
        self.process = None
        proof.keep_running(self)
        self.submissions = Submissions(self)
        self.token = self.new_token()

    def start(self, waits=True):
        arguments = ["serve", "--listen", f"{HOST}:{self.port}"]
        self.process = self.sandbox.start(arguments, stdout=subprocess.DEVNULL, stderr=self.log)
        if waits and not until(lambda: self.is_healthy(1), self.process):
            raise Violation(f"{self.name}: serve does not start ({self.process.poll()}): see {self.path}")

    def is_healthy(self, seconds=ANSWER_SECONDS):
        try:
            return self.ask("/healthz", seconds=seconds).status == 200
        except (OSError, NoAnswer):
            return False

    def ask(self, path, token=None, seconds=ANSWER_SECONDS):
        """One GET over a connection of its own."""
        with self.client(token, seconds) as client:
            return client.send(Request("GET", path))

    def client(self, token=None, seconds=ANSWER_SECONDS):
        return Client((HOST, self.port), token, seconds)

    def connect(self):
        return self.client().open()

    def kill(self):
        self.process.kill()
        self.process.wait()

    def end(self, seconds=HANG_SECONDS):
        """SIGTERM; it must end by that, in time."""
        self.process.send_signal(signal.SIGTERM)
        try:
            status = self.process.wait(timeout=seconds)
            self.expect(status == 143, f"serve ended with {status}, not by the signal: see {self.path}")
        except subprocess.TimeoutExpired:
            self.kill()
            self.violated(f"serve was still there {seconds} s after SIGTERM")

    def stop(self):
        if self.process is not None:
            self.kill()
        self.log.close()

    def said(self, words):
        """How often these words stand in its log."""
        return Path(self.path).read_bytes().count(words.encode())

    def wait(self, is_done, what, progress=lambda: 0):
        """Waits for something, as long as there is progress."""
        if not until(is_done, self.process, progress=progress):
            raise Violation(f"{self.name}: no {what}, at {progress()}; serve: {self.process.poll()}, see {self.path}")

    def listed(self):
        cards, cursor = {}, ""
        while cursor is not None:
            answer = self.ask(f"/v1/cards?limit=1000{cursor and '&cursor=' + cursor}", self.token)
            if answer.status != 200:
                raise Violation(f"{self.name}: the list of cards was answered {answer!r}")
            cards |= {card["card_id"]: card for card in answer.json["cards"]}
            cursor = answer.json.get("next_cursor")
        return cards

    def finish(self):
        """All is delivered; it ends in order; all is judged."""
        goal = 2 * len(self.submissions.indices)
        self.wait(lambda: self.backend.count() >= goal, f"{goal} documents", self.backend.count)
        self.submissions.expect_all_there("at the end")
        self.end()
        self.proof.expect_whole(self.sandbox, self.name)
        self.judge(self.submissions.indices)
        ways = ", ".join(f"{way} {count}" for way, count in sorted(self.submissions.ways.items()))
        self.figure("answered 202", f"{ways}; {self.submissions.repetitions} of them repetitions")
        self.figure("documents in the ledger", self.backend.count())


# One side of one pair: a request that says the same however often it is sent.
Submission = namedtuple("Submission", "name way request")


class Submissions:
    """Makes submissions, every third pair another way, and knows which card each was told to be."""

    def __init__(self, serve):
        self.serve, self.secret = serve, serve.secret
        # What was answered 202: its card, by which ways, and how often what was answered before.
        self.cards, self.ways, self.repetitions = {}, Counter(), 0
        self.indices, self.lock = set(), threading.Lock()

    def make(self, index, is_back):
        """One side of a pair that is to be delivered."""
        with self.lock:
            self.indices.add(index)
        return self.draft(index, is_back)

    def draft(self, index, is_back):
        place, number = 2 * index + is_back, Pairs.business_number(index)
        image = jpeg(self.serve.pairs.number(index), is_back)
        if place % 7 == 3:
            # It takes several pieces to arrive.
            image += b"specimen " * 7000 * (3 + place % 5)
        # A number belongs to its first submitter, and a webhook is another than a token.
        way, name = WAYS[index % len(WAYS)], f"{number}-{'back' if is_back else 'front'}"
        if way == "webhook":
            return Submission(name, way, webhook_card(image, number, self.secret, name))
        return Submission(name, way, (form_card if way == "form" else raw_card)(image, number, key=name))

    def until(self, stopped):
        """Whole pairs until it is enough."""
        with self.lock:
            index = max(self.indices, default=-1) + 1
        while not stopped.is_set():
            yield from (self.make(index, is_back) for is_back in (False, True))
            index += 1

    def count(self):
        return len(self.cards)

    def note(self, submission, answer, known):
        """Takes an answer; `known` is the card that the submission was told to be before it was sent."""
        if answer.status != 202:
            self.serve.violated(f"{submission.name} ({submission.way}) was answered {answer!r}")
            return
        card = answer.json["card_id"]
        with self.lock:
            first = self.cards.setdefault(submission.name, card)
            self.ways[submission.way] += 1
            self.repetitions += known is not None
        if card != first:
            self.serve.violated(f"{submission.name} ({submission.way}) is the card {card}, and was {first} before")
        if known is not None and answer.headers.get("idempotent-replayed") != "true":
            self.serve.violated(f"{submission.name} ({submission.way}) was answered before, but that is not said")

    def expect_all_there(self, when):
        """Every card that was acknowledged is in the list of the service."""
        with self.lock:
            wanted = dict(self.cards)
        there = self.serve.listed()
        for name, card in wanted.items():
            if there.get(card, {}).get("business_no") != name.rpartition("-")[0]:
                self.serve.violated(f"{when}: {name} was acknowledged as the card {card}, which is not there so")


class Clients:
    """Honest clients, each with a connection of its own, that share the submissions of a plan; without one they go on with
    new pairs until they are told to stop.

    Those that insist send each until it is taken, whatever becomes of the service; the others expect to be answered
    whenever they send."""

    def __init__(self, serve, plan=None, count=4, insists=True, pause=0.0):
        self.serve, self.submissions, self.stopped = serve, serve.submissions, threading.Event()
        self.plan = iter(self.submissions.until(self.stopped) if plan is None else plan)
        self.insists, self.pause, self.token = insists, pause, serve.token
        # How each was sent that was answered, and in how many seconds.
        self.lock, self.answered = threading.Lock(), []
        self.threads = [threading.Thread(target=self.work, daemon=True) for _ in range(count)]
        for thread in self.threads:
            thread.start()

    def stop(self):
        self.stopped.set()
        self.join()

    def join(self):
        for thread in self.threads:
            thread.join()

    def next(self):
        with self.lock:
            return next(self.plan, None)

    def work(self):
        try:
            with self.serve.client(self.token) as client:
                while (submission := self.next()) is not None:
                    self.send(client, submission)
                    time.sleep(self.pause)
        except Violation:
            # Noted with the others; the proof is at its end.
            pass

    def send(self, client, submission):
        known, started = self.submissions.cards.get(submission.name), time.monotonic()
        try:
            answer = send_until(client, submission.request) if self.insists else client.send(submission.request)
        except (OSError, NoAnswer) as error:
            self.serve.violated(f"{submission.name} ({submission.way}) got no answer: {error}")
            return
        with self.lock:
            self.answered.append((submission.way, time.monotonic() - started))
        self.submissions.note(submission, answer, known)

    def wait_for(self, count):
        goal = len(self.answered) + count
        self.serve.wait(lambda: len(self.answered) >= goal, "answer to honest clients", lambda: len(self.answered))
