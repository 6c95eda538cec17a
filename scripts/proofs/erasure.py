"""scripts/prove-erasure: what was erased comes back from no rescan, no backup and no file of the sandbox."""

import os
import shutil
import sqlite3
from contextlib import closing

from proofs.cards import Pairs
from proofs.endpoints import Backend, Verifier
from proofs.planted import ADDRESS, HOLDER, Plant, files_below, leaks
from proofs.proof import Proof
from proofs.tool import Sandbox

DESCRIPTION = """\
Takes in a pair to be erased and pairs that stay, keeps what an attacker would have kept (the wrapped data keys, the sealed
images and fields, the key of the sandbox), makes a backup, erases, and then expects: a second run over the same files
brings nothing back; none of the kept keys and sealed values, and nothing that was planted, stands in any file of the
sandbox; after `restore` of the old backup all of that still holds; what stays is untouched; fsck is clean."""

PIECE = 24
# Tables with values of one card or delivery, and the column that says whose.
OWNED = {
    "data_key": "owner", "card": "id", "image": "card", "reading": "card", "delivery": "id", "source_piece": "card",
    "fetch": "card",
}


def pieces(value):
    """Pieces all over a sealed value, which stand in no other file by chance."""
    step = max(PIECE, len(value) // 64)
    return [value[at : at + PIECE] for at in range(0, len(value) - PIECE + 1, step)]


class Kept:
    """What an attacker copied out of the sandbox before the erasure."""

    def __init__(self, sandbox, cards):
        self.values = {}
        theirs, others = {}, []
        # The tables are read as they are on the disk: sealed.
        path = os.path.join(sandbox.path, "sandbox.sqlite3")
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
            database.row_factory = sqlite3.Row
            owners = set(cards)
            for card in cards:
                rows = database.execute("SELECT delivery FROM delivery_card WHERE card = ?", (card,))
                owners |= {row["delivery"] for row in rows}
            for table, column in OWNED.items():
                for row in database.execute(f"SELECT * FROM {table}"):
                    for name in row.keys():
                        # A fingerprint is keyed, and the tombstone keeps that of its files on purpose.
                        if not isinstance(row[name], bytes) or "fingerprint" in name:
                            continue
                        if row[column] in owners:
                            theirs.setdefault(f"{table}.{name}", []).append(row[name])
                        else:
                            others.append(row[name])
        common = b"".join(others)
        for name, values in theirs.items():
            # Unsealed, pictures share their tables with those of others.
            rare = [piece for value in values for piece in pieces(value) if piece not in common]
            if rare:
                self.values[name] = rare

    def left_in(self, folder, skipping=()):
        """`file: what` for every kept value of which a piece stands in a file."""
        for path in files_below(folder):
            if path in skipping:
                continue
            with open(path, "rb") as file:
                data = file.read()
            for name, rare in self.values.items():
                if any(piece in data for piece in rare):
                    yield f"{os.path.relpath(path, folder)}: {name}"


class Course:
    def __init__(self, proof):
        self.proof = proof
        pairs = Pairs(proof.seed)
        self.verifier = proof.keep_running(Verifier(proof.folder, PROOF_HOLDER=HOLDER, PROOF_ADDRESS=ADDRESS))
        self.backend = proof.keep_running(Backend(proof.tool.binary, proof.folder))
        self.sandbox = Sandbox(proof.tool, proof.subfolder("work"), self.verifier.url, self.backend.url)
        self.plant = Plant(proof.subfolder("planted"), pairs.number(0), "PROOF-ERASE")
        # Those who stay have the same name and address: what is theirs may be found.
        for name in ("holder's name", "address", "user account"):
            del self.plant.texts[name]
        self.staying = proof.subfolder("staying")
        pairs.make(self.staying, range(1, 4))

    def run(self, where, *photos):
        outcome = self.sandbox.run(["run", *photos, "--format", "json", "--quiet"])
        if outcome.status != 0:
            self.proof.violated(f"{where}: the run ended with {outcome.status}: {outcome.tail()}")

    def states(self):
        return sorted(card["state"] for card in self.sandbox.cards())

    def expect_gone(self, kept, where, skipping=()):
        """Nothing of the pair stands anywhere, and everybody else is where they were."""
        for finding in kept.left_in(self.sandbox.path, skipping):
            self.proof.violated(f"{where}: what was kept before still stands in {finding}")
        for finding in leaks(self.plant, self.sandbox.path, skipping):
            self.proof.violated(f"{where}: planted data stands in {finding}")
        states = self.states()
        if states != ["delivered"] * 6 + ["erased"] * 2:
            self.proof.violated(f"{where}: the cards stand at {states}")
        finding = self.sandbox.check()
        if finding is not None:
            self.proof.violated(f"{where}: {finding}")

    def expect_no_return(self, where):
        """A run over all the same files takes nothing in, verifies nothing, sends nothing."""
        documents, verifications = self.backend.count(), sum(self.verifier.requests().values())
        self.run(f"{where}, run over the same files", "--manifest", self.plant.manifest, self.staying)
        if self.backend.count() != documents or self.backend.refusals():
            self.proof.violated(f"{where}: a run over the same files sent something")
        if sum(self.verifier.requests().values()) != verifications:
            self.proof.violated(f"{where}: a run over the same files had something verified")
        if self.states() != ["delivered"] * 6 + ["erased"] * 2:
            self.proof.violated(f"{where}: after a run over the same files the cards stand at {self.states()}")


def restore(course, backup, kept):
    """Puts an old backup, from before the erasure, in the place of the sandbox."""
    outcome = course.sandbox.run(["restore", backup, *course.proof.tool.restore_options])
    if outcome.status != 0:
        course.proof.violated(f"restore ended with {outcome.status}: {outcome.tail()}")
        return
    # What restore set aside is what it says it set aside; it must be clean as well.
    course.expect_gone(kept, "after restore")
    course.expect_no_return("after restore")
    course.expect_gone(kept, "after restore and a run")
    course.proof.figure("restore of the backup from before", "brings nothing back")


def prove(proof):
    course = Course(proof)
    course.run("first", "--manifest", course.plant.manifest, course.staying)
    erased = [card["card_id"] for card in course.sandbox.cards("--business-no", "PROOF-ERASE")]
    if len(erased) != 2 or course.states() != ["delivered"] * 8:
        proof.violated(f"before: {len(erased)} cards to erase, states {course.states()}")
    kept = Kept(course.sandbox, erased)
    if not {"image.jpeg", "data_key.bytes"} <= kept.values.keys():
        proof.violated(f"before: only {', '.join(sorted(kept.values))} could be kept; there is nothing to prove")
    backup = os.path.join(proof.folder, "backup.sqlite3")
    outcome = course.sandbox.run(["backup", backup])
    if outcome.status != 0:
        proof.violated(f"backup ended with {outcome.status}: {outcome.tail()}")
    for card in erased:
        outcome = course.sandbox.run(["cards", "erase", card, *proof.tool.erase_options])
        if outcome.status != 0:
            proof.violated(f"cards erase ended with {outcome.status}: {outcome.tail()}")
        found = course.plant.found_in((outcome.output + outcome.errors).encode())
        if found:
            proof.violated(f"the certificate names {', '.join(found)}")
    course.expect_gone(kept, "after erasing")
    course.expect_no_return("after erasing")
    course.expect_gone(kept, "after erasing and a run")
    restore(course, backup, kept)
    proof.judge_ledger(
        course.backend.ledger(),
        course.backend.refusals(),
        ["PROOF-ERASE", *(Pairs.business_number(number) for number in range(1, 4))],
    )
    kinds = ", ".join(sorted(kept.values))
    proof.figure("pieces kept before", f"{sum(map(len, kept.values.values()))} of {kinds}")
    proof.figure("files looked through", len(list(files_below(course.sandbox.path))))
    if os.path.exists(backup):
        os.unlink(backup)
    shutil.rmtree(course.staying)


if __name__ == "__main__":
    Proof("prove-erasure", DESCRIPTION).run(prove)
