"""scripts/prove-lost-answers: the backend commits, and its answer is lost."""

from proofs.cards import Pairs
from proofs.endpoints import Backend, LossyProxy, Verifier
from proofs.proof import Proof
from proofs.tool import Sandbox

DESCRIPTION = """\
Puts a proxy before the backend that lets every request through and loses 30 % of the answers (the backend has committed,
the connection ends instead). Under delivery.on_unknown=resend expects every document exactly once; under hold expects
that the cards whose answer was lost are held, are shown by `cards list --state held`, and are not sent again."""

SHARE = 0.3


def options(parser):
    parser.add_argument("--cards", type=int, help="how many cards (default: 200; with --quick 40)")


def prepare(proof, name, policy, photos):
    folder = proof.subfolder(name)
    verifier = proof.keep_running(Verifier(folder))
    backend = proof.keep_running(Backend(proof.tool.binary, folder))
    proxy = proof.keep_running(LossyProxy(folder, backend, SHARE, f"{name}-{proof.seed}"))
    sandbox = Sandbox(
        proof.tool,
        folder,
        verifier.url,
        proxy.url,
        delivery_on_unknown=policy,
        verification_concurrency=4,
        delivery_concurrency=4,
    )
    outcome = sandbox.take_in(photos)
    if outcome.crash is not None:
        proof.violated(f"{policy}: {outcome.crash}: {outcome.tail()}")
    return backend, proxy, sandbox, outcome


def resend(proof, photos, expected):
    backend, proxy, sandbox, outcome = prepare(proof, "resend", "resend", photos)
    if outcome.status != 0:
        proof.violated(f"resend: the run ended with {outcome.status}: {outcome.tail()}")
    counts = proxy.counts()
    if counts["lost"] == 0:
        proof.violated("resend: the proxy lost nothing; there was nothing to prove")
    proof.judge_ledger(backend.ledger(), backend.refusals(), expected, "resend: ")
    finding = sandbox.check()
    if finding is not None:
        proof.violated(f"resend: {finding}")
    requests = counts["lost"] + counts["passed"]
    proof.figure("resend", f"{len(backend.ledger())} documents once each, {requests} uploads, {counts['lost']} answers lost")


def hold(proof, photos, expected):
    backend, proxy, sandbox, outcome = prepare(proof, "hold", "hold", photos)
    ledger, counts, held = backend.ledger(), proxy.counts(), sandbox.cards("--state", "held")
    if outcome.status != 1:
        proof.violated(f"hold: the run ended with {outcome.status}, not 1: {outcome.tail()}")
    if len(held) != counts["lost"] or counts["lost"] == 0:
        proof.violated(f"hold: {counts['lost']} answers were lost, but {len(held)} cards are held")
    for card in held:
        if card["reason"] != "outcome_unknown":
            proof.violated(f"hold: a card is held for {card['reason']}")
    again = sandbox.take_in(photos)
    if again.status != 1:
        proof.violated(f"hold: the second run ended with {again.status}, not 1: {again.tail()}")
    if len(sandbox.cards("--state", "held")) < len(held):
        proof.violated("hold: a second run took cards out of `held` by itself")
    documents = [(line["business_no"], line["doctype"]) for line in backend.ledger()]
    if len(set(documents)) != len(documents):
        proof.violated("hold: a document stands in the ledger twice")
    if backend.refusals():
        proof.violated("hold: a held card was sent again")
    if not set(number for number, _ in documents) <= set(expected):
        proof.violated("hold: the ledger holds a case that was never taken in")
    finding = sandbox.check()
    if finding is not None:
        proof.violated(f"hold: {finding}")
    proof.figure("hold", f"{len(held)} cards held for {counts['lost']} lost answers, {len(ledger)} documents once each")


def prove(proof):
    cards = proof.options.cards or (40 if proof.options.quick else 200)
    numbers = range(cards // 2)
    photos = proof.subfolder("photos")
    Pairs(proof.seed).make(photos, numbers)
    expected = [Pairs.business_number(number) for number in numbers]
    resend(proof, photos, expected)
    hold(proof, photos, expected)


if __name__ == "__main__":
    Proof("prove-lost-answers", DESCRIPTION, options).run(prove)
