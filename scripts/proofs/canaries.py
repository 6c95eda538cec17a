"""scripts/prove-canaries: what is planted in the inputs appears nowhere but where it belongs."""

import json
import os
import resource
import subprocess
import threading

from proofs.cards import Pairs
from proofs.endpoints import Backend, Service, Verifier
from proofs.planted import ADDRESS, HOLDER, Plant, files_below, leaks
from proofs.proof import Proof
from proofs.shim import Shim
from proofs.tool import HANG_SECONDS, Outcome, Sandbox

DESCRIPTION = """\
Plants a name, an address, an identity number, a file name, an account, EXIF, a comment, bytes behind the picture and the
picture itself in a front and a back, takes them through runs that succeed, fail and are killed, with the log at `trace`,
and looks for all of it (in several spellings) in the log, in every report, in the database with its write-ahead log and
index, in backups, in everything that was opened for writing, in the arguments and environments of child processes. Core
dumps must be off, and files 0600 and folders 0700 under umask 0."""

SYSTEM_FOLDERS = ("/dev/", "/proc/", "/sys/")


class Watch(threading.Thread):
    """Looks at a process and its descendants as long as it lives."""

    def __init__(self, process, pipe=None):
        super().__init__(daemon=True)
        self.process = process
        # A child that reads from this named pipe gets its line once it has been looked at.
        self.pipe = pipe
        self.words = {}
        self.core_limits = set()

    def run(self):
        while self.process.poll() is None:
            family = self._family()
            for pid in family:
                for name in ("cmdline", "environ"):
                    self._read(pid, name)
            self._read_limits()
            if family and self.pipe is not None:
                self._feed()

    def _feed(self):
        try:
            descriptor = os.open(self.pipe, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:
            # Nobody reads yet.
            return
        os.write(descriptor, b"proof-token\n")
        os.close(descriptor)

    def _family(self):
        parents = {}
        for name in os.listdir("/proc"):
            if name.isdigit():
                try:
                    with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                        parents[int(name)] = int(file.read().rsplit(")", 1)[1].split()[1])
                except (OSError, IndexError):
                    continue
        family, grown = {self.process.pid}, True
        while grown:
            more = {pid for pid, parent in parents.items() if parent in family} - family
            family |= more
            grown = bool(more)
        return family - {self.process.pid}

    def _read(self, pid, name):
        try:
            with open(f"/proc/{pid}/{name}", "rb") as file:
                self.words.setdefault(name, set()).add(file.read())
        except OSError:
            pass

    def _read_limits(self):
        try:
            with open(f"/proc/{self.process.pid}/limits", encoding="utf-8") as file:
                for line in file:
                    if line.startswith("Max core file size"):
                        self.core_limits.add(line.split()[4])
        except (OSError, IndexError):
            pass


class Course:
    """The planted pair and where it may be looked for."""

    def __init__(self, proof):
        self.proof = proof
        self.shim = Shim(proof.folder)
        pairs = Pairs(proof.seed)
        self.plant = Plant(proof.subfolder("photos"), pairs.number(0), "PROOF-CANARY")
        self.verifier = proof.keep_running(Verifier(proof.folder, PROOF_HOLDER=HOLDER, PROOF_ADDRESS=ADDRESS))
        self.calls = self._count()
        self.backend = proof.keep_running(Backend(proof.tool.binary, proof.folder))
        self.looked = 0
        self.children = set()
        self.written = set()
        self.core_dumps_are_on = False

    def _count(self):
        """How many calls a run makes, for the moment of the kill."""
        self.backend = Backend(self.proof.tool.binary, self.proof.subfolder("counting"))
        sandbox = self.sandbox("counting")
        report = os.path.join(sandbox.folder, "calls")
        sandbox.run(["run", "--manifest", self.plant.manifest, "--quiet"], self.shim.variables("count", report))
        self.backend.stop()
        return sum(self.shim.counts(report).values())

    def sandbox(self, name, **settings):
        arguments = {"log_level": "trace", **settings}
        return Sandbox(
            self.proof.tool, self.proof.subfolder(name), self.verifier.url, self.backend.url, **arguments
        )

    def look(self, data, where):
        """Notes what is found in text or bytes."""
        self.looked += 1
        data = data.encode(errors="replace") if isinstance(data, str) else data
        found = self.plant.found_in(data)
        if found:
            self.proof.violated(f"{where}: {', '.join(found)}")

    def look_at_files(self, folder, where):
        self.looked += 1
        for leak in list(leaks(self.plant, folder))[:8]:
            self.proof.violated(f"{where}, {leak}")

    def run(self, sandbox, arguments, where, variables=None, pipe=None):
        """Runs a command under watch; what it prints must be clean, the path of a source aside."""
        trace = os.path.join(sandbox.folder, "written")
        extra = {
            "LD_PRELOAD": self.shim.path,
            "PROOF_SHIM_MODE": "count",
            "PROOF_SHIM_TRACE": trace,
            "PROOF_SHIM_CHILDREN": "1",
            **(variables or {}),
        }
        process = sandbox.start(arguments, extra, preexec_fn=open_up)
        watch = Watch(process, pipe)
        watch.start()
        try:
            output, errors = process.communicate(timeout=HANG_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            output, errors = process.communicate()
            self.proof.violated(f"{where}: still running after {HANG_SECONDS} s")
        watch.join()
        self.look(errors, f"{where}, standard error")
        self.look(self._without_sources(output), f"{where}, standard output")
        for name, texts in watch.words.items():
            for text in texts:
                self.children.add(text)
                self.look(text, f"{where}, {name} of a child process")
        # Read at the very start, the limit is still the inherited one.
        if watch.core_limits and "0" not in watch.core_limits and not self.core_dumps_are_on:
            # True of every command alike: once is enough.
            self.core_dumps_are_on = True
            self.proof.violated(f"{where}: core dumps are on (limit {', '.join(sorted(watch.core_limits))})")
        self._look_at_written(sandbox, trace, where)
        return Outcome(process.returncode, output, errors)

    def _without_sources(self, output):
        """Standard output names the path of an input; nothing else may."""
        for path in self.plant.paths:
            output = output.replace(path, "<source>").replace(json.dumps(path)[1:-1], "<source>")
        return output

    def _look_at_written(self, sandbox, trace, where):
        with open(trace, encoding="utf-8", errors="replace") as file:
            paths = {line.rstrip("\n").partition(" ")[2] for line in file}
        os.unlink(trace)
        outside = set()
        for path in paths:
            self.written.add(path)
            self.look(path, f"{where}, path written to")
            allowed = path.startswith(sandbox.path) or path.startswith(SYSTEM_FOLDERS)
            # The folders above the sandbox are made where they are missing.
            if not allowed and not sandbox.path.startswith(path):
                outside.add(os.path.dirname(path))
        for folder in outside:
            self.proof.violated(f"{where}: wrote outside the sandbox, in {folder}")
        for path in files_below(sandbox.temporary):
            self.proof.violated(f"{where}: left a temporary file: {os.path.basename(path)}")

    def modes(self, sandbox, where):
        for path, folders, names in os.walk(sandbox.path):
            for name, wanted in [(name, 0o600) for name in names] + [(name, 0o700) for name in folders]:
                try:
                    mode = os.stat(os.path.join(path, name)).st_mode & 0o777
                except FileNotFoundError:
                    continue
                if mode != wanted:
                    self.proof.violated(f"{where}: {name} has mode {mode:o}, not {wanted:o}, under umask 0")


def open_up():
    """In the child, before it starts: umask 0, and core dumps as large as they may be."""
    os.umask(0)
    _, most = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (most, most))


def looks(proof, course, sandbox, where):
    """Every command that looks at a sandbox."""
    commands = [
        ["status"],
        ["status", "--format", "json"],
        ["cards", "list"],
        ["cards", "list", "--format", "json"],
        ["config", "show"],
        ["config", "check"],
        ["fsck"],
        ["fsck", "--format", "json"],
    ]
    ids = sandbox.run(["cards", "list", "--quiet"]).output.split()
    for card in ids:
        commands += [["cards", "show", card], ["cards", "show", card, "--format", "json"]]
    for command in commands:
        course.run(sandbox, command, f"{where}, `{' '.join(command[:2])}`")


def delivered(proof, course):
    """A run that is killed half-way, the run that goes on, and everything that looks at it."""
    sandbox = course.sandbox("delivered")
    arguments = ["run", "--manifest", course.plant.manifest]
    killed = course.run(
        sandbox,
        arguments + ["--format", "jsonl"],
        "killed run",
        course.shim.variables("kill", at=int(course.calls * proof.random.uniform(0.55, 0.95))),
    )
    if not killed.was_killed:
        proof.violated(f"the run that was to be killed ended with {killed.status}")
    course.look_at_files(sandbox.path, "killed run, with its write-ahead log")
    course.modes(sandbox, "killed run")
    for form in ("jsonl", "json", "text"):
        outcome = course.run(sandbox, arguments + ["--format", form], f"run --format {form}")
        if outcome.status != 0:
            proof.violated(f"run --format {form} ended with {outcome.status}: {outcome.tail()}")
    for line in course.backend.ledger():
        with open(os.path.join(course.backend.folder, line["file"]), "rb") as file:
            jpeg = file.read()
        for name in ("EXIF", "comment", "bytes behind the picture"):
            if course.plant.texts[name].encode() in jpeg:
                proof.violated(f"the document sent to the backend carries the {name}")
        course.plant.add_image(f"document {line['doctype']}", jpeg)
    course.look_at_files(sandbox.path, "sandbox")
    course.modes(sandbox, "sandbox")
    looks(proof, course, sandbox, "delivered")
    backup = os.path.join(sandbox.path, "backup.sqlite3")
    outcome = course.run(sandbox, ["backup", backup], "backup")
    if outcome.status != 0:
        proof.violated(f"backup ended with {outcome.status}: {outcome.tail()}")
    course.look_at_files(sandbox.path, "backup")
    return sandbox


def failed(proof, course):
    """Runs that fail: nobody there, a backend that refuses, photos that cannot be read."""
    refusing = proof.keep_running(
        Service([proof.tool.binary, "backend", "--documents", proof.subfolder("refusing"), "--token", "another"])
    )
    cases = {
        "nobody there": {"delivery_url": "http://127.0.0.1:9/upload", "run_patience": "1s"},
        "refused": {"delivery_url": refusing.address},
        "no verifier": {"verification_url": "http://127.0.0.1:9", "run_patience": "1s"},
        "sandbox in the way": {"sandbox_path": course.plant.manifest},
    }
    for name, settings in cases.items():
        sandbox = course.sandbox(name.replace(" ", "-"), **settings)
        if name == "sandbox in the way":
            sandbox.path = course.plant.manifest
        outcome = course.run(sandbox, ["run", "--manifest", course.plant.manifest], name)
        if outcome.status == 0 or outcome.crash is not None:
            proof.violated(f"{name}: the run ended with {outcome.status}: {outcome.tail()}")
        if name != "sandbox in the way":
            course.look_at_files(sandbox.path, name)
            looks(proof, course, sandbox, name)


def children(proof, course):
    """A process that is started on the way: the command for the TOKEN."""
    pipe = os.path.join(proof.folder, "token")
    os.mkfifo(pipe, 0o600)
    sandbox = course.sandbox("token-command", delivery_token_command=f"head -n 1 {pipe}")
    del sandbox.environment["IDCARD_DELIVERY_TOKEN"]
    before = len(course.children)
    outcome = course.run(sandbox, ["run", "--manifest", course.plant.manifest], "token command", pipe=pipe)
    if outcome.status != 1 and outcome.status != 0:
        proof.violated(f"token command: the run ended with {outcome.status}: {outcome.tail()}")
    if len(course.children) == before:
        proof.violated("token command: no child process was seen; there was nothing to prove")


def prove(proof):
    course = Course(proof)
    delivered(proof, course)
    failed(proof, course)
    children(proof, course)
    if not course.written:
        proof.violated("no path was seen that was written to: the shim did not trace")
    proof.figure("patterns planted", len(course.plant.patterns()))
    proof.figure("places looked at", course.looked)
    proof.figure("paths written to", len(course.written))
    proof.figure("child processes seen", len(course.children))


if __name__ == "__main__":
    Proof("prove-canaries", DESCRIPTION, has_quick=True).run(prove)
