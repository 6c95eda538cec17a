"""scripts/prove-clients: other people's clients, senders and test tools talk to the service."""

import json
import os
import signal
from collections import Counter

from proofs.cards import Pairs, jpeg
from proofs.document import expect_document
from proofs.endpoints import Backend, Verifier
from proofs.proof import Proof
from proofs.scopes import (
    SCOPES,
    Errands,
    expect_revocation,
    expect_reveal,
    expect_scopes,
    expect_tombstone,
    reload,
    wait_until,
)
from proofs.senders import (
    Crowd,
    Sender,
    body_of,
    expect_one_of_many,
    expect_refusals,
    expect_retries,
)
from proofs.service import Serve, webhook_secret
from proofs.submitters import NAME, SIDES, Browser, Desk, Page, programs, write_secret
from proofs.tool import Sandbox

DESCRIPTION = """\
Lets the clients that people use talk to `serve`, over loopback:
- curl, python-requests and node's fetch (forms, raw bodies, chunked), and a page of another origin in a browser (Debian
  package chromium), each submit a front and a back and follow them to their delivery;
  a page of an origin that is not allowed gets nowhere;
- PyPI `standardwebhooks` signs webhooks: honest ones are taken, and their retries are the same card; whatever is
  tampered with gets one and the same refusal and leaves nothing behind; secrets change without a refusal to anyone;
- schemathesis makes requests out of the served document, with a token and without, and finds no answer that breaks it;
- each operation is asked with each scope alone; an erased card stays erased; a revoked token is refused."""

# Limits of pace are another proof's.
PLENTY = 1_000_000


class Scene:
    """The service with everything around it."""

    def __init__(self, proof, name, pages=(), secrets=(), **settings):
        self.proof = proof
        folder = proof.subfolder(name)
        self.verifier = proof.keep_running(Verifier(folder))
        self.backend = proof.keep_running(Backend(proof.tool.binary, folder))
        self.secrets = os.path.join(folder, "webhook-secrets")
        self.keep(secrets)
        self.sandbox = Sandbox(
            proof.tool,
            os.path.join(folder, "work"),
            self.verifier.url,
            self.backend.url,
            verification_concurrency=4,
            delivery_concurrency=4,
            imaging_concurrency=2,
            server_rate_limit=PLENTY,
            server_failed_rate_limit=PLENTY,
            server_cors_origins=",".join(page.origin for page in pages),
            webhooks_secrets_file=self.secrets,
            **settings,
        )
        self.service = proof.keep_running(Serve(proof, self.sandbox, name))
        self.tokens = {scope: self.service.token(scope, scope) for scope in SCOPES}
        self.tokens["desk"] = self.service.token("desk", "submit", "read")
        self.tokens["all"] = self.service.token("all", *SCOPES)
        self.service.start()

    def keep(self, secrets):
        """Writes the secrets of the senders down, as an operator does."""
        write_secret(self.secrets + ".new", "".join(secret + "\n" for secret in secrets))
        os.rename(self.secrets + ".new", self.secrets)

    def end(self):
        """The service ends in order, and its sandbox is whole."""
        status = self.service.end(signal.SIGTERM)
        if status != 143:
            self.proof.violated(f"serve ended with {status}, not by the signal: see {self.service.path}")
        finding = self.sandbox.check()
        if finding is not None:
            self.proof.violated(finding)


def prove_submitters(proof):
    """Every client brings its pairs to their delivery; a page that may not gets nowhere."""
    photos = proof.subfolder("photos")
    pages = [proof.keep_running(Page(photos)) for _ in range(2)]
    scene = Scene(proof, "submitters", pages[:1])
    desk = Desk(scene.service.url, scene.tokens["desk"], photos, proof.subfolder("desk"))
    clients = programs(desk)
    numbers = [Pairs.business_number(index) for index in range(len(clients) + 3)]
    Pairs(proof.seed).make(photos, range(len(numbers)))
    for client, number in zip(clients, numbers):
        judge_delivery(proof, client.name, client.deliver(number))
        proof.progress(client.name)
    proof.figure("clients, a pair each", ", ".join(client.name.replace(", ", " ") for client in clients))
    delivered = numbers[: len(clients)]
    program = Browser.installed()
    if program is not None:
        delivered += visit(proof, scene, desk, Browser(program, desk.folder), pages, numbers[len(clients) :])
    else:
        proof.left_out("the page in a browser needs the Debian package chromium: run scripts/setup")
    scene.end()
    proof.judge_ledger(scene.backend.ledger(), scene.backend.refusals(), delivered)


