"""Senders of webhooks as others write them: PyPI `standardwebhooks` signs, and some tamper with what it has signed."""

import base64
import json
import sqlite3
import threading
import uuid
from contextlib import closing
from datetime import datetime, timedelta, timezone

from standardwebhooks import Webhook

from proofs.service import NoAnswer, Request, send_until

PATH = "/v1/webhooks/cards"
# Of these a sender may not be right by chance: `webhooks.tolerance_past` is five minutes, `…_future` one.
TOO_OLD, TOO_EARLY = timedelta(minutes=-6), timedelta(minutes=2)
OLD_ENOUGH, EARLY_ENOUGH = timedelta(minutes=-4), timedelta(seconds=30)


def body_of(number, image, **fields):
    """The body of a message that carries its image."""
    data = {"business_no": number, **fields, "image_base64": base64.b64encode(image).decode()}
    return json.dumps({"type": "card.submitted", "timestamp": "2026-01-01T00:00:00Z", "data": data}).encode()


class Sender:
    """Signs messages with one secret."""

    def __init__(self, secret):
        self.hook = Webhook(secret)

    def message(self, body, name=None, shift=timedelta()):
        """A message whose time is now, or shifted."""
        name = name or f"msg_{uuid.uuid4().hex}"
        moment = datetime.now(timezone.utc) + shift
        fields = {
            "Content-Type": "application/json",
            "webhook-id": name,
            "webhook-timestamp": str(int(moment.timestamp())),
            "webhook-signature": self.hook.sign(name, moment, body.decode()),
        }
        return Request("POST", PATH, fields.items(), body)


def with_fields(message, **changes):
    """A message with other header fields; None takes one away."""
    fields = dict(message.headers)
    for name, value in changes.items():
        fields[name.replace("_", "-")] = value
    return Request("POST", PATH, [(name, value) for name, value in fields.items() if value is not None], message.body)


def tampered(sender, stranger, body, name):
    """Everything that may be wrong with a message, by what it is."""
    honest = sender.message(body, name)
    fields = dict(honest.headers)
    signature, moment = fields["webhook-signature"], int(fields["webhook-timestamp"])
    bare = signature.removeprefix("v1,")
    foreign = dict(sender.message(body + b" ", name).headers)["webhook-signature"]
    flipped = body.replace(b'"type"', b'"tYpe"')
    short = base64.b64encode(base64.b64decode(bare)[:16]).decode()
    yield "another body", Request("POST", PATH, honest.headers, flipped)
    yield "a longer body", Request("POST", PATH, honest.headers, body + b"\n")
    yield "a shorter body", Request("POST", PATH, honest.headers, body[:-1])
    yield "no body", Request("POST", PATH, honest.headers, b"")
    yield "another id", with_fields(honest, webhook_id=f"{name}x")
    yield "an id that takes part of the time", with_fields(honest, webhook_id=f"{name}.{moment}")
    yield "another time", with_fields(honest, webhook_timestamp=str(moment + 1))
    yield "an old time, signed", sender.message(body, name, TOO_OLD)
    yield "a time ahead, signed", sender.message(body, name, TOO_EARLY)
    yield "a time that is none", with_fields(honest, webhook_timestamp=f"{moment}.0")
    yield "no id", with_fields(honest, webhook_id=None)
    yield "no time", with_fields(honest, webhook_timestamp=None)
    yield "no signature", with_fields(honest, webhook_signature=None)
    yield "nothing of all that", Request("POST", PATH, [("Content-Type", "application/json")], body)
    yield "an empty id", with_fields(honest, webhook_id="")
    yield "an empty time", with_fields(honest, webhook_timestamp="")
    yield "an empty signature", with_fields(honest, webhook_signature="")
    yield "a signature without bytes", with_fields(honest, webhook_signature="v1,")
    yield "a signature without version", with_fields(honest, webhook_signature=bare)
    yield "version 2", with_fields(honest, webhook_signature=f"v2,{bare}")
    yield "version 1a", with_fields(honest, webhook_signature=f"v1a,{bare}")
    yield "half a signature", with_fields(honest, webhook_signature=f"v1,{short}")
    yield "no Base64", with_fields(honest, webhook_signature="v1,%%%%")
    yield "the signature of another body", with_fields(honest, webhook_signature=foreign)
    yield "another secret", stranger.message(body, name)
    yield "two ids", Request("POST", PATH, [*honest.headers, ("webhook-id", name)], body)
    yield "two times", Request("POST", PATH, [*honest.headers, ("webhook-timestamp", str(moment))], body)


def rows(sandbox):
    """How many rows each table of the sandbox has."""
    with closing(sqlite3.connect(f"file:{sandbox.path}/sandbox.sqlite3?mode=ro", uri=True, timeout=30)) as database:
        names = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {name: database.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0] for name in names}


def visible(answer):
    """All of an answer but the name of the request and the time."""
    problem = answer.json
    problem.pop("request_id", None)
    fields = {name: value for name, value in answer.headers.items() if name not in ("request-id", "date")}
    return answer.status, json.dumps(problem, sort_keys=True), json.dumps(fields, sort_keys=True)


