"""What stands before an endpoint, and has its outages."""

import contextlib
import http.client
import os
import socket
import ssl
import subprocess
import threading
from collections import Counter

from proofs.remote import Handler, Server
from proofs.service_client import HOST


def certificate(folder, name, environment=()):
    """A certificate that has issued itself for a month."""
    path, key = (os.path.join(folder, f"{name}.{kind}") for kind in ("pem", "key"))
    words = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30", "-out", path]
    words += ["-keyout", key, "-subj", f"/CN=SPECIMEN {name}", "-addext", f"subjectAltName=IP:{HOST}"]
    subprocess.run(words, env={**os.environ, **dict(environment)}, check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path, key)
    return context


class FrontHandler(Handler):
    def do_POST(self):
        body, front = self.body(), self.server
        if front.way == "busy":
            return self.answer(503, {"Content-Type": "text/html"}, b"<html>the gateway is out of order</html>")
        with contextlib.closing(http.client.HTTPConnection(HOST, front.upstream)) as upstream:
            upstream.request("POST", self.path, body, dict(self.headers))
            given = upstream.getresponse()
            headers, answer = given.headers, given.read()
            del headers["Content-Length"]
            # A JPEG is the same however often its form is sent.
            start = body.find(b"\xff\xd8\xff")
            front.images[body[start : body.find(b"\xff\xd9", start)]] += 1
            self.answer(given.status, headers, answer)


class Front(Server):
    """Passes requests on over TLS; or refuses connections, answers 503 itself, or shows another certificate."""

    def __init__(self, contexts):
        super().__init__(FrontHandler)
        # How often an image was passed on, and what is open.
        self.images, self.connections = Counter(), []
        self.contexts, self.upstream, self.way = contexts, None, "works"
        self.url = f"https://{HOST}:{self.server_port}"
        self.listen()

    def listen(self):
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def get_request(self):
        connection, address = super().get_request()
        context = self.contexts.get(self.way, self.contexts["works"])
        self.connections.append(context.wrap_socket(connection, server_side=True, do_handshake_on_connect=False))
        return self.connections[-1], address

    def turn(self, way):
        """Begins or ends an outage; when one begins no request may be under way."""
        if self.way == "refuses":
            self.server_activate()
            self.listen()
        self.way = way
        if way == "works":
            return
        if way == "refuses":
            self.shutdown()
            # Shut down, a listening socket refuses connections and keeps its port.
            self.socket.shutdown(socket.SHUT_RDWR)
        for connection in self.connections:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        self.connections.clear()
