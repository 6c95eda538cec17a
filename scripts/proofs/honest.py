"""What honest clients of `serve` submit, what they were told, and the clients themselves."""

import threading
import time
from collections import Counter

from proofs.cards import Pairs, jpeg
from proofs.proof import Violation
from proofs.service import NoAnswer, form_card, raw_card, send_until, webhook_card

WAYS = ("form", "raw", "webhook")
# So many bytes of comment one JPEG segment holds.
COMMENT_BYTES = 65533


def heavier(image, segments):
    """The same picture with comments in it, so that it takes several pieces to arrive."""
    comment = b"\xff\xfe\xff\xff" + b"specimen " * (COMMENT_BYTES // 9) + b"." * (COMMENT_BYTES % 9)
    return image[:2] + comment * segments + image[2:]


class Submission:
    """One side of one pair: a request that says the same however often it is sent."""

    def __init__(self, name, way, request):
        self.name, self.way, self.request = name, way, request


class Submissions:
    """Makes submissions, every third one another way, and knows which card each was told to be."""

    def __init__(self, proof, secret):
        self.proof, self.secret = proof, secret
        self.pairs = Pairs(proof.seed)
        self.cards = {}
        # What was answered 202: by its way, and how often a request that was answered before.
        self.ways = Counter()
        self.repetitions = 0
        self.indices = set()
        self.lock = threading.Lock()

    def make(self, index, is_back):
        """One side of a pair that is to be delivered."""
        with self.lock:
            self.indices.add(index)
        return self.draft(index, is_back)

    def draft(self, index, is_back):
        """One side of a pair."""
        place = 2 * index + is_back
        image = jpeg(self.pairs.number(index), is_back)
        if place % 7 == 3:
            image = heavier(image, 3 + place % 5)
        number = Pairs.business_number(index)
        name = f"{number}-{'back' if is_back else 'front'}"
        way = WAYS[place % len(WAYS)]
        if way == "webhook":
            request = webhook_card(image, number, self.secret, name)
        else:
            request = (form_card if way == "form" else raw_card)(image, number, key=name)
        return Submission(name, way, request)

    def until(self, stopped, first=0):
        """Whole pairs until it is enough."""
        index = first
        while not stopped.is_set():
            for is_back in (False, True):
                yield self.make(index, is_back)
            index += 1

    @property
    def next_index(self):
        with self.lock:
            return max(self.indices, default=-1) + 1

    def card(self, submission):
        """The card that a submission was told to be; None if it was told nothing yet."""
        with self.lock:
            return self.cards.get(submission.name)

    def count(self):
        """How many submissions were acknowledged."""
        with self.lock:
            return len(self.cards)

    def note(self, submission, answer, known):
        """Takes an answer; `known` is the card that the submission was told to be before it was sent."""
        if answer.status != 202:
            self.proof.violated(f"{submission.name} ({submission.way}) was answered {answer!r}")
            return
        card = answer.json["card_id"]
        with self.lock:
            first = self.cards.setdefault(submission.name, card)
            self.ways[submission.way] += 1
            self.repetitions += known is not None
        if card != first:
            self.proof.violated(f"{submission.name} ({submission.way}) is the card {card}, and was {first} before")
        if known is not None and answer.headers.get("idempotent-replayed") != "true":
            self.proof.violated(f"{submission.name} ({submission.way}) was answered before, but that is not said")

    def expect_all_there(self, serve, token, when):
        """Every card that was acknowledged is in the list of the service."""
        with self.lock:
            wanted = dict(self.cards)
        there = listed(serve, token)
        for name, card in wanted.items():
            if card not in there:
                self.proof.violated(f"{when}: {name} was acknowledged as the card {card}, which is not there")
            elif there[card]["business_no"] != name.rpartition("-")[0]:
                self.proof.violated(f"{when}: the card {card} of {name} has another business number")

    def business_numbers(self):
        return [Pairs.business_number(index) for index in sorted(self.indices)]


def listed(serve, token):
    """All cards of the service by their ids."""
    cards, cursor = {}, ""
    while cursor is not None:
        answer = serve.ask(f"/v1/cards?limit=1000{cursor and '&cursor=' + cursor}", token)
        if answer.status != 200:
            raise RuntimeError(f"the list of cards was answered {answer!r}")
        cards |= {card["card_id"]: card for card in answer.json["cards"]}
        cursor = answer.json.get("next_cursor")
    return cards


class Clients:
    """Honest clients, each with a connection of its own, that share the submissions of a plan.

    Those that insist send each until it is taken, whatever becomes of the service; the others expect to be answered
    whenever they send."""

    def __init__(self, proof, serve, token, submissions, plan, count=4, insists=True, pause=0.0):
        self.proof, self.serve, self.token, self.submissions = proof, serve, token, submissions
        self.plan, self.insists, self.pause = iter(plan), insists, pause
        self.lock = threading.Lock()
        self.answers = 0
        self.longest = 0.0
        self.threads = [threading.Thread(target=self.work, daemon=True) for _ in range(count)]

    def start(self):
        for thread in self.threads:
            thread.start()
        return self

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
        known = self.submissions.card(submission)
        started = time.monotonic()
        try:
            answer = None if self.insists else self.send_once(client, submission)
            answer = answer or send_until(client, submission.request)[0]
        except NoAnswer as error:
            self.proof.violated(f"{submission.name} ({submission.way}) got no answer: {error}")
            return
        with self.lock:
            self.answers += 1
            self.longest = max(self.longest, time.monotonic() - started)
        self.submissions.note(submission, answer, known)

    def send_once(self, client, submission):
        """The answer to the first sending, which must be 202; None if it is not: then it is sent until it is taken, so
        that the rest can be judged."""
        try:
            answer = client.send(submission.request)
        except (OSError, NoAnswer) as error:
            self.proof.violated(f"{submission.name} ({submission.way}) got no answer at first: {error}")
            return None
        if answer.status == 202:
            return answer
        self.proof.violated(f"{submission.name} ({submission.way}) was answered {answer!r} at first")
        return None
