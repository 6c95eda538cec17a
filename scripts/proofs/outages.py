"""outages: endpoints, TOKEN, certificates, disk and clock of `serve` fail one after the other, and are mended.

While each lasts `status`, `status --check`, /readyz, /metrics and the log name the same cause, since the same time, with the
same remedy; afterwards all of them say that all is well, no card is lost, and none was sent twice.
"""

import json
import os
import shutil
import time
from functools import partial
from pathlib import Path

from proofs.disk import INTAKE, MEGABYTE, SmallDisk
from proofs.faces import Expected, Faces
from proofs.fronts import Front, certificate
from proofs.proof import Skip
from proofs.remote import Backend
from proofs.served import Serve
from proofs.shim import Clock, wrong_clock
from proofs.stage import TOKEN_EXPIRED
from proofs.tool import replace_file, until

# How long they may take to say the same, and to say that all is well: pauses double while an outage lasts.
AGREEING_SECONDS, MENDED_SECONDS = 10, 60
PAIRS = 2
SETTINGS = {"retry_base": "20ms", "retry_cap": "200ms", "stop_probe_interval": "2s", "log_format": "json"}
# Wrong clocks, in seconds: no SPECIMEN card is valid in either year.
PAST, FUTURE = -25 * 365 * 86_400, 45 * 365 * 86_400


class Course(Serve):
    """One `serve` that meets outage after outage, with new pairs in each."""

    clock = None

    def __init__(self, proof, name, **settings):
        super().__init__(proof, name, **SETTINGS, **settings)
        self.next, self.seen = 0, 0

    def now(self):
        """By its clock; if that is behind, by the last time that was right: the sandbox dates nothing before it."""
        return time.time() + max(0, self.clock.offset if self.clock else 0)

    def records(self):
        """The records of the log since the outage began."""
        lines = Path(self.path).read_bytes()[self.seen :].split(b"\n")[:-1]
        return [json.loads(line) for line in lines if line.startswith(b"{")]

    def draw(self):
        """New pairs, but no webhooks, whose time a wrong clock would refuse."""
        indices = [index for index in range(self.next, self.next + 2 * PAIRS) if index % 3 != 2][:PAIRS]
        self.next = indices[-1] + 1
        return [self.submissions.make(index, is_back) for index in indices for is_back in (False, True)]

    def send(self, submissions, refusal=None):
        with self.client(self.token) as client:
            for submission in submissions:
                answer = client.send(submission.request)
                if refusal is None:
                    self.submissions.note(submission, answer, None)
                elif answer.code != refusal:
                    self.violated(f"{submission.name} was answered {answer!r}, not {refusal}")

    def settled(self, look, seconds):
        """What is found by the last look, if none found nothing."""
        end = time.monotonic() + seconds
        while (found := look()) and self.process.poll() is None and time.monotonic() < end:
            pass
        return found

    def expect_well(self, where, ended, stage="deliver"):
        goal = 2 * len(self.submissions.indices)
        until(lambda: self.backend.count() >= goal, self.process, MENDED_SECONDS, self.backend.count)
        self.expect(self.backend.count() == goal, f"{where}: {self.backend.count()} of {goal} documents came")
        for words in self.settled(lambda: Faces(self).remnants(ended, self.now() + 1, stage), MENDED_SECONDS):
            self.violated(f"{where}: {words}")

    def restart(self):
        self.end()
        self.seen = os.path.getsize(self.path)
        self.start()

    def suffer(self, where, phases, end, refusal=None):
        """An outage through its phases, each with what is expected of it and what begins it, until all is well again."""
        before, started, self.seen = len(self.proof.violations), time.monotonic(), os.path.getsize(self.path)
        submissions, since, began = self.draw(), None, None
        for expected, begin in phases:
            begin()
            if began is None:
                began = self.now()
                self.send(submissions, refusal)
            # It is one outage, whatever becomes of its cause and of the process.
            for words in self.settled(lambda: Faces(self).disagreements(expected, began, self.now(), since), AGREEING_SECONDS):
                self.violated(f"{where}, {expected.code}: {words}")
            since = Faces(self).since
        end()
        ended, seconds = self.now(), time.monotonic()
        if refusal is not None:
            # What reached no sandbox is sent again.
            until(lambda: self.ask("/readyz").status == 200, self.process)
            self.send(submissions)
        self.expect_well(f"{where}, mended", ended, expected.stage or "deliver")
        if expected.subject != "cases":
            says = until(lambda: any(" again" in record["message"] for record in self.records()), self.process, AGREEING_SECONDS)
            self.expect(says, f"{where}, mended: the log does not say so")
        result = "DISAGREEMENT" if len(self.proof.violations) > before else "agreed on " + ", then ".join(each.code for each, _ in phases)
        self.figure(where, f"{result}; well again in {time.monotonic() - seconds:.0f} s of {time.monotonic() - started:.0f} s")

    def start_well(self):
        self.start()
        began = self.now()
        self.send(self.draw())
        self.expect_well("at the start", began)


