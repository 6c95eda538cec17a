"""leaks: what is planted in the inputs appears nowhere but where it belongs, and what was erased is gone.

Names, numbers, EXIF and pixels are planted in a pair. It goes through runs that succeed, fail and are killed, with the log
at `trace`; then output, files, backups, arguments and environments of children are searched, in several spellings.
"""

import json
import os
import sqlite3
import threading
import time
from collections import defaultdict
from contextlib import closing, suppress
from pathlib import Path

from proofs.planted import ADDRESS, HOLDER, METADATA, Plant, files_below
from proofs.remote import Backend
from proofs.shim import Shim
from proofs.stage import Stage
from proofs.tool import HANG_SECONDS, Outcome, descendants, read_process

ERASE = ["cards", "erase", "--yes", "--why", "proof"]
SYSTEM_FOLDERS = ("/dev/", "/proc/", "/sys/")
# A call that makes a file in memory, which has a name and no path.
IN_MEMORY = "memfd"
PIECE = 24
# Tables with sealed values of one card or delivery, and the column that says whose.
OWNED = {"card": "id", "card_key": "card", "blob": "card", "delivery": "id"}
# Keyed fingerprints, which the tombstone keeps on purpose: by them a file is known that may not come back.
FINGERPRINTS = {"source", "holder"}


