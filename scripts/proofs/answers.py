"""answers: backends and verifiers answer in forms that nobody expects; what is posted, under how many keys, and the way out."""

import collections
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import threading
import time

from proofs import cards, remote
from proofs.tool import Sandbox

DOCUMENTS, SIDE_BY_SIDE = 6, 10
# Under which statuses the first ten forms come, too.
OTHER_STATUSES = (201, 400, 404, 422)
JSON, XML, TEXT, HTML = "application/json", "application/xml", "text/plain", "text/html"
GZIP = bytes.fromhex("1f8b0800000000000003")

Form = collections.namedtuple("Form", "name type body headers settings is_page")


def form(name, type, body, settings=None, is_page=False, **headers):
    """One unexpected answer; `settings` make a word of success of it for the backend."""
    names = {key.replace("_", "-"): value for key, value in headers.items()}
    return Form(name, type, body if isinstance(body, bytes) else body.encode(), names, settings, is_page)


def success(field, *codes):
    return {"delivery_reply_code": field, "delivery_retcode_success": ", ".join(codes)}


FORMS = [
    form("code 0", JSON, '{"code":0,"msg":"ok"}', success("code", "0")),
    form("boolean", JSON, '{"success":true}', success("success", "true")),
    form("nested", JSON, '{"head":{"RETCODE":"000000"}}', success("head.RETCODE", "000000")),
    form("empty", TEXT, ""),
    form("text", TEXT, "OK"),
    form("empty object", JSON, "{}"),
    form("XML of other names", XML, "<r><code>0</code></r>", success("code", "0")),
    form("HTML", HTML, "<!DOCTYPE html><title>welcome</title>", is_page=True),
    form("coded br", JSON, b"\x8b\x05\x80{}\x03", Content_Encoding="br"),
    form("GBK unnamed", JSON, '{"code":0,"msg":"成功"}'.encode("gbk")),
    form("null", JSON, "null"),
    form("array", JSON, '[{"RETCODE":"000000"}]'),
    form("number", JSON, "0"),
    form("string", JSON, '"success"'),
    form("true", JSON, "true"),
    form("lower case", JSON, '{"retcode":"000000"}', success("retcode", "000000")),
    form("blank code", JSON, '{"RETCODE":" "}'),
    form("null code", JSON, '{"RETCODE":null}'),
    form("code twice", JSON, '{"RETCODE":"000000","RETCODE":"000000"}'),
    form("code an object", JSON, '{"RETCODE":{"value":"000000"}}', success("RETCODE.value", "000000")),
    form("code a list", JSON, '{"RETCODE":["000000"]}'),
    form("status of Spring", JSON, '{"timestamp":1,"status":200,"path":"/upload"}', success("status", "200")),
    form("data", JSON, '{"code":"SUCCESS","data":{"id":7}}', success("code", "SUCCESS")),
    form("errcode", JSON, '{"errcode":0,"errmsg":"ok"}', success("errcode", "0")),
    form("ret", JSON, '{"ret":1}', success("ret", "1")),
    form("result", JSON, '{"result":"Y"}', success("result", "Y")),
    form("boolean as text", JSON, '{"ok":"true"}', success("ok", "true")),
    form("JSON labelled HTML", HTML, '{"code":0}', success("code", "0")),
    form("JSON labelled text", TEXT, '{"code":0}', success("code", "0")),
    form("JSON cut off", JSON, '{"RETCODE":"0000'),
    form("two objects", JSON, '{"a":1}{"RETCODE":"000000"}'),
    form("single quotes", JSON, "{'RETCODE':'000000'}"),
    form("JSONP", "application/javascript", 'callback({"RETCODE":"000000"})'),
    form("form", "application/x-www-form-urlencoded", "RETCODE=000000&RETMSG=ok"),
    form("SOAP", XML, "<e:Envelope><e:Body><ok>1</ok></e:Body></e:Envelope>"),
    form("XML cut off", XML, "<RESPONSE><RETCODE>0000"),
    form("UTF-16 without mark", JSON, '{"code":0}'.encode("utf-16-le")),
    form("unknown charset", "application/json;charset=utf-7", '{"code":0,"msg":"é"}'.encode("latin-1")),
    form("damaged gzip", JSON, GZIP + b"damaged", Content_Encoding="gzip"),
    form("Base64", TEXT, "q83vEjRWeJA="),
]


class Scripted(remote.Handler):
    """Answers as the scenario says whose name begins the path, and notes what came."""

    def do_POST(self):
        body = self.body()
        scenario = self.server.scenarios[self.path.split("/")[1]]
        image = body[body.index(b"\r\n\r\n", body.index(self.server.part)) + 4 : body.rindex(b"\r\n--")]
        key = self.headers.get("Idempotency-Key", "")
        with self.server.lock:
            scenario.posts.append((hashlib.sha256(image).hexdigest(), key))
        if scenario.is_odd(image):
            self.answer(scenario.status, {"Content-Type": scenario.form.type, **scenario.form.headers}, scenario.form.body)
        elif self.server.is_verifier:
            self.answer(200, {"Content-Type": JSON}, json.dumps(remote.reading(image)).encode())
        else:
            self.answer(200, {"Content-Type": JSON}, b'{"RETCODE":"000000","RETMSG":"ok"}')


class ScriptedServer(remote.Server):
    def __init__(self, is_verifier):
        super().__init__(Scripted)
        self.is_verifier, self.scenarios, self.lock = is_verifier, {}, threading.Lock()
        self.part = b'name="image"' if is_verifier else b'name="FILE"'
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def stop(self):
        self.shutdown()
        self.server_close()


