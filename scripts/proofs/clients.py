"""clients: schemathesis makes requests to `serve` out of /openapi.json."""

import json
import os
import pathlib
import subprocess
import sys

from proofs.cards import Pairs
from proofs.proof import Skip
from proofs.remote import SCRIPTS
from proofs.served import Serve
from proofs.service_client import HOST
from proofs.tool import HANG_SECONDS


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
    tokens = {"with-a-token": everything} | ({} if proof.quick else {"without-a-token": None})
    for name, token in tokens.items():
        report = schemathesis(proof, serve, name, token, cases, phases)
        for failure in report["failures"]:
            proof.violated(f"schemathesis ({name}): {failure['title']}: {', '.join(failure['operations'])}")
        for error in report["errors"]:
            proof.violated(f"schemathesis ({name}) could not go on: {json.dumps(error)[:300]}")
        tested, total = report["operations"]["tested"], report["operations"]["total"]
        proof.expect(tested == total > 0, f"schemathesis ({name}) tried {tested} of {total} operations")
        proof.expect(serve.is_healthy(), f"after schemathesis ({name}) the service does not answer")
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


PARTS = {"document": document}