def expect_refusals(proof, service, sender, stranger, body, name):
    """Every tampering is refused, all with the same words, and nothing is stored; returns what was found, in words."""
    before = rows(service.sandbox)
    seen = {}
    count = 0
    for what, message in tampered(sender, stranger, body, name):
        count += 1
        with service.client() as client:
            answer = client.send(message)
        if answer.status != 401:
            proof.violated(f"a webhook with {what} was answered with {answer!r}")
            continue
        seen.setdefault(visible(answer), []).append(what)
    if len(seen) > 1:
        least = min(seen.values(), key=len)
        proof.violated(f"the refusals differ: that of {', '.join(least[:3])} says something else than the others")
    after = rows(service.sandbox)
    changed = [table for table in after if after[table] != before.get(table)]
    if changed:
        proof.violated(f"tampered webhooks were refused, and something was stored in {', '.join(changed)}")
    return f"{count} kinds, {len(seen)} kind of refusal, {len(changed)} tables changed"


def expect_card(proof, answer, what, card=None, is_repeated=None):
    """A 202 of a card, of this one if it is named; returns its id."""
    if answer.status != 202:
        proof.violated(f"{what} was answered with {answer!r}")
        return card
    found = answer.json["card_id"]
    if card is not None and found != card:
        proof.violated(f"{what} was answered with another card")
    if is_repeated is not None and (answer.headers.get("idempotent-replayed") == "true") != is_repeated:
        proof.violated(f"{what} was {'not ' if is_repeated else ''}answered as a repetition")
    return found


def expect_retries(proof, service, sender, body, name):
    """The honest message goes through, and again; another body under its name does not."""
    with service.client() as client:
        # Under the name that all the tampering used: none of it left a trace.
        card = expect_card(proof, client.send(sender.message(body, name)), "an honest webhook", is_repeated=False)
        before = rows(service.sandbox)["card"]
        for what, shift in (("at once", timedelta()), ("late", OLD_ENOUGH), ("by a fast clock", EARLY_ENOUGH)):
            answer = client.send(sender.message(body, name, shift))
            expect_card(proof, answer, f"its retry {what}", card, is_repeated=True)
        # As a sender does who is in the middle of a change of its secret.
        message = sender.message(body, name)
        strange = base64.b64encode(bytes(32)).decode()
        several = f"v1a,{strange} v1,{strange} {dict(message.headers)['webhook-signature']}"
        answer = client.send(with_fields(message, webhook_signature=several))
        expect_card(proof, answer, "its retry with several signatures", card, is_repeated=True)
        others = {"another image": body_of("PROOF-OTHER", b"\xff\xd8\xff other"), "one more byte": body + b" "}
        for what, other in others.items():
            answer = client.send(sender.message(other, name))
            if (answer.status, answer.code) != (409, "webhook_id_reused"):
                proof.violated(f"{what} under the same id was answered with {answer!r}, not with 409")
        if rows(service.sandbox)["card"] != before:
            proof.violated("retries, or other messages under the same id, made cards")
    service.kill()
    service.start()
    with service.client() as client:
        answer = client.send(sender.message(body, name))
        expect_card(proof, answer, "its retry after a kill", card, is_repeated=True)
        answer = client.send(sender.message(body + b" ", name))
        if answer.status != 409:
            proof.violated(f"another body under the same id was, after a kill, answered with {answer!r}, not with 409")


def expect_one_of_many(proof, service, sender, body, name, count=8):
    """The same message from several connections at once is one card."""
    message = sender.message(body, name)
    answers = []

    def send():
        with service.client() as client:
            answers.append(send_until(client, message)[0])

    threads = [threading.Thread(target=send) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    cards = {expect_card(proof, answer, "one of several sendings at once") for answer in answers}
    if len(answers) != count or len(cards) != 1:
        proof.violated(f"{count} sendings of one message at once: {len(answers)} answers, {len(cards)} cards")


class Crowd:
    """Senders that never stop, each with its secret, which it changes when it is told to."""

    def __init__(self, service, secret, bodies):
        self.service, self.bodies = service, bodies
        self.senders = [Sender(secret)] * len(bodies)
        self.sent = [0] * len(bodies)
        self.refusals = []
        self.ended = threading.Event()
        self.threads = [threading.Thread(target=self.work, args=(index,)) for index in range(len(bodies))]
        for thread in self.threads:
            thread.start()

    def work(self, index):
        with self.service.client() as client:
            while not self.ended.is_set():
                try:
                    answer = client.send(self.senders[index].message(self.bodies[index]))
                    if answer.status != 202:
                        self.refusals.append(repr(answer))
                except (NoAnswer, OSError) as error:
                    self.refusals.append(f"{error.__class__.__name__}: {error}")
                self.sent[index] += 1
                self.ended.wait(0.01)

    def change(self, secret):
        """All change over, one after the other, in the midst of their work."""
        for index in range(len(self.senders)):
            self.senders[index] = Sender(secret)
            self.wait_for_more()

    def wait_for_more(self, count=2):
        """Waits until every one has sent some more; returns whether they did."""
        goal = [sent + count for sent in self.sent]
        while any(sent < more for sent, more in zip(self.sent, goal)):
            if not any(thread.is_alive() for thread in self.threads) or self.ended.wait(0.01):
                return False
        return True

    def end(self):
        self.ended.set()
        for thread in self.threads:
            thread.join()
