"""`serve` with its pages: what goes between it and browsers, a verifier that does as it is told, and cards that need a person."""

import contextlib
import http.client
import threading
from collections import namedtuple

from proofs.browser import ALL, Chromium, Desk
from proofs.cards import jpeg, read
from proofs.proof import Violation
from proofs.remote import Handler, Server, VerifierHandler, reading
from proofs.served import Serve
from proofs.service_client import HOST, raw_card
from proofs.tool import until

# Cards in these states wait for a reviewer.
DECIDED_HERE = ("held", "failed")
# How cards stand.
DELIVERED, ENDED = ("delivered", None), ("rejected", "rejected_by_operator")
DOUBTED, ALONE = ("held", "legality_low"), ("verified", "front_missing")
Passed = namedtuple("Passed", "method path status headers body")


class TapHandler(Handler):
    def do_GET(self):
        self.pass_on(None)

    def do_POST(self):
        self.pass_on(self.body())

    def pass_on(self, body):
        with contextlib.closing(http.client.HTTPConnection(HOST, self.server.upstream)) as upstream:
            upstream.request(self.command, self.path, body, dict(self.headers))
            given = upstream.getresponse()
            answer = Passed(self.command, self.path, given.status, given.headers, given.read())
        # By now all of it has left the service, whatever the browser makes of it.
        self.server.passed.append(answer)
        del given.headers["Content-Length"], given.headers["Transfer-Encoding"]
        self.answer(answer.status, given.headers, answer.body)


class Tap(Server):
    """Between browsers and `serve`; keeps every answer."""

    def __init__(self, port):
        super().__init__(TapHandler)
        self.upstream, self.passed = port, []
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def stop(self):
        self.shutdown()
        self.server_close()


class MoodyHandler(VerifierHandler):
    def do_POST(self):
        image = self.image()
        self.server.open.wait()
        person, is_back = read(image)
        if person in self.server.failing:
            return self.answer(500, {"Content-Type": "text/plain"}, b"out of order")
        answer = reading(image)
        if person in self.server.doubtful and not is_back:
            answer["legality"] |= {"ID Photo": 0.6, "Screen": 0.4}
        return self.tell(answer)


class Moody(Server):
    """A verifier that keeps calls waiting until it is open, fails for some persons, and doubts the fronts of others."""

    def __init__(self):
        super().__init__(MoodyHandler)
        self.open, self.failing, self.doubtful = threading.Event(), set(), set()
        self.open.set()
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def stop(self):
        self.open.set()
        self.shutdown()
        self.server_close()


class Console(Serve):
    """`serve` with its pages, and cards that are sent to it by its API."""

    def __init__(self, proof, name, **settings):
        self.moody = Moody()
        defaults = {
            "verification_url": self.moody.url, "verification_max_attempts": 1, "delivery_max_attempts": 1,
            "delivery_front_wait": "1s", "verdict_severity_legality_low": "hold",
        }
        super().__init__(proof, name, **{**defaults, **settings})
        proof.keep_running(self.moody)
        self.tap = proof.keep_running(Tap(self.port))
        self.clerk = self.new_token("clerk", "submit", "read")
        self.chromium, self.persons, self.loads, self.unfocused = None, 0, 0, []
        self.start()

    def person(self):
        """The number of another invented holder."""
        self.persons += 1
        return self.pairs.number(self.persons)

    def desk(self, name, *scopes, **options):
        if self.chromium is None:
            self.chromium = self.proof.keep_running(Chromium())
        return Desk(self, self.chromium, name, self.new_token(name, *(scopes or ALL)), **options)

    def send(self, business_number, person, is_back=False, token=None, **options):
        """The id of the card that the API made of a photo."""
        with self.client(token or self.clerk) as client:
            answer = client.send(raw_card(jpeg(person, is_back, **options), business_number))
        if answer.status != 202:
            raise Violation(f"{self.name}: a card of {business_number} was answered {answer!r}")
        return answer.json["card_id"]

    def states(self):
        return {card: (one["state"], one.get("reason")) for card, one in self.listed().items()}

    def waiting(self):
        """The cards that wait for a reviewer, with their reasons."""
        return {card: reason for card, (state, reason) in self.states().items() if state in DECIDED_HERE}

    def await_states(self, wanted, what):
        """Waits until cards stand in these states, for these reasons."""
        def stand():
            states = self.states()
            return {card: states[card] for card in wanted}
        if not until(lambda: stand() == wanted, self.process, 40):
            wrong = {card: (found, wanted[card]) for card, found in stand().items() if found != wanted[card]}
            self.violated(f"{what}: cards stand at (found, wanted) {wrong}")

    def finish_pages(self):
        """After the last page."""
        self.expect(not self.unfocused, f"after {len(self.unfocused)} pages of the review nothing had the focus: {self.unfocused[:3]}")
        self.figure("pages loaded", self.loads)

    def photo(self):
        return jpeg(self.person(), False)

    # Cases that need a person

    def disputed(self, business_number):
        """Two fronts of different persons and a back, all held: none goes while another is to be verified."""
        first, second = self.person(), self.person()
        return [self.send(business_number, *card) for card in ((first, False), (second, False), (second, True))]

    def of_two_senders(self, business_number, other):
        person = self.person()
        self.send(business_number, person)
        return [self.send(business_number, person, True, other)]

    def alone(self, business_number):
        """A back without a front: its sender's turn, in no queue."""
        return [self.send(business_number, self.person(), True)]

    def doubtful(self, business_number, has_back=False):
        """A front that looks like a copy, and a back that waits for it."""
        person = self.person()
        self.moody.doubtful.add(person)
        return [self.send(business_number, person, is_back) for is_back in ((False, True) if has_back else (False,))]

    def failing(self, business_number):
        """A card for which the verifier fails."""
        person = self.person()
        self.moody.failing.add(person)
        return [self.send(business_number, person)]

    def await_waiting(self, cards):
        """Until a person must decide about them."""
        def wait():
            states = self.states()
            if any(states[card][0] in ("prepared", "delivering") for card in cards):
                # A failure counts only if the endpoint takes another card meanwhile.
                steady = self.send(f"STEADY-{self.persons}", self.person())
                self.await_states({steady: DELIVERED}, "a card that nothing is wrong with")
            return set(cards) <= set(self.waiting())

        if not until(wait, self.process, 40):
            states = self.states()
            raise Violation(f"{self.name}: these cards came to need no person: {[states[card] for card in set(cards) - set(self.waiting())]}")
