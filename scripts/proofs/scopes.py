"""Who may do what: each operation of the served document, asked with each scope alone, and with none."""

import io
import json
import os
import signal
import time

from PIL import Image

from proofs.cards import jpeg
from proofs.service import Request, raw_card
from proofs.submitters import ENDS, NAME
from proofs.tool import HANG_SECONDS

SCOPES = ("submit", "read", "operate")
JSON = [("Content-Type", "application/json")]


def reload(service):
    """Has `serve` read tokens and secrets anew; when it has, its answers tell."""
    service.process.send_signal(signal.SIGHUP)


def wait_until(holds, seconds=HANG_SECONDS):
    """Whether something holds in time."""
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def no_card():
    """A photo on which there is no card, as no card is so narrow."""
    data = io.BytesIO()
    Image.new("RGB", (200, 400), (90, 120, 60)).save(data, "JPEG", quality=90)
    return data.getvalue()


class Errands:
    """One request for each operation, of which each has something to do."""

    def __init__(self, proof, service, tokens, pairs, source):
        self.proof, self.service, self.tokens, self.source = proof, service, tokens, source
        self.front = jpeg(pairs.number(0), False)
        self.other = jpeg(pairs.number(1), False)
        self.new = jpeg(pairs.number(2), False)
        self.shown = self.take_in("SCOPE-SHOWN", self.front, "delivered")
        self.erased = self.take_in("SCOPE-ERASED", self.front, "delivered", key="scope-erased")
        self.rejected = self.take_in("SCOPE-REJECTED", no_card(), "rejected")
        self.held = self.take_in("SCOPE-HELD", self.other, "held", expected_name="somebody")
        self.run = self.start_run()

    def take_in(self, number, image, state, key=None, **fields):
        """A card in a certain state; returns its id."""
        with self.service.client(self.tokens["all"]) as client:
            answer = client.send(raw_card(image, number, key, **fields))
            if answer.status != 202:
                self.proof.violated(f"{number} was answered with {answer!r}")
                return "none"
            card = answer.json["card_id"]
            wait_until(lambda: self.state(client, card) in ENDS)
            if self.state(client, card) != state:
                self.proof.violated(f"{number} is {self.state(client, card)}, not {state}")
            return card

    @staticmethod
    def state(client, card):
        answer = client.send(Request("GET", f"/v1/cards/{card}"))
        return answer.json["card"]["state"] if answer.status == 200 else f"status {answer.status}"

    def start_run(self):
        with self.service.client(self.tokens["all"]) as client:
            answer = client.send(self.requests["startRun"]())
            if answer.status != 202:
                self.proof.violated(f"a run was answered with {answer!r}")
                return "none"
            run = answer.json["run_id"]

            def has_ended():
                return client.send(Request("GET", f"/v1/runs/{run}")).json["state"] != "running"

            if not wait_until(has_ended):
                self.proof.violated("a run over one pair came to no end")
            return run

    @property
    def requests(self):
        """By the id of the operation."""

        def card(method, name, rest="", headers=(), body=b""):
            return Request(method, f"/v1/cards/{name}{rest}", headers, body)

        return {
            "submitCard": lambda: raw_card(self.new, "SCOPE-NEW"),
            "listCards": lambda: Request("GET", "/v1/cards?limit=5"),
            "showCard": lambda: card("GET", self.shown),
            "eraseCard": lambda: card("DELETE", self.erased, headers=[("Card-Why", "the holder asked for it")]),
            "retryCard": lambda: card("POST", self.rejected, "/retry"),
            "resolveCard": lambda: card("POST", self.held, "/resolve", JSON, json.dumps({"as": "reject"}).encode()),
            "startRun": lambda: Request("POST", "/v1/runs", JSON, json.dumps({"source": self.source}).encode()),
            "showRun": lambda: Request("GET", f"/v1/runs/{self.run}"),
            "metrics": lambda: Request("GET", "/metrics"),
            "live": lambda: Request("GET", "/healthz"),
            "ready": lambda: Request("GET", "/readyz"),
            "openapi": lambda: Request("GET", "/openapi.json"),
            "receiveWebhook": lambda: Request("POST", "/v1/webhooks/cards", JSON, b"{}"),
        }

    def ask(self, token, request):
        with self.service.client(self.tokens.get(token)) as client:
            return client.send(request)

    def standing(self):
        """How the cards stand of which there is one for an operation."""
        found = []

        def have_ended():
            with self.service.client(self.tokens["all"]) as client:
                cards = (self.shown, self.erased, self.rejected, self.held)
                found[:] = [self.state(client, card) for card in cards]
            return all(state in (*ENDS, "erased") for state in found)

        # What is judged again is under way for a while.
        wait_until(have_ended)
        return found


