"""Curl's multipart encoder and other people's parsers, for Tests/MultipartFormTests/Interop.

    multipart_interop.py curl FOLDER     each case of FOLDER/cases.json by curl -F, into FOLDER/CASE.curl.body and .type
    multipart_interop.py parse FOLDER    FOLDER/CASE.body by every parser, into FOLDER/parsed.json

A case is {"case", "boundary", "parts": [{"name", "filename", "type", "content"}]}; "content" names a file in FOLDER, and
"filename" and "type" are null for text.
"""

import asyncio
import hashlib
import io
import json
import pathlib
import sys

import django.conf
import falcon.media
# Of PyPI multipart: the package of the same name that PyPI python-multipart installs makes way for it.
import multipart
import python_multipart
from aiohttp import MultipartReader, StreamReader
from aiohttp.base_protocol import BaseProtocol
from django.core.files.uploadhandler import MemoryFileUploadHandler
from django.http.multipartparser import MultiPartParser
from werkzeug.wrappers import Request

from makers import by_curl

django.conf.settings.configure(DATA_UPLOAD_MAX_MEMORY_SIZE=None)


def summary(name, filename, content_type, data):
    data = data.encode() if isinstance(data, str) else bytes(data)
    digest = hashlib.sha256(data).hexdigest()
    return {"name": name, "filename": filename, "type": content_type if filename is not None else None, "sha256": digest}


# Parsers: (body, content type) -> summaries; those that keep the order of the parts say so.


def parse_werkzeug(body, content_type):
    request = Request.from_values(method="POST", content_type=content_type, data=body)
    texts = [summary(name, None, None, value) for name, value in request.form.items(multi=True)]
    files = request.files.items(multi=True)
    return texts + [summary(name, file.filename, file.content_type, file.read()) for name, file in files]


def parse_multipart_strict(body, content_type):
    _, options = multipart.parse_options_header(content_type)
    parser = multipart.MultipartParser(
        io.BytesIO(body), options["boundary"], content_length=len(body), strict=True, memory_limit=2**27
    )
    return [summary(part.name, part.filename, part.content_type, part.raw) for part in parser.parts()]


def parse_python_multipart(body, content_type):
    parts = []

    def on_field(field):
        parts.append(summary(field.field_name.decode(), None, None, field.value or b""))

    def on_file(file):
        file.file_object.seek(0)
        parts.append(
            summary(file.field_name.decode(), file.file_name.decode(), file.content_type, file.file_object.read())
        )

    headers = {"Content-Type": content_type.encode(), "Content-Length": str(len(body)).encode()}
    python_multipart.parse_form(headers, io.BytesIO(body), on_field, on_file, chunk_size=777)
    return parts


def parse_aiohttp(body, content_type):
    async def run():
        loop = asyncio.get_running_loop()
        stream = StreamReader(BaseProtocol(loop), 2**16, loop=loop)
        stream.feed_data(body)
        stream.feed_eof()
        parts = []
        async for part in MultipartReader({"Content-Type": content_type}, stream):
            parts.append(summary(part.name, part.filename, part.headers.get("Content-Type"), await part.read()))
        return parts

    return asyncio.run(run())


def parse_django(body, content_type):
    meta = {"CONTENT_TYPE": content_type, "CONTENT_LENGTH": str(len(body))}
    fields, files = MultiPartParser(meta, io.BytesIO(body), [MemoryFileUploadHandler()], "utf-8").parse()
    texts = [summary(name, None, None, value) for name, values in fields.lists() for value in values]
    return texts + [
        summary(name, file.name, file.content_type, file.read()) for name, values in files.lists() for file in values
    ]


def parse_falcon(body, content_type):
    handler = falcon.media.MultipartFormHandler()
    handler.parse_options.max_body_part_buffer_size = 2**27
    parts = handler.deserialize(io.BytesIO(body), content_type, len(body))
    return [summary(part.name, part.filename, part.content_type, part.get_data()) for part in parts]


PARSERS = {
    "werkzeug": (parse_werkzeug, False),
    "multipart-strict": (parse_multipart_strict, True),
    "python-multipart": (parse_python_multipart, True),
    "aiohttp": (parse_aiohttp, True),
    "django": (parse_django, False),
    "falcon": (parse_falcon, True),
}


def main():
    mode, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    parsed = []
    for case in json.loads((folder / "cases.json").read_text()):
        if mode == "curl":
            parts = [part | {"data": (folder / part["content"]).read_bytes()} for part in case["parts"]]
            content_type, body, _ = by_curl(parts, folder)
            (folder / f"{case['case']}.curl.type").write_text(content_type)
            (folder / f"{case['case']}.curl.body").write_bytes(body)
        else:
            body = (folder / f"{case['case']}.body").read_bytes()
            content_type = f"multipart/form-data; boundary={case['boundary']}"
            for name, (parse, ordered) in PARSERS.items():
                entry = {"case": case["case"], "parser": name, "ordered": ordered, "parts": [], "error": None}
                try:
                    entry["parts"] = parse(body, content_type)
                except Exception as error:  # the test shows it
                    entry["error"] = repr(error)
                parsed.append(entry)
    if mode == "parse":
        (folder / "parsed.json").write_text(json.dumps(parsed))


main()