def endpoints(proof):
    if shutil.which("openssl") is None:
        raise Skip("openssl is missing: apt-get install openssl")
    folder = proof.subfolder("certificates")
    contexts = {name: certificate(folder, name) for name in ("works", "untrusted")}
    contexts["expired"] = certificate(folder, "expired", wrong_clock(folder, PAST))
    # The expired one would be trusted.
    trusted, token = Path(folder, "trusted.pem"), os.path.join(folder, "token")
    trusted.write_bytes(b"".join(Path(folder, f"{name}.pem").read_bytes() for name in ("works", "expired")))
    replace_file(token, "proof-token-1\n")
    fronts = {stage: Front(contexts) for stage in ("verify", "deliver")}
    serve = Course(
        proof, "endpoints", verification_url=fronts["verify"].url, delivery_url=fronts["deliver"].url + "/upload",
        verification_tls_ca_file=trusted, delivery_tls_ca_file=trusted, delivery_token=None, delivery_token_file=token,
        delivery_retcode_token_expired=TOKEN_EXPIRED,
    )
    # After the pairs of the start it asks for a new TOKEN.
    serve.backend = proof.keep_running(Backend(proof.tool.binary, serve.subfolder("other"), "--expire-token-after", str(2 * PAIRS)))
    fronts["verify"].upstream, fronts["deliver"].upstream = serve.verifier.port, serve.backend.port
    serve.start_well()
    stopped = Expected("endpoint", TOKEN_EXPIRED, "deliver", "stopped")
    again = [] if proof.quick else [(stopped, serve.restart)]
    renew = partial(replace_file, token, "proof-token-2\n")
    serve.suffer("expired TOKEN", [(stopped, lambda: None), *again], renew)
    for stage, front in fronts.items():
        gone, busy, wrong = (Expected("endpoint", code, stage, "pauses") for code in ("connect_refused", "http_503", "tls_untrusted"))
        ways = {way: partial(front.turn, way) for way in ("works", "refuses", "busy", "untrusted", "expired")}
        again = [] if proof.quick else [(gone, serve.restart)]
        serve.suffer(f"{stage}: outage", [(gone, ways["refuses"]), *again, (busy, ways["busy"])], ways["works"])
        for way in ("untrusted",) if proof.quick else ("untrusted", "expired"):
            serve.suffer(f"{stage}: {way} certificate", [(wrong, ways[way])], ways["works"])
    counts = fronts["verify"].images.values()
    serve.expect(set(counts) == {1}, f"of {len(counts)} images {sum(count > 1 for count in counts)} were verified twice")
    serve.finish()


def disk(proof):
    if os.geteuid() != 0:
        raise Skip("needs root, to mount a tmpfs")
    small = proof.keep_running(SmallDisk(proof.subfolder("disk")))
    serve = Course(proof, "disk", sandbox_path=os.path.join(small.path, "sandbox"), sandbox_intake_free_space=INTAKE)
    serve.start_well()
    for free in (0,) if proof.quick else (INTAKE - 8 * MEGABYTE, 0):
        expected = Expected("disk", "disk_space_low")
        serve.suffer(f"{free // MEGABYTE} MiB free", [(expected, partial(small.leave, free))], small.empty, expected.code)
    serve.finish()


def clock(proof):
    serve = Course(proof, "clock")
    serve.clock = Clock(serve.folder)
    serve.sandbox.environment |= serve.clock.variables
    serve.start_well()
    for name, offset in ({"future": FUTURE} if proof.quick else {"future": FUTURE, "past": PAST}).items():
        move = serve.clock.move
        serve.suffer(f"clock in the {name}", [(Expected("cases", "clock_doubtful"), partial(move, offset))], partial(move, 0))
    serve.finish()


PARTS = {"endpoints": endpoints, "disk": disk, "clock": clock}
