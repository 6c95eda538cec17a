"""Who does the job: this pipeline, and what a team would write instead; all take the same job."""

import base64
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
PEERS = os.path.join(HERE, "peers")

DESCRIPTIONS = {
    "pipeline": "idcard-pipeline run: encryption, synchronous=FULL, de-duplication and the verdict on",
    "native": "a C program on libjpeg, SQLite and sockets: the floor",
    "vips": "Python, aiohttp, libvips (the engine inside sharp)",
    "async": "Python, aiohttp, Pillow in threads",
    "seq": "Python, requests, Pillow: the plain script",
    "seq-draft": "the same with the decoder's own reduction",
    "shell": "GNU parallel, djpeg, cjpeg, curl, sqlite3",
}


def names():
    return list(DESCRIPTIONS)


def command(name, folder, binary, job, output, verify, backend):
    """The command line and the environment's changes for one contender and one job."""
    arguments = [
        "--in", job.folder, "--out", output, "--verify", verify, "--backend", backend,
        "--quality", str(job.quality), "--max-edge", str(job.edge), "--limit", str(job.count),
    ]  # fmt: skip
    if name.startswith("pipeline"):
        return [binary, "run", "--manifest", manifest(job), "--quiet"], pipeline_environment(folder, job, output, verify, backend)
    if name == "native":
        return [os.path.join(folder, "native"), *arguments, "--inflight", str(job.inflight)], {}
    if name == "shell":
        return [os.path.join(PEERS, "peer_shell.sh"), *arguments], {"JOBS": "16" if job.latency else "4"}
    if name in ("async", "vips"):
        codec = "vips" if name == "vips" else "pillow"
        return [sys.executable, os.path.join(PEERS, "peer_async.py"), "--codec", codec, *arguments], {}
    draft = ["--draft"] if name == "seq-draft" else []
    return [sys.executable, os.path.join(PEERS, "peer_seq.py"), *draft, *arguments], {}


def manifest(job):
    """The same files as the peers take, each a case of its own."""
    path = os.path.join(job.folder, f"manifest-{job.count}.jsonl")
    if not os.path.exists(path):
        files = sorted(name for name in os.listdir(job.folder) if name.endswith(".jpg"))[: job.count]
        with open(path, "w", encoding="utf-8") as file:
            for index, name in enumerate(files):
                line = {"path": name, "business_no": f"CASE-{index:06d}", "user_no": "10086", "side": "front"}
                file.write(json.dumps(line) + "\n")
    return path


def pipeline_environment(folder, job, output, verify, backend):
    key = os.path.join(folder, "vault.key")
    if not os.path.exists(key):
        with open(os.open(key, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:
            file.write(base64.b64encode(os.urandom(32)).decode())
    return {
        "HOME": output,
        "IDCARD_SANDBOX_PATH": os.path.join(output, "sandbox"),
        "IDCARD_VAULT_KEY_FILE": os.path.abspath(key),
        "IDCARD_VERIFICATION_URL": verify,
        "IDCARD_VERIFICATION_API_KEY": "bench",
        "IDCARD_VERIFICATION_API_SECRET": "bench",
        "IDCARD_VERIFICATION_CONCURRENCY": str(job.inflight),
        "IDCARD_DELIVERY_URL": backend,
        "IDCARD_DELIVERY_TOKEN": "bench",
        "IDCARD_DELIVERY_USER_NO": "10086",
        "IDCARD_DELIVERY_CONCURRENCY": str(job.inflight),
        "IDCARD_IMAGING_QUALITY": str(job.quality / 100),
        "IDCARD_IMAGING_MAX_EDGE": str(job.edge or 65500),
    }
