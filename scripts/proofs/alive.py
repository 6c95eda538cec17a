"""alive: what cannot go keeps nothing else back: backs without fronts, documents and hosts that always fail, a TOKEN of before."""

import json
import signal
import time
from collections import Counter
from pathlib import Path

from proofs import cards
from proofs.remote import PickyProxy, image_host
from proofs.stage import Stage
from proofs.tool import HANG_SECONDS, replace_file, until

# The defaults of the product: a proof of pace is one of what ships.
DEFAULTS = {
    "verification_concurrency": None, "delivery_concurrency": None, "imaging_concurrency": None,
    "delivery_max_attempts": None, "retry_base": None, "retry_cap": None,
}
WAITING, QUICK_WAITING = 1000, 60
BAD, GOOD, QUICK_GOOD = 4, 100, 12
DEAD_URLS, GOOD_URLS = 14, 5
UNDER_WAY = 20


class Place(Stage):
    def __init__(self, proof, name, **settings):
        super().__init__(proof, name)
        self.settings = {**DEFAULTS, **settings}

    def photo(self, folder, number, index, is_back=False):
        path = Path(folder, number)
        path.mkdir(parents=True, exist_ok=True)
        data = cards.jpeg(self.pairs.number(index), is_back)
        Path(path, "back.jpg" if is_back else "front.jpg").write_bytes(data)

    def states(self):
        """How many cards of which number prefix stand where."""
        return dict(Counter(f"{card['business_no'][0]} {card['state']}" for card in self.sandbox.cards()))


def waiting(proof):
    place = Place(proof, "waiting")
    count = QUICK_WAITING if proof.quick else WAITING
    backs, case = place.subfolder("backs"), place.subfolder("case")
    for index in range(count):
        place.photo(backs, f"W{index:04d}", index, is_back=True)
    place.photo(case, "N1", count)
    place.sandbox = place.new_sandbox(**place.settings)
    proof.expect_end(place.sandbox.take_in(backs), "the run over the backs", 1)
    started = time.monotonic()
    proof.expect_end(place.sandbox.take_in(case), "the run of a new case")
    seconds = time.monotonic() - started
    place.expect(seconds < 10, f"a new case took {seconds:.1f} s behind {count} waiting backs")
    place.expect(place.states() == {"W verified": count, "N delivered": 1}, f"the cards stand at {place.states()}")
    place.figure("a new case", f"delivered in {seconds:.1f} s behind {count} backs that wait for their fronts")


def documents(proof):
    place = Place(proof, "documents", run_patience="20s")
    good = QUICK_GOOD if proof.quick else GOOD
    bad = [f"B{index}" for index in range(BAD)]
    place.delivery_url = proof.keep_running(PickyProxy(place.folder, place.backend, {"fails": bad})).url
    photos = place.subfolder("photos")
    for index, number in enumerate([*bad, *(f"N{index}" for index in range(good))]):
        place.photo(photos, number, index)
    place.sandbox = place.new_sandbox(**place.settings)
    started = time.monotonic()
    proof.expect_end(place.sandbox.take_in(photos), "the run", 1, 75)
    states = place.states()
    place.expect(states.get("N delivered") == good, f"of {good} good documents: {states}")
    place.expect_none_twice()
    place.figure("good documents", f"{good} delivered beside {BAD} that always get 500, {time.monotonic() - started:.0f} s: {states}")


def hosts(proof):
    place = Place(proof, "hosts")
    images = place.subfolder("images")
    host = proof.keep_running(image_host(place.folder, images))
    rows = [f"{host.url}/dead{index}.jpg,D{index}" for index in range(DEAD_URLS)]
    for index in range(GOOD_URLS):
        Path(images, f"good{index}.jpg").write_bytes(cards.jpeg(place.pairs.number(index), False))
        rows.append(f"{host.url}/good{index}.jpg,G{index}")
    manifest = Path(place.folder, "manifest.csv")
    manifest.write_text("path,business_no\n" + "\n".join(rows) + "\n", encoding="utf-8")
    rules = {"fetch_allow_http": "true", "fetch_ports": host.port, "fetch_hosts": "127.0.0.1", "fetch_allow_addresses": "127.0.0.0/8"}
    place.sandbox = place.new_sandbox(**place.settings, **rules, run_patience="150s")
    started = time.monotonic()
    process = place.sandbox.start(["run", "--manifest", str(manifest), "--format", "json", "--quiet"])
    until(lambda: place.backend.count() >= GOOD_URLS, process)
    seconds = time.monotonic() - started
    process.send_signal(signal.SIGTERM)
    errors = process.communicate()[1]
    place.expect(place.backend.count() == GOOD_URLS, f"{place.backend.count()} of {GOOD_URLS} images came: {errors[-400:]}")
    place.expect(seconds <= 120, f"the good images of the host took {seconds:.0f} s")
    place.figure("good images", f"{GOOD_URLS} delivered in {seconds:.1f} s behind {DEAD_URLS} dead addresses of their host")


def token(proof):
    place = Place(proof, "token", stop_probe_interval="1s", run_patience="20s")
    file = Path(place.folder, "token")
    replace_file(file, "TOKEN-1")
    proxy = proof.keep_running(PickyProxy(place.folder, place.backend, {"token": "TOKEN-1"}))
    place.delivery_url = proxy.url
    count = 3 * UNDER_WAY if proof.quick else 10 * UNDER_WAY
    photos = place.subfolder("photos")
    for index in range(count):
        place.photo(photos, f"N{index:03d}", index)
    place.sandbox = place.new_sandbox(**place.settings, delivery_token=None, delivery_token_file=file)
    process = place.sandbox.start(["run", photos, "--format", "json", "--quiet"])
    until(lambda: place.backend.count() >= UNDER_WAY, process)
    # From now on the gateway lets another TOKEN in than the pipeline has; a while later it has it, too.
    proxy.set(token="TOKEN-2")
    until(lambda: proxy.noted()["refused"] >= 3, process)
    replace_file(file, "TOKEN-2")
    process.communicate(timeout=HANG_SECONDS)
    last = proof.expect_end(place.sandbox.take_in(photos), "the run with the new TOKEN", 0, 1)
    held = [card for card in place.sandbox.cards() if card["state"] == "held"]
    states = place.states()
    place.expect(states.get("N delivered", 0) + len(held) == count, f"the cards stand at {states}: {last.tail()}")
    arrived = {line["business_no"] for line in place.backend.ledger()}
    for card in held:
        place.expect(card["reason"] == "outcome_unknown", f"held for {card['reason']}")
        place.expect(card["business_no"] not in arrived, "a card is held that the backend has")
        said = [line["message"] or "" for line in json.loads(last.output)["cards"] if line["card_id"] == card["card_id"]]
        place.expect(said and "--as accept" in said[0], f"no way out is named: {said}")
        proof.expect_end(place.sandbox.run(["cards", "resolve", card["card_id"], "--as", "accept"]), "cards resolve")
    proof.expect_end(place.sandbox.take_in(photos), "the run after the decisions")
    place.expect(place.states() == {"N delivered": count}, f"at the end: {place.states()}")
    place.expect_none_twice()
    proof.expect_whole(place.sandbox, "token")
    place.figure("a new TOKEN after 403", f"{count} cards, {proxy.noted()['refused']} refusals, {len(held)} held and accepted, none twice")


PARTS = {"waiting": waiting, "documents": documents, "hosts": hosts, "token": token}