def judge_delivery(proof, name, found):
    """What came back to a client for front and back."""
    if "error" in found:
        proof.violated(f"{name}: {found['error']}")
        return
    for side in SIDES:
        answer = found[side]
        if answer["status"] != 202:
            proof.violated(f"{name}: the {side} was answered with {answer['status']}: {answer['text'][:300]}")
        elif answer["location"] != f"/v1/cards/{json.loads(answer['text'])['card_id']}":
            proof.violated(f"{name}: the {side} is said to be at {answer['location']}, which is not its card")
        elif answer["state"] != "delivered":
            proof.violated(f"{name}: the {side} ended {answer['state']}")


def visit(proof, scene, desk, browser, pages, numbers):
    """A page of an origin that is allowed, and one of another; returns what the first has submitted."""
    ways = dict(zip(numbers, ("form", "raw")))
    reports = browser.visit(pages[0], [desk.order(way, number) for number, way in ways.items()])
    for number, way in ways.items():
        missing = {"error": "the page said nothing: see browser.log"}
        judge_delivery(proof, f"the page in a browser ({way})", reports.get(number, missing))
    foreign = numbers[2]
    report = browser.visit(pages[1], [desk.order("form", foreign)]).get(foreign)
    # What a browser lets a page know of it, and no more.
    if report is None or "TypeError" not in report.get("error", ""):
        proof.violated(f"a page of an origin that is not allowed was not kept out: {report}")
    found = scene.service.ask(f"/v1/cards?business_no={foreign}", desk.token).json["cards"]
    if found:
        proof.violated("a page of an origin that is not allowed has submitted a card")
    program = os.path.basename(browser.program)
    proof.figure("page in a browser", f"{program}: {', '.join(ways.values())}; of another origin: {len(found)} cards")
    return list(ways)


def prove_senders(proof):
    """Webhooks signed by other people's code, and tampered with."""
    old, new = webhook_secret(proof.random), webhook_secret(proof.random)
    scene = Scene(proof, "senders", secrets=[old])
    service, pairs = scene.service, Pairs(proof.seed)
    sender, stranger = Sender(old), Sender(webhook_secret(proof.random))
    first = body_of(Pairs.business_number(0), jpeg(pairs.number(0), False), expected_name=NAME)
    name = f"msg_{proof.random.getrandbits(64):016x}"
    proof.figure("tampered webhooks", expect_refusals(proof, service, sender, stranger, first, name))
    expect_retries(proof, service, sender, first, name)
    second = body_of(Pairs.business_number(1), jpeg(pairs.number(1), False))
    expect_one_of_many(proof, service, sender, second, f"{name}-many")
    proof.progress("tampering and retries")
    senders = proof.options.senders or (4 if proof.options.quick else 8)
    indices = range(2, 2 + senders)
    bodies = [body_of(Pairs.business_number(index), jpeg(pairs.number(index), False)) for index in indices]
    crowd = expect_rotation(proof, scene, old, new, bodies)
    proof.figure(
        "change of secrets", f"{senders} senders, {sum(crowd.sent)} webhooks meanwhile, {len(crowd.refusals)} refused"
    )
    numbers = [Pairs.business_number(index) for index in range(2 + senders)]
    judge_webhook_cards(proof, service, scene, numbers)
    scene.end()


def expect_rotation(proof, scene, old, new, bodies):
    """Old, both, new: the senders change in between, and none of them is ever refused; returns them."""

    def is_taken(secret):
        with scene.service.client() as client:
            return client.send(Sender(secret).message(bodies[0])).status == 202

    crowd = Crowd(scene.service, old, bodies)
    try:
        crowd.wait_for_more()
        if is_taken(new):
            proof.violated("a secret was taken before it was named")
        scene.keep([new, old])
        reload(scene.service)
        if not wait_until(lambda: is_taken(new)):
            proof.violated("a second secret is not taken after SIGHUP")
        crowd.wait_for_more()
        if not is_taken(old):
            proof.violated("the old secret is refused beside the new one")
        crowd.change(new)
        scene.keep([new])
        reload(scene.service)
        if not wait_until(lambda: not is_taken(old)):
            proof.violated("the old secret is still taken after SIGHUP")
        crowd.wait_for_more()
    finally:
        crowd.end()
    for refusal in crowd.refusals[:3]:
        proof.violated(f"a sender was refused during the change of secrets: {refusal}")
    return crowd


