"""A client of `serve` that says exactly the bytes it is told to, and cards as requests in each way there is."""

import base64
import contextlib
import hashlib
import http.client
import json
import socket
import time
from datetime import datetime, timezone

import standardwebhooks
import urllib3

from proofs.tool import HANG_SECONDS

HOST = "127.0.0.1"
# Longer than any answer takes.
ANSWER_SECONDS = 30
BOUND = []


class NoAnswer(Exception):
    """The connection ended, or nothing came, before an answer was whole."""


def free_port():
    """A port that stays bound here, and on which nothing listens: `serve` may do so, and no other program takes it."""
    bound = socket.socket()
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    bound.bind((HOST, 0))
    BOUND.append(bound)
    return bound.getsockname()[1]


class Request:
    """A request as it is sent, again and again if need be."""

    def __init__(self, method, path, headers=(), body=b""):
        self.method, self.path, self.headers, self.body = method, path, list(headers), body

    def fields(self, token):
        return self.headers + [("Authorization", f"Bearer {token}")] * (token is not None)

    def head(self, token=None, framing=None):
        """Its head, with a field in place of the length of its body if one is given."""
        lines = [f"{self.method} {self.path} HTTP/1.1", f"Host: {HOST}"]
        lines += [f"{name}: {value}" for name, value in self.fields(token)]
        if framing or self.method != "GET":
            lines.append(framing or f"Content-Length: {len(self.body)}")
        return "\r\n".join(lines).encode() + b"\r\n\r\n"

    def bytes(self, token=None):
        return self.head(token) + self.body


class Webhook(Request):
    """A webhook, signed again with the time of each sending by the library of Standard Webhooks; its id and body stay."""

    def __init__(self, body, secret, name):
        super().__init__("POST", "/v1/webhooks/cards", [("Content-Type", "application/json")], body)
        self.signer, self.name = standardwebhooks.Webhook(secret), name

    def fields(self, token):
        """Without the token: its signature is all the leave it needs."""
        moment = datetime.now(timezone.utc)
        return self.headers + [
            ("webhook-id", self.name),
            ("webhook-timestamp", str(int(moment.timestamp()))),
            ("webhook-signature", self.signer.sign(self.name, moment, self.body.decode())),
        ]


def webhook_secret(random):
    """A secret for `webhooks.secrets`, from a generator of random numbers."""
    return "whsec_" + base64.b64encode(random.randbytes(32)).decode()


def card(content_type, body, key, *headers):
    named = [("Idempotency-Key", f'"{key}"')] * (key is not None)
    return Request("POST", "/v1/cards", [("Content-Type", content_type), *headers, *named], body)


def raw_card(image, business_number, key=None):
    return card("image/jpeg", image, key, ("Card-Business-No", business_number))


def form_card(image, business_number, key=None):
    """A form, the image first or last as its bytes have it."""
    parts = [("business_no", business_number), ("image", ("card.jpg", image, "image/jpeg"))]
    digest = hashlib.sha256(image)
    body, content_type = urllib3.encode_multipart_formdata(parts[:: 1 if digest.digest()[0] % 2 else -1], f"proof-{digest.hexdigest()}")
    return card(content_type, body, key)


def webhook_card(image, business_number, secret, name):
    data = {"business_no": business_number, "image_base64": base64.b64encode(image).decode()}
    message = {"type": "card.created", "timestamp": "2026-01-01T00:00:00Z", "data": data}
    return Webhook(json.dumps(message).encode(), secret, name)


class Answer:
    def __init__(self, response):
        self.status, self.headers, self.ends_connection = response.status, response.headers, response.will_close
        self.body = response.read()

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def code(self):
        """The code of the problem; None if the answer is none."""
        return self.json["code"] if self.headers.get("content-type") == "application/problem+json" else None

    def __repr__(self):
        return f"{self.status} {self.code or ''}".strip()


class Client(contextlib.AbstractContextManager):
    """Bytes out, answers in, over one connection, which it opens again when it has ended."""

    def __init__(self, address, token=None, seconds=ANSWER_SECONDS):
        self.address, self.token, self.seconds, self.socket = address, token, seconds, None

    def open(self):
        self.socket = socket.create_connection(self.address, timeout=self.seconds)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return self

    def say(self, data):
        """Sends bytes; returns whether the other side took them."""
        try:
            self.socket.sendall(data)
            return True
        except (BrokenPipeError, ConnectionResetError, ConnectionAbortedError, TimeoutError):
            return False

    def answer(self):
        """The next answer that is a final one. Throws NoAnswer."""
        try:
            with contextlib.closing(http.client.HTTPResponse(self.socket)) as response:
                response.begin()
                answer = Answer(response)
        except (OSError, http.client.HTTPException) as error:
            self.close()
            raise NoAnswer(f"no whole answer: {error!r}") from None
        return answer

    def send(self, request):
        """One exchange. Throws NoAnswer, and OSError if nothing listens."""
        if self.socket is None:
            self.open()
        # The service may refuse a body of which it did not read all.
        self.say(request.bytes(self.token))
        answer = self.answer()
        if answer.ends_connection:
            self.close()
        return answer

    def close(self):
        if self.socket is not None:
            self.socket.close()
            self.socket = None

    def __exit__(self, *_):
        self.close()


def send_until(client, request, seconds=HANG_SECONDS):
    """Sends the same request until its answer is no refusal that passes (503, 429, and 409 while the first sending is under
    way), also after lost connections and dead services. Throws NoAnswer when the time has run out."""
    end, last = time.monotonic() + seconds, None
    while time.monotonic() < end:
        try:
            last = client.send(request)
            if last.status not in (429, 503) and last.code != "idempotency_key_in_progress":
                return last
            time.sleep(min(int(last.headers.get("retry-after", 1)), 5) / 4)
        except (OSError, NoAnswer) as error:
            client.close()
            last = error
            time.sleep(0.05)
    raise NoAnswer(f"no answer in {seconds} s, the last one: {last!r}")
