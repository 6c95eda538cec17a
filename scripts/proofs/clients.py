"""clients: senders and test tools of other makers talk to `serve`.

PyPI standardwebhooks signs webhooks; schemathesis makes requests out of /openapi.json. Forms of other makers' libraries are
read by Tests/MultipartFormTests/Interop.
"""

import json
import os
import pathlib
import subprocess
import sys

from proofs.cards import Pairs
from proofs.proof import Skip
from proofs.remote import SCRIPTS
from proofs.served import WAYS, Clients, Serve
from proofs.service_client import HOST, Request
from proofs.tool import HANG_SECONDS


def webhooks(proof):
    """A field that stands twice leaves nothing; several sendings at once are one card, and those after a kill the same."""
    serve = Serve(proof, "webhooks")
    serve.start()
    front, back = (serve.submissions.make(WAYS.index("webhook"), is_back) for is_back in (False, True))
    fields = front.request.fields()
    _, name, moment, _ = fields
    for twice in (name, moment):
        with serve.client() as client:
            answer = client.send(Request("POST", front.request.path, [*fields, twice], front.request.body))
        proof.expect(answer.status == 401, f"a webhook with {twice[0]} twice was answered with {answer!r}")
    proof.expect(not serve.listed(), "a webhook with a field twice made a card")
    Clients(serve, [front] * 8 + [back] * 8, count=8).join()
    serve.kill()
    serve.start()
    Clients(serve, [front, back], count=1).join()
    serve.finish()


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
