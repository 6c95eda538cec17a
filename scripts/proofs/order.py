"""scripts/prove-order: fronts before backs, whichever processes share the sandbox and however they end."""

import json
import math
import os
import shutil
import signal
import subprocess
import threading
import time

from proofs.cards import Pairs
from proofs.endpoints import Backend, Verifier
from proofs.proof import Proof
from proofs.service import NoAnswer, Request, Serve, raw_card
from proofs.tool import HANG_SECONDS, Sandbox

DESCRIPTION = """\
Brings pairs of cards to the backend by all ways at once, while processes are killed (SIGKILL):
  alone     a run over a folder is killed while it takes in; runs without a path come after each kill
  lapsed    the same where the front wait ends between two runs: backs are held, and go by themselves later
  several   runs over three folders at once, of which one is killed and begun again, beside runs without a path
  services  a watched folder, uploads and runs on demand by `serve`, and runs over a folder, each killed and begun again
A share of the fronts has a broken sidecar until the end. Expects that no back is accepted before its front, that no back
goes alone whose front was expected or refused, one accepted document per side in the end, and a clean fsck."""

# One pair in so many has a front that is refused until its sidecar is mended.
BROKEN = 4
BROKEN_SIDECAR = b'{"business_no": '
# How a run without a path may end beside others: all done, some wait, work remains.
PATHLESS_ENDINGS = (0, 1, 75)


def options(parser):
    parser.add_argument("--part", choices=Parts.NAMES, help="only this part (default: all)")
    parser.add_argument("--pairs", type=int, help="pairs over all parts (default: 1000; with --quick 48)")
    parser.add_argument("--kills", type=int, help="at least so many kills over all parts (default: 100; with --quick 12)")


class Folder:
    """Cases in a folder, and which of them have a front that is refused."""

    def __init__(self, path, pairs, indices):
        self.path, self.pairs, self.indices = path, pairs, list(indices)
        self.broken = {Pairs.business_number(index) for index in self.indices if index % BROKEN == 0}

    @property
    def numbers(self):
        return {Pairs.business_number(index) for index in self.indices}

    def make(self):
        """Writes all photos, the sidecars first."""
        os.makedirs(self.path, exist_ok=True)
        for number in self.broken:
            os.makedirs(os.path.join(self.path, number), exist_ok=True)
            with open(self.sidecar(number), "wb") as file:
                file.write(BROKEN_SIDECAR)
        self.pairs.make(self.path, self.indices)

    def sidecar(self, number):
        return os.path.join(self.path, number, "front.jpg.json")

    def mend(self):
        for number in self.broken:
            with open(self.sidecar(number), "w", encoding="utf-8") as file:
                json.dump({"business_no": number}, file)