class Kept:
    """What an attacker copied out of the sandbox before the erasure: wrapped keys and sealed values."""

    def __init__(self, sandbox, cards):
        theirs, others = defaultdict(list), []
        path = os.path.join(sandbox.path, "sandbox.sqlite3")
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
            database.row_factory = sqlite3.Row
            rows = database.execute("SELECT delivery, card FROM delivery_card")
            owners = {*cards, *(row["delivery"] for row in rows if row["card"] in cards)}
            for table, column in OWNED.items():
                for row in database.execute(f"SELECT * FROM {table}"):
                    values = {name: row[name] for name in row.keys() if isinstance(row[name], bytes) and name not in FINGERPRINTS}
                    for name, value in values.items():
                        (theirs[f"{table}.{name}"] if row[column] in owners else others).append(value)
        common = b"".join(others)
        self.pieces = {name: [piece for value in values for piece in self.cut(value) if piece not in common] for name, values in theirs.items()}

    @staticmethod
    def cut(value):
        """Pieces all over a sealed value, which stand in no other file by chance."""
        return [value[at : at + PIECE] for at in range(0, len(value) - PIECE + 1, max(PIECE, len(value) // 64))]

    def left_in(self, folder):
        """`file: what` for every kept value of which a piece stands in a file."""
        for path, data in files_below(folder):
            yield from (f"{path}: {name}" for name, pieces in self.pieces.items() if any(piece in data for piece in pieces))


class Observer(threading.Thread):
    """Reads the arguments and environments of a process's descendants as long as it lives."""

    def __init__(self, process, pipe):
        super().__init__(daemon=True)
        # A child that reads from this named pipe gets its line once it has been looked at.
        self.process, self.pipe, self.words = process, pipe, set()

    def run(self):
        while self.process.poll() is None:
            family = descendants(self.process.pid)
            self.words |= {read_process(pid, name) for pid in family for name in ("cmdline", "environ")} - {b""}
            if family:
                self.feed()
            time.sleep(0.002)

    def feed(self):
        # Fails as long as nothing reads.
        with suppress(OSError):
            descriptor = os.open(self.pipe, os.O_WRONLY | os.O_NONBLOCK)
            os.write(descriptor, b"proof-token\n")
            os.close(descriptor)


class Search(Stage):
    """The planted pair, and where it was looked for."""

    def __init__(self, proof):
        super().__init__(proof, "canaries", PROOF_HOLDER=HOLDER, PROOF_ADDRESS=ADDRESS)
        self.shim, self.plant = Shim(proof.folder), Plant(self.subfolder("photos"), self.pairs.number(0), "PROOF-CANARY")
        self.take_in = ["run", "--manifest", self.plant.manifest]
        self.looked, self.children, self.written = 0, set(), set()
        self.pipe = os.path.join(proof.folder, "token")
        os.mkfifo(self.pipe, 0o600)

    def new_sandbox(self, name, **settings):
        return super().new_sandbox(name, log_level="trace", **settings)

    def look(self, data, where):
        self.looked += 1
        found = self.plant.found_in(data.encode(errors="replace") if isinstance(data, str) else data)
        self.proof.expect(not found, f"{where}: {', '.join(found)}")

    def run(self, sandbox, arguments, where, variables=None):
        """Runs a command under watch; what it prints must be clean, the path of a source aside."""
        trace = os.path.join(sandbox.folder, "written")
        variables = variables or self.shim.variables("count")
        process = sandbox.start(arguments, {**variables, "PROOF_SHIM_TRACE": trace, "PROOF_SHIM_CHILDREN": "1"})
        observer = Observer(process, self.pipe)
        observer.start()
        output, errors = process.communicate(timeout=HANG_SECONDS)
        observer.join()
        self.look(errors, f"{where}, standard error")
        for path in self.plant.paths:
            output = output.replace(path, "<source>").replace(json.dumps(path)[1:-1], "<source>")
        self.look(output, f"{where}, standard output")
        for words in observer.words:
            self.look(words, f"{where}, a child's arguments or environment")
        self.children |= observer.words
        self.look_at_written(sandbox, trace, where)
        return Outcome(process.returncode, output, errors)

    def look_at_written(self, sandbox, trace, where):
        """No path outside the sandbox was written to, and nothing lies in TMPDIR."""
        with open(trace, encoding="utf-8", errors="replace") as file:
            calls = [line.rstrip("\n").partition(" ") for line in file]
        paths = {path for _, _, path in calls}
        os.unlink(trace)
        self.written |= paths
        self.look("\n".join(paths), f"{where}, paths written to")
        # The folders above the sandbox are made where they are missing.
        files = {path for call, _, path in calls if call != IN_MEMORY}
        outside = {path for path in files if not path.startswith((sandbox.path, *SYSTEM_FOLDERS)) and not sandbox.path.startswith(path)}
        self.proof.expect(not outside, f"{where}: wrote outside the sandbox, in {', '.join({os.path.dirname(path) for path in outside})}")
        self.proof.expect(not os.listdir(sandbox.temporary), f"{where}: left temporary files")

    def look_at_files(self, sandbox, where):
        """All files of a sandbox are clean."""
        for path, data in files_below(sandbox.path):
            self.look(data + path.encode(), f"{where}, {path}")

    def look_at_sandbox(self, sandbox, where):
        """All files of a sandbox, and every command that shows it; of these only some in the quick form."""
        self.look_at_files(sandbox, where)
        commands = [["config", "check"], ["config", "show"]]
        shown = [["status"], ["cards", "list"], ["fsck"]] + [["cards", "show", card["card_id"]] for card in sandbox.cards()]
        commands += shown + [[*command, "--format", "json"] for command in shown]
        for command in commands[:: 4 if self.proof.quick else 1]:
            self.run(sandbox, command, f"{where}, `{' '.join(command[:2])}`")


def canaries(proof):
    search = Search(proof)
    found = search.plant.found_in(Path(search.plant.paths[0]).read_bytes())
    proof.expect({*METADATA, "pixels or digest of the source of the front"} <= {*found}, f"the search finds only {found} in the photo itself")
    killed_run(proof, search)
    failing_runs(proof, search)
    proof.expect(search.written, "no path was seen that was written to: the shim did not trace")
    proof.figure("patterns planted", len(search.plant.patterns))
    proof.figure("places looked at", search.looked)
    proof.figure("paths written to", len(search.written))
    proof.figure("arguments and environments of children", len(search.children))


def killed_run(proof, search):
    """A run that is killed half-way, the runs that go on, a backup, and everything that looks at it."""
    report, backend = os.path.join(proof.folder, "calls"), Backend(proof.tool.binary, proof.subfolder("counting"))
    search.new_sandbox("counting", delivery_url=backend.url).run(search.take_in, search.shim.variables("count", report))
    backend.stop()
    calls = sum(search.shim.counts(search.shim.lines(report)).values())
    sandbox = search.new_sandbox("delivered")
    at = int(calls * proof.random.uniform(0.3, 0.9))
    killed = search.run(sandbox, search.take_in, "killed run", search.shim.variables("kill", at=at))
    proof.expect(killed.was_killed, f"the run that was to be killed ended with {killed.status}")
    search.look_at_files(sandbox, "killed run, with its write-ahead log")
    for form in ("jsonl", "json", "text"):
        proof.expect_end(search.run(sandbox, [*search.take_in, "--format", form], f"run --format {form}"), f"run --format {form}")
    documents = search.backend.ledger()
    proof.expect(len(documents) == 2, f"the backend has {len(documents)} documents; there is nothing to look for")
    for line in documents:
        jpeg = Path(search.backend.folder, line["file"]).read_bytes()
        found = [name for name, text in METADATA.items() if text.encode() in jpeg]
        proof.expect(not found, f"the document sent to the backend carries {', '.join(found)}")
        search.plant.add_image(f"document {line['doctype']}", jpeg)
    search.look_at_sandbox(sandbox, "delivered")
    backup = os.path.join(sandbox.path, "backup.sqlite3")
    proof.expect_end(search.run(sandbox, ["backup", backup], "backup"), "backup")
    search.look_at_files(sandbox, "backup")


def failing_runs(proof, search):
    """Endpoints that do not answer, and a backend that refuses the TOKEN of a command."""
    refusing = proof.keep_running(Backend(proof.tool.binary, proof.subfolder("refusing"), "--token", "another"))
    cases = {
        "no backend": {"delivery_url": "http://127.0.0.1:9/upload", "run_patience": "1s"},
        "refused": {"delivery_url": refusing.url, "delivery_token": None, "delivery_token_command": f"head -n 1 {search.pipe}"},
        "no verifier": {"verification_url": "http://127.0.0.1:9", "run_patience": "1s"},
    }
    for name, settings in cases.items():
        sandbox = search.new_sandbox(name.replace(" ", "-"), **settings)
        outcome = search.run(sandbox, search.take_in, name)
        if outcome.status == 0 or outcome.crash is not None:
            proof.violated(f"{name}: the run ended with {outcome.status}: {outcome.tail()}")
        search.look_at_sandbox(sandbox, name)
    proof.expect(any(search.pipe.encode() in words for words in search.children), "the command for the TOKEN was not seen as a child")


def erasure(proof):
    """What was erased comes back from no rescan, no backup and no file of the sandbox."""
    stage = Stage(proof, "erasure", PROOF_HOLDER=HOLDER, PROOF_ADDRESS=ADDRESS)
    sandbox, staying = stage.new_sandbox(), stage.photos("staying", range(1, 4))
    plant = Plant(stage.subfolder("planted"), stage.pairs.number(0), "PROOF-ERASE")
    # Those who stay have the same name and address: what is theirs may be found.
    plant.forget("holder's name", "address", "user account")

    def take_in(where):
        proof.expect_end(sandbox.take_in("--manifest", plant.manifest, staying), f"{where}: the run")

    def expect_gone(where):
        for finding in kept.left_in(sandbox.path):
            proof.violated(f"{where}: what was kept before still stands in {finding}")
        for path, data in files_below(sandbox.path):
            found = plant.found_in(data + path.encode())
            proof.expect(not found, f"{where}: {path} holds {', '.join(found)}")
        states = sandbox.states()
        proof.expect(states == ["delivered"] * 6 + ["erased"] * 2, f"{where}: the cards stand at {states}")
        proof.expect_whole(sandbox, where)

    take_in("first")
    erased = [card["card_id"] for card in sandbox.cards("--business-no", "PROOF-ERASE")]
    kept = Kept(sandbox, erased)
    if not all(kept.pieces.get(name) for name in ("blob.bytes", "card_key.wrapped")):
        proof.violated(f"only {', '.join(kept.pieces)} could be kept before: there is nothing to prove")
    backup = os.path.join(proof.folder, "backup.sqlite3")
    proof.expect_end(sandbox.run(["backup", backup]), "backup")
    outcome = proof.expect_end(sandbox.run([*ERASE, *erased]), "cards erase")
    found = plant.found_in((outcome.output + outcome.errors).encode())
    proof.expect(not found, f"the certificate names {', '.join(found)}")
    expect_gone("erased")
    take_in("erased")
    expect_gone("erased, and a run over the same files")
    proof.expect_end(sandbox.run(["restore", backup, "--force"]), "restore")
    expect_gone("restored")
    take_in("restored")
    expect_gone("restored, and a run over the same files")
    stage.judge(range(1, 4), "PROOF-ERASE")
    proof.figure("pieces kept before erasing", f"{sum(map(len, kept.pieces.values()))} of {', '.join(sorted(kept.pieces))}")
    proof.figure("files looked through", len(list(files_below(sandbox.path))))


PARTS = {"canaries": canaries, "erasure": erasure}
