"""clients: senders and test tools of other makers talk to `serve`.

PyPI standardwebhooks signs webhooks of each type, and what is tampered with leaves no trace; schemathesis makes requests
out of /openapi.json. Forms of other makers' libraries are read by Tests/MultipartFormTests/Interop.
"""

import json
import os
import pathlib
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

from proofs.cards import Pairs, jpeg
from proofs.proof import Skip
from proofs.remote import SCRIPTS
from proofs.served import Serve
from proofs.service_client import HOST, Request, Webhook, hook_body, hook_card, send_until, webhook_secret
from proofs.tool import HANG_SECONDS

# A sender may be wrong by five minutes.
TOO_OLD, TOO_EARLY = timedelta(minutes=-6), timedelta(minutes=6)
OLD_ENOUGH, EARLY_ENOUGH = timedelta(minutes=-4), timedelta(minutes=4)


def photo(proof, index, side):
    return jpeg(Pairs(proof.seed).number(index), side == "back")


def expect_types(proof, client, secret, image):
    """Only card.created brings a card; the status that each other type has, with an image and without."""
    deleted = {"type": "card.deleted", "data": {"business_no": "N-1", "card_id": "x"}}
    messages = [("ping", {"type": "ping"}, 204), ("card.deleted", deleted, 204), ("no type", {"data": deleted["data"]}, 422)]
    for what, message, status in messages:
        answer = client.send(Webhook(json.dumps(message).encode(), secret))
        proof.expect(answer.status == status, f"{what} was answered with {answer!r}")
    for kind in ("card.deleted", "ping", "", None):
        answer = client.send(Webhook(hook_body(hook_card(image, "N-1", side="front"), type=kind), secret))
        found = (answer.status, answer.code)
        proof.expect(found == (422, "webhook_type_unknown"), f"an image of the type {kind!r} was answered with {answer!r}")
    return len(messages) + 4


def tampered(secret, stranger, body, name):
    """What is wrong with a message, and the message; the tests of the service try more."""
    honest = Webhook(body, secret, name).fields()
    _, id_field, time_field, _ = honest
    return {
        "another secret": Webhook(body, stranger, name),
        "another body": request(honest, body + b"\n"),
        "two ids": request([*honest, id_field], body),
        "two times": request([*honest, time_field], body),
        "an old time": Webhook(body, secret, name, TOO_OLD),
        "a time ahead": Webhook(body, secret, name, TOO_EARLY),
    }


def request(fields, body):
    return Request("POST", "/v1/webhooks/cards", fields, body)


def webhooks(proof):
    """Honest messages are taken, their retries are the same card; tampering leaves nothing."""
    serve, name = Serve(proof, "webhooks"), "msg_proof"
    serve.start()
    serve.submissions.indices.add(0)
    secret, number = serve.secret, Pairs.business_number(0)
    body = hook_body(hook_card(photo(proof, 0, "front"), number, side="front"))
    wrong = tampered(secret, webhook_secret(proof.random), body, name)
    with serve.client() as client:
        for what, message in wrong.items():
            answer = client.send(message)
            proof.expect(answer.status == 401, f"a webhook with {what} was answered with {answer!r}")
        types = expect_types(proof, client, secret, photo(proof, 1, "front"))
        proof.expect(not serve.listed(), "tampered webhooks, or those of other types, made cards")
        # Under the name that all the tampering used.
        card = expect_card(proof, client.send(Webhook(body, secret, name)), "an honest webhook", None, False)
        for what, shift in (("at once", timedelta()), ("late", OLD_ENOUGH), ("by a fast clock", EARLY_ENOUGH)):
            expect_card(proof, client.send(Webhook(body, secret, name, shift)), f"its retry {what}", card, True)
    serve.kill()
    serve.start()
    with serve.client() as client:
        expect_card(proof, client.send(Webhook(body, secret, name)), "its retry after a kill", card, True)
        anew = json.dumps(json.loads(body) | {"timestamp": "2026-01-01T00:00:09Z"}, indent=1).encode()
        expect_card(proof, client.send(Webhook(anew, secret, name)), "its retry whose JSON is written anew", card, True)
        others = {"another image": hook_body(hook_card(b"\xff\xd8\xff", number, side="front"))}
        others["another number"] = hook_body(hook_card(photo(proof, 0, "front"), "N-1", side="front"))
        for what, other in others.items():
            answer = client.send(Webhook(other, secret, name))
            if (answer.status, answer.code) != (409, "webhook_id_reused"):
                proof.violated(f"{what} under the same id was answered with {answer!r}, not with 409")
    back = Webhook(hook_body(hook_card(photo(proof, 0, "back"), number, side="back")), secret)
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: send_until(serve.client(), back), range(8)))
    cards = {expect_card(proof, answer, "one of several sendings at once") for answer in answers}
    proof.expect(len(cards) == 1, f"8 sendings at once made {len(cards)} cards")
    kinds = f"{len(wrong)} kinds of tampering refused, {types} messages of other types"
    proof.figure("webhooks", f"{kinds}, {len(answers)} sendings at once")
    serve.finish()