def operations(document):
    """The operations of a document: id, scope (None: no token), whether a signature is needed, statuses of success."""
    for path in document["paths"].values():
        for operation in path.values():
            codes = {int(code) for code in operation["responses"]}
            successes = {code for code in codes if code < 300}
            yield operation["operationId"], operation.get("x-scope"), codes, successes


def expect_scopes(proof, errands):
    """Each operation with no token and with each scope alone; returns how many requests that were."""
    document = errands.ask(None, Request("GET", "/openapi.json")).json
    asked = 0
    named = set()
    # What changes something comes last, so that everything has something to do.
    for name, scope, codes, successes in sorted(operations(document), key=lambda each: each[0] == "eraseCard"):
        named.add(name)
        request = errands.requests.get(name)
        if request is None:
            proof.violated(f"the document has an operation {name} which this proof does not know")
            continue
        before = errands.standing()
        callers = [None, *(other for other in SCOPES if other != scope)] + ([scope] if scope else [])
        for caller in callers:
            asked += 1
            answer = errands.ask(caller, request())
            expect_answer(proof, name, caller, scope, answer, successes)
            if answer.status not in codes:
                proof.violated(f"{name} was answered with {answer!r}, which the document does not know")
            if caller != scope and errands.standing() != before:
                proof.violated(f"{name} with {caller or 'no token'} was refused, and changed something")
    for name in errands.requests.keys() - named:
        proof.violated(f"the document has no operation {name}")
    return len(named), asked


def expect_answer(proof, name, caller, scope, answer, successes):
    """One answer to a caller with one scope, or none, for an operation that needs another, the same, or none."""
    what = f"{name} with {f'the scope {caller} alone' if caller else 'no token'}"
    if name == "receiveWebhook":
        # A signature counts, whoever it is.
        if (answer.status, answer.code) != (401, "signature_invalid"):
            proof.violated(f"{what} was answered with {answer!r}, not with 401")
    elif scope is None or caller == scope:
        if answer.status not in successes:
            proof.violated(f"{what} was answered with {answer!r}")
    elif caller is None:
        if (answer.status, answer.code) != (401, "unauthorized"):
            proof.violated(f"{what} was answered with {answer!r}, not with 401")
        if not answer.headers.get("www-authenticate", "").startswith("Bearer"):
            proof.violated(f"{what} is not told how to authenticate")
    elif (answer.status, answer.code) != (403, "scope_missing"):
        proof.violated(f"{what} was answered with {answer!r}, not with 403")
    elif 'error="insufficient_scope"' not in answer.headers.get("www-authenticate", ""):
        proof.violated(f"{what} is not told which scope is missing")


def expect_reveal(proof, errands):
    """What is personal is shown to `read` and `operate` together, and to nobody else."""
    request = Request("GET", f"/v1/cards/{errands.shown}?reveal=true")
    for caller in SCOPES:
        answer = errands.ask(caller, request)
        if (answer.status, answer.code) != (403, "scope_missing"):
            proof.violated(f"reveal=true with the scope {caller} alone was answered with {answer!r}, not with 403")
    answer = errands.ask("all", request)
    if answer.status != 200 or answer.json.get("fields", {}).get("name") != NAME:
        proof.violated(f"reveal=true with all scopes was answered with {answer!r}, without the name")
    plain = errands.ask("all", Request("GET", f"/v1/cards/{errands.shown}"))
    if plain.status != 200 or "fields" in plain.json or NAME in plain.body.decode():
        proof.violated("what is personal is shown unasked")