class Scenario:
    """One form at one side: a sandbox, what was posted there, and its way out."""

    def __init__(self, proof, name, side, form, status, odd=None):
        self.proof, self.name, self.side, self.form, self.status = proof, name, side, form, status
        self.posts, self.is_mended, self.odd = [], False, odd
        self.other = Plain()
        folder = proof.subfolder(f"{name}-{len(os.listdir(proof.folder))}")
        self.photos = os.path.join(folder, "photos")
        verifier, backend = proof.servers
        for server in proof.servers:
            server.scenarios[name] = self if server.is_verifier == (side == "verifier") else self.other
        self.sandbox = Sandbox(
            proof.tool, folder, f"{verifier.url}/{name}/ocr", f"{backend.url}/{name}/upload",
            verification_concurrency=4, delivery_concurrency=4, delivery_max_attempts=8, run_patience="2s",
            watch_folders=os.path.join(folder, "inbox"),
        )
        os.makedirs(os.path.join(folder, "inbox"))

    def is_odd(self, image):
        return not self.is_mended and (self.odd is None or cards.read(image) == (self.odd, False))

    def make(self, count):
        pairs = cards.Pairs(self.proof.seed)
        for index in range(count):
            case = pathlib.Path(self.photos, pairs.business_number(index))
            case.mkdir(parents=True)
            (case / "front.jpg").write_bytes(cards.jpeg(pairs.number(index), False))
        return [pairs.number(index) for index in range(count)]

    def expect(self, holds, text):
        self.proof.expect(holds, f"{self.side}, {self.form.name} under {self.status} ({self.name}): {text}")

    def most(self):
        """How often a document was posted at most; each under one key."""
        keys, counts = collections.defaultdict(set), collections.Counter()
        for document, key in self.posts:
            keys[document].add(key)
            counts[document] += 1
        self.expect(all(len(each) == 1 for each in keys.values()), "a document was sent under two keys")
        return max(counts.values(), default=0)

    @property
    def is_paid(self):
        """A page or an error status is a gateway's: nothing was read, and nothing is billed."""
        return self.status < 300 and not self.form.is_page

    def states(self):
        return collections.Counter(card["state"] for card in self.sandbox.cards())


class Plain:
    """A side that answers as it should."""

    def __init__(self):
        self.posts, self.form, self.status = [], None, 200

    def is_odd(self, _):
        return False


def misread(scenario, watching):
    """Two runs and a watch while no answer can be understood; then the way out."""
    scenario.make(DOCUMENTS)
    ends = [scenario.sandbox.take_in(scenario.photos) for _ in range(2)]
    if scenario.is_paid:
        scenario.expect(ends[-1].status in (1, 69), f"run ended with {ends[-1].status}")
    watch = scenario.sandbox.start(["watch"])
    time.sleep(watching)
    watch.terminate()
    scenario.sandbox.end(watch)
    count, most = len(scenario.posts), scenario.most()
    if scenario.is_paid:
        scenario.expect(most <= (2 if scenario.side == "verifier" else 1), f"a document was posted {most} times")
    settings = (scenario.form.settings if scenario.side == "backend" and scenario.status < 300 else None) or {}
    scenario.is_mended = not settings
    scenario.sandbox.environment |= {f"IDCARD_{key.upper()}": value for key, value in settings.items()}
    follow(scenario, ends[-1])
    scenario.expect(scenario.states()["delivered"] == DOCUMENTS, f"after the way out: {dict(scenario.states())}")
    scenario.most()
    scenario.proof.expect_whole(scenario.sandbox, scenario.name)
    return count


def follow(scenario, end):
    """Does what the last run said: the commands that it names, and once more what it was asked for."""
    scenario.sandbox.take_in(scenario.photos)
    for command in re.findall(r"idcard-pipeline (cards retry --reason \w+|resume \w+)", end.errors):
        scenario.sandbox.run(command.split())
    scenario.sandbox.take_in(scenario.photos)


def one_odd(scenario):
    """One document of eight is answered so, whenever it comes; the others go."""
    numbers = scenario.make(8)
    scenario.odd = numbers[scenario.proof.seed % 8]
    scenario.sandbox.take_in(scenario.photos)
    states = scenario.states()
    scenario.expect(states["delivered"] >= 7, f"one odd document kept others: {dict(states)}")
    most = scenario.most()
    if scenario.is_paid:
        scenario.expect(most <= 2, f"the odd document was posted {most} times")
    return len(scenario.posts)


def scenarios(proof, statuses):
    count = 0
    for side in ("backend", "verifier"):
        for index, form in enumerate(FORMS[:: 8 if proof.quick else 1]):
            for status in (200, *(statuses if index < 10 and not proof.quick else ())):
                count += 1
                yield f"{side[0]}{count:03d}", side, form, status


def side_by_side(proof, work, statuses=()):
    proof.servers = [proof.keep_running(ScriptedServer(is_verifier)) for is_verifier in (True, False)]
    posts = collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
        all = [Scenario(proof, *names) for names in scenarios(proof, statuses)]
        for scenario, count in zip(all, pool.map(work, all)):
            posts[(scenario.side, count)] += 1
    for side in ("backend", "verifier"):
        spread = ", ".join(f"{count}: {forms}" for (other, count), forms in sorted(posts.items()) if other == side)
        proof.figure(f"posts: forms at the {side}", spread)


def unexpected(proof):
    watching = 2 if proof.quick else 30
    side_by_side(proof, lambda scenario: misread(scenario, watching), OTHER_STATUSES)


def odd(proof):
    side_by_side(proof, one_odd)


PARTS = {"unexpected": unexpected, "odd": odd}