class Part:
    """One sandbox with its endpoints, and what was brought to it."""

    def __init__(self, proof, name, indices, kills, **settings):
        self.proof, self.name, self.kills_wanted = proof, name, kills
        self.random = proof.random
        self.indices = list(indices)
        folder = proof.subfolder(name)
        self.root = folder
        self.verifier = proof.keep_running(Verifier(folder))
        self.backend = proof.keep_running(Backend(proof.tool.binary, folder))
        self.sandbox = Sandbox(
            proof.tool,
            folder,
            self.verifier.url,
            self.backend.url,
            verification_concurrency=4,
            delivery_concurrency=4,
            # Taking in lasts a while: that is where the kills are to fall.
            imaging_concurrency=1,
            run_patience="2s",
            **settings,
        )
        self.folders = []
        self.is_mended = False
        # What was said of a case is not said again.
        self.told = set()
        self.kills = self.pathless = self.held = 0
        # Seconds until a killed run has got somewhere; learnt on the way.
        self.mean = 0.5
        self.log = open(os.path.join(folder, "runs.log"), "a", encoding="utf-8")

    def violated(self, text):
        self.proof.violated(f"{self.name}: {text}")

    def folder(self, indices):
        """A folder of its own with photos of some cases."""
        folder = Folder(os.path.join(self.root, f"photos-{len(self.folders)}"), self.proof.pairs, indices)
        folder.make()
        self.folders.append(folder)
        return folder

    def start(self, *paths):
        """A run, whose words go to a file."""
        return self.sandbox.start(
            ["run", *paths, "--quiet", "--format", "json"], stdout=subprocess.DEVNULL, stderr=self.log
        )

    def end(self, process, allowed, what):
        """Waits for the end of a run."""
        try:
            status = process.wait(timeout=HANG_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            status = None
        if status not in allowed:
            self.violated(f"{what} ended with {status}: see {self.name}/runs.log")
        return status

    def run_pathless(self):
        self.pathless += 1
        self.end(self.start(), PATHLESS_ENDINGS, "a run without a path")
        self.look()

    def kill_soon(self, process):
        """Kills a run at a random moment while it takes in, unless it ends before; returns whether it was killed."""
        before = self.backend.count()
        try:
            process.wait(timeout=self.random.uniform(0.1, 2 * self.mean))
            self.mean = max(0.15, self.mean * 0.7)
            return False
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
        # Most kills are to fall where some of a folder has got through and the rest has not.
        self.mean = self.mean * (0.95 if self.backend.count() > before else 1.1)
        self.kills += 1
        self.look()
        return True

    def look(self):
        """No back is at the backend whose front is not."""
        fronts = set()
        broken = set() if self.is_mended else set().union(*(folder.broken for folder in self.folders))
        for line in self.backend.ledger():
            number = line["business_no"]
            if line["doctype"] == "IDCARD_FRONT_APP":
                fronts.add(number)
            elif number in self.told:
                continue
            elif number in broken:
                self.told.add(number)
                self.violated(f"{number}: the back was sent alone although its front was refused")
            elif number not in fronts:
                self.told.add(number)
                self.violated(f"{number}: the back was sent before its front")

    def count_held(self):
        self.held = max(self.held, sum(1 for card in self.sandbox.cards("--state", "held")))

    def finish(self):
        """Mends what was broken; then all goes, without a person."""
        self.look()
        self.count_held()
        self.is_mended = True
        for folder in self.folders:
            folder.mend()
        self.end(self.start(*(folder.path for folder in self.folders)), (0,), "the run over everything, mended,")
        self.judge()

    def judge(self):
        expected = sorted({Pairs.business_number(index) for index in self.indices})
        self.proof.judge_ledger(self.backend.ledger(), self.backend.refusals(), expected, f"{self.name}: ")
        if (finding := self.sandbox.check()) is not None:
            self.violated(finding)
        broken = sum(len(folder.broken) for folder in self.folders)
        self.proof.figure(
            self.name,
            f"{len(expected)} pairs ({broken} with a refused front), {self.kills} kills, {self.pathless} runs without a "
            f"path, {self.held} backs held meanwhile",
        )
        self.log.close()


class Feeder(threading.Thread):
    """Puts photos of a folder into a watched one, in any order, by renaming."""

    def __init__(self, folder, inbox, random):
        super().__init__(daemon=True)
        self.folder, self.inbox, self.random = folder, inbox, random
        self.error = None

    def run(self):
        try:
            names = [(number, side) for number in sorted(self.folder.numbers) for side in ("back.jpg", "front.jpg")]
            for start in range(0, len(names), 8):
                bundle = names[start : start + 8]
                self.random.shuffle(bundle)
                for number, side in bundle:
                    target = os.path.join(self.inbox, number)
                    os.makedirs(target, exist_ok=True)
                    if side == "front.jpg" and number in self.folder.broken:
                        shutil.copyfile(self.folder.sidecar(number), os.path.join(target, "front.jpg.json"))
                    os.rename(os.path.join(self.folder.path, number, side), os.path.join(target, side))
                time.sleep(0.1)
        except Exception as error:
            self.error = error


class Uploads(threading.Thread):
    """Submits pairs to `serve`, backs first or fronts first, each until it is acknowledged."""

    def __init__(self, serve, token, pairs, indices, random):
        super().__init__(daemon=True)
        self.serve, self.token, self.pairs, self.indices, self.random = serve, token, pairs, list(indices), random
        self.folder = os.path.join(serve.proof.folder, "uploads")

    def run(self):
        self.pairs.make(self.folder, self.indices)
        for index in self.indices:
            number = Pairs.business_number(index)
            sides = ["back", "front"]
            self.random.shuffle(sides)
            for side in sides:
                with open(os.path.join(self.folder, number, f"{side}.jpg"), "rb") as file:
                    self.submit(raw_card(file.read(), number, key=f"{number}-{side}"))

    def submit(self, request):
        while True:
            try:
                with self.serve.client(self.token) as client:
                    if client.send(request, once=True).status == 202:
                        return
            except (OSError, NoAnswer):
                pass
            time.sleep(0.05)


class Parts:
    """The parts of the proof, each by its name, with its share of the pairs and of the kills."""

    NAMES = ("alone", "lapsed", "several", "services")
    SHARES = {"alone": 0.3, "lapsed": 0.15, "several": 0.3, "services": 0.25}

    def __init__(self, proof):
        self.proof = proof
        self.random = proof.random
        self.pairs = proof.options.pairs or (48 if proof.options.quick else 1000)
        self.kills = proof.options.kills if proof.options.kills is not None else (12 if proof.options.quick else 100)
        self.size = 6 if proof.options.quick else 25
        # Cases beyond those that were asked for.
        self.extended = []

    def run(self):
        first, kills = 0, 0
        for name in self.NAMES:
            count = round(self.pairs * self.SHARES[name])
            wanted = math.ceil(self.kills * self.SHARES[name])
            if self.proof.options.part in (None, name):
                started = time.monotonic()
                kills += getattr(self, name)(range(first, first + count), wanted)
                self.proof.progress(f"{name}: {time.monotonic() - started:.0f} s")
            first += count
        if self.proof.options.part is None and kills < self.kills:
            self.proof.violated(f"only {kills} of {self.kills} kills took place")
        self.proof.figure("kills", kills)

    def alone(self, indices, kills, name="alone", **settings):
        part = Part(self.proof, name, indices, kills, **settings)
        chunks = [indices[start : start + self.size] for start in range(0, len(indices), self.size)]
        for place, chunk in enumerate(chunks):
            folder = part.folder(chunk)
            goal = kills * (place + 1) / len(chunks)
            while part.kills < goal:
                if not part.kill_soon(part.start(folder.path)):
                    # Done too early: one more case, until there were enough kills.
                    self.extend(part, folder)
                if self.random.random() < 0.7:
                    part.run_pathless()
        part.run_pathless()
        part.finish()
        if name == "lapsed" and part.held == 0:
            part.violated("no back was held meanwhile, so nothing was proved")
        return part.kills

    def extend(self, part, folder):
        index = 100_000 + len(self.extended)
        self.extended.append(index)
        more = Folder(folder.path, folder.pairs, [index])
        more.make()
        folder.indices.append(index)
        folder.broken |= more.broken
        part.indices.append(index)

    def lapsed(self, indices, kills):
        # Over before the next run has begun: what was expected counts as missed at once.
        return self.alone(indices, kills, name="lapsed", delivery_front_wait="100ms")

    def several(self, indices, kills):
        part = Part(self.proof, "several", indices, kills)
        third = len(indices) // 3
        shares = [indices[:third], indices[third : 2 * third], indices[2 * third :]]
        rounds = max(1, len(indices) // (3 * self.size))
        for place in range(rounds):
            folders = [part.folder(share[place::rounds]) for share in shares]
            goal = kills * (place + 1) / rounds
            while True:
                runs = [part.start(folder.path) for folder in folders]
                beside = part.start()
                part.pathless += 1
                victim = self.random.randrange(3)
                if not part.kill_soon(runs[victim]):
                    self.extend(part, folders[victim])
                again = part.start(folders[victim].path)
                # A run ends with 1 for the fronts that it refuses, with 75 for what others still have to do.
                for run in [*runs[:victim], *runs[victim + 1 :], again]:
                    part.end(run, (0, 1, 75), "a run over a folder")
                part.end(beside, PATHLESS_ENDINGS, "a run without a path beside others")
                part.look()
                if part.kills >= goal:
                    break
                # The others have found all of theirs by now.
                for folder in folders:
                    self.extend(part, folder)
        part.finish()
        return part.kills

    def services(self, indices, kills):
        fourth = len(indices) // 4
        shares = [indices[place * fourth : (place + 1) * fourth] for place in range(3)] + [indices[3 * fourth :]]
        source, inbox = os.path.join(self.proof.subfolder("services"), "source"), self.proof.subfolder("services/inbox")
        part = Part(
            self.proof,
            "services",
            indices,
            kills,
            sources=f"desk={source}",
            watch_quiet_time="200ms",
            watch_sidecar_wait="1s",
            watch_rescan_interval="2s",
        )
        listed = Folder(source, self.proof.pairs, shares[0])
        listed.make()
        part.folders.append(listed)
        watched, walked = part.folder(shares[1]), part.folder(shares[2])
        serve = self.proof.keep_running(Serve(self.proof, part.sandbox))
        token = serve.token("desk", "submit", "read", "operate")
        serve.start()
        watch = Watch(part, inbox)
        watch.start()
        uploads = Uploads(serve, token, self.proof.pairs, shares[3], self.random)
        feeder = Feeder(watched, inbox, self.random)
        for thread in (uploads, feeder):
            thread.start()
        self.ask_for_run(serve, token)
        while part.kills < kills:
            victim = self.random.choice(("watch", "serve", "run"))
            if victim == "run":
                part.kill_soon(part.start(walked.path)) or self.extend(part, walked)
            else:
                time.sleep(self.random.uniform(0.2, 1))
                process = watch if victim == "watch" else serve
                process.kill()
                part.kills += 1
                process.start()
                if victim == "serve":
                    self.ask_for_run(serve, token)
            part.run_pathless()
        for thread in (uploads, feeder):
            thread.join()
        if feeder.error is not None:
            part.violated(f"a photo could not be brought: {feeder.error}")
        watch.wait_until_empty(watched)
        part.look()
        part.count_held()
        part.is_mended = True
        for folder in part.folders:
            folder.mend()
        watch.bring_back(watched)
        self.ask_for_run(serve, token)
        part.end(part.start(walked.path), (0, 1, 75), "the run over a folder, mended,")
        expected = 2 * len({Pairs.business_number(index) for index in part.indices})
        self.wait(part, expected)
        if watch.end() != 143:
            part.violated("the watch did not end by the signal: see watch.log")
        if serve.end() not in (0, 143):
            part.violated("serve did not end by the signal: see serve.log")
        part.judge()
        return part.kills

    @staticmethod
    def ask_for_run(serve, token):
        body = json.dumps({"source": "desk"}).encode()
        request = Request("POST", "/v1/runs", [("Content-Type", "application/json")], body)
        with serve.client(token) as client:
            answer = client.send(request, once=True)
        if answer.status != 202:
            raise RuntimeError(f"POST /v1/runs was answered {answer}")

    @staticmethod
    def wait(part, documents):
        """Waits until so many documents have arrived, as long as there is progress."""
        last, since = -1, time.monotonic()
        while (now := part.backend.count()) < documents:
            if now != last:
                last, since = now, time.monotonic()
            if time.monotonic() - since > HANG_SECONDS / 3:
                part.violated(f"no progress at {now} documents of {documents}")
                return
            time.sleep(0.05)


class Watch:
    """`watch` over a folder, started again after each kill."""

    def __init__(self, part, inbox):
        self.part, self.inbox = part, inbox
        self.log = open(os.path.join(part.root, "watch.log"), "a", encoding="utf-8")
        self.process = None

    def start(self):
        self.process = self.part.sandbox.start(
            ["watch", self.inbox, "--format", "jsonl"], stdout=subprocess.DEVNULL, stderr=self.log
        )

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            status = self.process.wait(timeout=HANG_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            status = self.process.wait()
        self.log.close()
        return status

    def refused(self, number):
        return os.path.join(self.inbox, "failed", number, "front.jpg")

    def wait_until_empty(self, folder):
        """Waits until every photo is taken in or refused."""
        end = time.monotonic() + HANG_SECONDS
        while time.monotonic() < end:
            waiting = [
                number
                for number in folder.numbers
                for side in ("front.jpg", "back.jpg")
                if os.path.exists(os.path.join(self.inbox, number, side))
            ]
            if not waiting:
                break
            time.sleep(0.1)
        else:
            self.part.violated(f"{len(waiting)} photos of the watched folder were not dealt with")
        for number in folder.broken:
            if not os.path.exists(self.refused(number)):
                self.part.violated(f"{number}: the front with a broken sidecar was not put aside")

    def bring_back(self, folder):
        """Puts refused fronts back with sidecars that are mended."""
        for number in sorted(folder.broken):
            target = os.path.join(self.inbox, number)
            os.makedirs(target, exist_ok=True)
            with open(os.path.join(target, "front.jpg.json"), "w", encoding="utf-8") as file:
                json.dump({"business_no": number}, file)
            os.rename(self.refused(number), os.path.join(target, "front.jpg"))


def prove(proof):
    proof.pairs = Pairs(proof.seed)
    Parts(proof).run()


if __name__ == "__main__":
    Proof("prove-order", DESCRIPTION, options).run(prove)