def expect_tombstone(proof, errands):
    """The card that was erased over HTTP is gone, and what it leaves says nothing of anybody."""
    request = errands.requests["eraseCard"]
    certificates = [errands.ask("operate", request()) for _ in range(2)]
    for certificate in certificates:
        if certificate.status != 200 or certificate.json.get("card_id") != errands.erased:
            proof.violated(f"erasing a card that is erased was answered with {certificate!r}, not with its certificate")
    if certificates[0].body != certificates[1].body:
        proof.violated("a second erasure was answered with another certificate than the first")
    for path in (f"/v1/cards/{errands.erased}", f"/v1/cards/{errands.erased}?reveal=true"):
        answer = errands.ask("all", Request("GET", path))
        if answer.status != 200 or answer.json["card"]["state"] != "erased":
            proof.violated(f"the erased card is shown as {answer!r}, not as a tombstone")
            continue
        said = {"fields", "legality", "image_bytes", "message"} & answer.json.keys()
        if said or "SCOPE-ERASED" in answer.body.decode() or NAME in answer.body.decode():
            proof.violated(f"the tombstone says more than that there was a card: {', '.join(sorted(said)) or 'whose'}")
    found = errands.ask("read", Request("GET", "/v1/cards?business_no=SCOPE-ERASED"))
    if found.json["cards"]:
        proof.violated("the erased card is found by its business number")
    for rest in ("/retry", "/resolve"):
        body = b'{"as": "accept"}' if rest == "/resolve" else b""
        answer = errands.ask("operate", Request("POST", f"/v1/cards/{errands.erased}{rest}", JSON, body))
        if answer.status != 409:
            proof.violated(f"{rest[1:]} of the erased card was answered with {answer!r}, not with 409")
    again = errands.ask("all", raw_card(errands.front, "SCOPE-ERASED", "scope-erased"))
    if (again.status, again.json.get("state")) != (202, "erased"):
        proof.violated(f"the submission of the erased card, repeated, was answered with {again!r}")
    journal = os.path.join(errands.service.sandbox.path, "erasures.jsonl")
    with open(journal, encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    if [line.get("card_id") for line in lines].count(errands.erased) < 1:
        proof.violated("erasures.jsonl has no line for the erased card")
    unknown = errands.ask("operate", Request("DELETE", "/v1/cards/00000000-0000-7000-8000-000000000000"))
    if (unknown.status, unknown.code) != (404, "card_not_found"):
        proof.violated(f"erasing a card that never was was answered with {unknown!r}, not with 404")


def expect_revocation(proof, service, tokens):
    """A token that is taken back is refused after SIGHUP, one that is new is taken, all others go on."""
    request = Request("GET", "/v1/cards?limit=1")

    def status(token):
        with service.client(token) as client:
            return client.send(request).status

    leaver = service.token("leaver", "read")
    reload(service)
    if not wait_until(lambda: status(leaver) == 200):
        proof.violated("a new token is not taken after SIGHUP")
    outcome = service.sandbox.run(["tokens", "revoke", "leaver"])
    if outcome.status != 0:
        proof.violated(f"tokens revoke ended with {outcome.status}: {outcome.tail()}")
    with service.client(leaver) as client:
        # Over a connection that was let in before.
        client.send(request)
        reload(service)
        if not wait_until(lambda: status(leaver) == 401):
            proof.violated("a token that was revoked is taken after SIGHUP")
        answer = client.send(request)
        if (answer.status, answer.code) != (401, "unauthorized"):
            proof.violated(f"a revoked token over its old connection was answered with {answer!r}")
    if status(tokens["read"]) != 200:
        proof.violated("another token was lost when one was revoked")