def expect_card(proof, answer, what, card=None, is_repeated=None):
    """A 202 of a card, of this one if it is named; returns its id."""
    found = answer.json.get("card_id") if answer.status == 202 else None
    if found is None or card not in (None, found):
        proof.violated(f"{what} was answered with {answer!r} {found}, not with the card {card}")
    if is_repeated is not None and (answer.headers.get("idempotent-replayed") == "true") != is_repeated:
        proof.violated(f"{what} was {'not ' if is_repeated else ''}answered as a repetition")
    return found


def document(proof):
    """schemathesis, with a token of all scopes, and without a token."""
    cases = 3 if proof.quick else 100
    # Every border of every parameter takes its time.
    phases = ["fuzzing", "stateful"] + ([] if proof.quick else ["examples", "coverage"])
    inbox = proof.subfolder("inbox")
    Pairs(proof.seed).make(inbox, range(2))
    serve = Serve(proof, "document", sources=f"inbox={inbox}")
    everything = serve.new_token("everything", "operate")
    serve.start()
    for name, token in {"with-a-token": everything, "without-a-token": None}.items():
        if proof.quick and token is None:
            break
        report = schemathesis(proof, serve, name, token, cases, phases)
        for failure in report["failures"]:
            proof.violated(f"schemathesis ({name}): {failure['title']}: {', '.join(failure['operations'])}")
        for error in report["errors"]:
            proof.violated(f"schemathesis ({name}) could not go on: {json.dumps(error)[:300]}")
        tested, total = report["operations"]["tested"], report["operations"]["total"]
        proof.expect(tested == total > 0, f"schemathesis ({name}) tried {tested} of {total} operations")
        proof.expect(serve.is_alive and serve.is_healthy(), f"after schemathesis ({name}) the service does not answer")
        proof.figure(f"schemathesis {name}", f"{tested} operations, {report['test_cases']['generated']} cases")
    serve.end()
    proof.expect_whole(serve.sandbox, "document")


def schemathesis(proof, serve, name, token, cases, phases):
    folder = proof.subfolder(f"schemathesis-{name}")
    path = pathlib.Path(folder, "report.json")
    command = [
        sys.executable, "-m", "schemathesis.cli", "--config-file", os.path.join(SCRIPTS, "interop", "schemathesis.toml"),
        "--no-color", "run", f"http://{HOST}:{serve.port}/openapi.json", "--checks", "all", "--max-examples", str(cases),
        "--seed", str(proof.seed), "--report", "json", "--report-json-path", str(path), "--generation-database", "none",
        "--request-timeout", "60",
        # An erased card has a tombstone, as the document says. Who asks often without a good token is answered 429, which the
        # check of that does not know: the tests of the service ask so.
        "--exclude-checks", "use_after_free,ignored_auth" + ("" if token else ",missing_required_header"),
        # A busy machine is no finding.
        "--suppress-health-check", "all", "--phases", ",".join(phases),
    ]
    if token is not None:
        command += ["--header", f"Authorization: Bearer {token}"]
    environment = {
        "PATH": os.environ.get("PATH", "/usr/bin:/bin"), "HOME": folder, "TMPDIR": folder, "PYTHONPATH": SCRIPTS,
        "PYTHONDONTWRITEBYTECODE": "1", "SCHEMATHESIS_HOOKS": "proofs.document_hooks",
    }
    with open(os.path.join(folder, "output.txt"), "w", encoding="utf-8") as output:
        subprocess.run(
            command, env=environment, cwd=folder, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
            timeout=max(HANG_SECONDS, cases * 30), check=False,
        )
    if not path.exists():
        raise Skip(f"schemathesis made no report: see {output.name}")
    return json.loads(path.read_text("utf-8"))


PARTS = {"webhooks": webhooks, "document": document}
