"""Where a part of a proof takes place: a verifier, a backend whose ledger is the judge, and sandboxes in front of them."""

from collections import Counter, defaultdict

from proofs.cards import Pairs
from proofs.remote import Backend, verifier
from proofs.tool import Sandbox


# What the backend refuses an expired TOKEN with: it stored nothing.
TOKEN_EXPIRED = "100001"


class Stage:
    def __init__(self, proof, name, *options, **environment):
        self.proof, self.name, self.random = proof, name, proof.random
        self.folder, self.pairs = proof.subfolder(name), Pairs(proof.seed)
        self.verifier = proof.keep_running(verifier(**environment))
        self.backend = proof.keep_running(Backend(proof.tool.binary, self.folder, *options))
        self.delivery_url = self.backend.url

    def subfolder(self, name):
        return self.proof.subfolder(f"{self.name}/{name}")

    def new_sandbox(self, name="work", **settings):
        return Sandbox(self.proof.tool, self.subfolder(name), self.verifier.url, self.delivery_url, **settings)

    def new_token(self, name="desk", *scopes):
        """`serve` knows it from the next request on."""
        outcome = self.sandbox.run(["tokens", "add", name, "--days", "0", "--scope", *(scopes or ("submit", "read", "run", "audit"))])
        return self.proof.expect_end(outcome, "tokens add").output.strip()

    def photos(self, name, indices):
        """A folder with the pairs of these cases."""
        folder = self.subfolder(name)
        self.pairs.make(folder, indices)
        return folder

    def violated(self, text):
        self.proof.violated(f"{self.name}: {text}")

    def expect(self, holds, text):
        if not holds:
            self.violated(text)

    def figure(self, name, value):
        self.proof.figure(f"{self.name}: {name}", value)

    def expect_none_twice(self):
        documents = [(line["business_no"], line["doctype"]) for line in self.backend.ledger()]
        self.expect(len(set(documents)) == len(documents), "a document stands in the ledger twice")
        self.expect(not self.backend.refusals(), "the backend refused an upload: it was sent again")

    def judge(self, indices, *others):
        """Exactly one accepted document per side of each business number, fronts first, and nothing refused."""
        expected = {*map(Pairs.business_number, indices), *others}
        sides = defaultdict(Counter)
        for line in self.backend.ledger():
            sides[line["business_no"]][line["doctype"]] += 1
            if line["out_of_order"]:
                self.violated(f"{line['business_no']}: the back came before its front")
        for number in sorted(expected):
            if sides.get(number) != {"IDCARD_FRONT_APP": 1, "IDCARD_BACK_APP": 1}:
                self.violated(f"{number}: the ledger holds {dict(sides.get(number, {}))}, not one of each side")
        for number in sides.keys() - expected:
            self.violated(f"{number}: the ledger holds documents of a case that was never taken in")
        for line in self.backend.refusals():
            # Whatever else the backend refuses here, it had under another key.
            if line["retcode"] != TOKEN_EXPIRED:
                self.violated(f"the backend refused an upload with {line['retcode']}: sent again under a new key")