def judge_webhook_cards(proof, service, scene, numbers):
    """One card per business number, and nothing else."""
    token = scene.tokens["read"]

    def cards():
        return service.ask("/v1/cards?limit=100", token).json["cards"]

    # No front waits for anything.
    wait_until(lambda: all(card["state"] == "delivered" for card in cards()))
    found = sorted((card["business_no"], card["state"]) for card in cards())
    if found != sorted((number, "delivered") for number in numbers):
        proof.violated(f"the webhooks left {found}, not one delivered card for each of {len(numbers)} messages")
    documents = sorted(line["business_no"] for line in scene.backend.ledger())
    if documents != sorted(numbers):
        proof.violated(f"the ledger holds {len(documents)} documents of {len(numbers)} messages")


def prove_document(proof):
    """schemathesis with a token of all scopes, and, unless it is to be short, without a token."""
    cases = proof.options.cases or (3 if proof.options.quick else 100)
    # Every border of every parameter takes its time.
    phases = ["fuzzing", "stateful"] + ([] if proof.options.quick else ["examples", "coverage"])
    inbox = proof.subfolder("inbox")
    Pairs(proof.seed).make(inbox, range(2))
    scene = Scene(proof, "document", secrets=[webhook_secret(proof.random)], sources=f"inbox={inbox}")
    callers = {"with a token": scene.tokens["all"], "without a token": None}
    for name, token in list(callers.items())[: 1 if proof.options.quick else 2]:
        report = expect_document(proof, scene, name.replace(" ", "-"), token, cases, phases)
        if report is not None:
            operations, generated = report["operations"]["tested"], report["test_cases"]["generated"]
            proof.figure(f"schemathesis {name}", f"{operations} operations, {generated} cases")
            proof.progress(f"schemathesis {name}: {generated} cases")
        if not scene.service.is_alive or not scene.service.is_healthy():
            proof.violated(f"after schemathesis {name} the service does not answer: see {scene.service.path}")
            return
    cards = Counter(card["state"] for card in scene.sandbox.cards())
    proof.figure("cards it made", ", ".join(f"{state}: {count}" for state, count in sorted(cards.items())) or "none")
    scene.end()


def prove_scopes(proof):
    """Who may do what, and that what was erased or revoked stays so."""
    inbox = proof.subfolder("run")
    pairs = Pairs(proof.seed)
    pairs.make(inbox, [9])
    scene = Scene(
        proof,
        "scopes",
        secrets=[webhook_secret(proof.random)],
        sources=f"inbox={inbox}",
        verdict_severity_holder_name_mismatch="hold",
    )
    errands = Errands(proof, scene.service, scene.tokens, pairs, "inbox")
    expect_reveal(proof, errands)
    operations, asked = expect_scopes(proof, errands)
    proof.figure("scopes", f"{operations} operations, {asked} requests with one scope or none")
    expect_tombstone(proof, errands)
    expect_revocation(proof, scene.service, scene.tokens)
    proof.progress("scopes, erasure, revocation")
    scene.end()


PARTS = {
    "submitters": prove_submitters,
    "senders": prove_senders,
    "document": prove_document,
    "scopes": prove_scopes,
}


def options(parser):
    parser.add_argument("--cases", type=int, help="cases of schemathesis per operation (default: 100; with --quick 3)")
    parser.add_argument("--senders", type=int, help="senders while secrets change (default: 8; with --quick 4)")
    parser.add_argument("--only", choices=list(PARTS), help="one of the parts (default: all)")


def prove(proof):
    for name, part in PARTS.items():
        if proof.options.only in (None, name):
            part(proof)


if __name__ == "__main__":
    Proof("prove-clients", DESCRIPTION, options).run(prove)
