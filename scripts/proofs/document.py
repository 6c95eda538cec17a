"""What schemathesis makes out of the served document: requests that keep it and requests that do not."""

import json
import os
import subprocess
import sys

from proofs.endpoints import SCRIPTS
from proofs.tool import HANG_SECONDS

SETTINGS = os.path.join(SCRIPTS, "interop", "schemathesis.toml")


def expect_document(proof, scene, name, token, cases, phases):
    """One run with its checks, and without a failure; returns its report."""
    folder = proof.subfolder(f"schemathesis-{name}")
    path = os.path.join(folder, "report.json")
    command = [
        sys.executable, "-m", "schemathesis.cli", "--config-file", SETTINGS, "--no-color", "run",
        scene.service.url + "/openapi.json", "--checks", "all", "--max-examples", str(cases), "--seed", str(proof.seed),
        "--report", "json", "--report-json-path", path, "--generation-database", "none", "--request-timeout", "60",
        # An erased card has a tombstone, as the document says: another part of the proof looks at it.
        "--exclude-checks", "use_after_free",
        # A busy machine is no finding.
        "--suppress-health-check", "all", "--phases", ",".join(phases),
    ]
    if token is not None:
        command += ["--header", f"Authorization: Bearer {token}"]
    environment = {
        "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
        "HOME": folder,
        "TMPDIR": folder,
        "PYTHONPATH": SCRIPTS,
        "PYTHONDONTWRITEBYTECODE": "1",
        "SCHEMATHESIS_HOOKS": "proofs.document_hooks",
    }
    result = subprocess.run(
        command, env=environment, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=max(HANG_SECONDS, cases * 30), check=False,
    )
    with open(os.path.join(folder, "output.txt"), "w", encoding="utf-8") as file:
        file.write(result.stdout + result.stderr)
    if not os.path.exists(path):
        proof.violated(f"schemathesis ({name}) ended with {result.returncode}: {result.stderr.strip()[-600:]}")
        return None
    with open(path, encoding="utf-8") as file:
        report = json.load(file)
    judge(proof, name, result, report)
    return report


def judge(proof, name, result, report):
    for failure in report["failures"]:
        operations = ", ".join(failure["operations"])
        proof.violated(f"schemathesis ({name}): {failure['title']}: {operations} (see schemathesis-{name}/output.txt)")
    for error in report["errors"]:
        proof.violated(f"schemathesis ({name}) could not go on: {json.dumps(error)[:300]}")
    operations = report["operations"]
    if operations["tested"] != operations["total"]:
        proof.violated(f"schemathesis ({name}) tried {operations['tested']} of {operations['total']} operations")
    if result.returncode != 0 and not report["failures"] and not report["errors"]:
        proof.violated(f"schemathesis ({name}) ended with {result.returncode}: {result.stdout.strip()[-600:]}")
