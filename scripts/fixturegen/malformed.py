"""What must be refused: `refused/`, each input in a folder of its own."""

import random
import struct
from dataclasses import replace

import numpy as np
from PIL import Image, ImageDraw

from . import card as art
from . import cards, encode, people, scene
from .output import seen

NOTES = "These images are refused on purpose. This file is no image and is ignored.\n"


def write_refused(out, seed):
    for what, (name, why, make) in CASES.items():
        made = make(people.stream(seed, "refused", what))
        data, more = made if isinstance(made, tuple) else (made, {})
        business_no = f"REFUSED-{what}"
        out.put(f"refused/{business_no}/{name}", data, business_no=business_no, expected="rejected", why=why, **more)
    rng = people.stream(seed, "refused", "no folder")
    person, image = _front(rng)
    out.card("refused/no-business-number.jpg", encode.jpeg(image, 85), person, "front", None, "scan", image,
             expected="business_no_missing", why="a good card, but directly in the root: no business number")
    out.put("refused/notes.txt", NOTES.encode(), business_no=None, expected="ignored", why="not an image")


def _front(rng):
    person = people.invent(rng)
    return person, cards.scan_of(person, "front", rng)


def _small_front(rng):
    """A front reduced for files of which only the beginning matters."""
    return _front(rng)[1].resize((474, 300), Image.Resampling.LANCZOS)


def _small_front_as(kind, **options):
    return lambda rng: encode.saved(_small_front(rng), kind, **options)


def _photocopy(rng):
    person, image = _front(rng)
    return encode.jpeg(art.colourless(image, rng), 70), seen(person, "front", "scan", image)


def _photocopy_rgb(rng):
    person = people.invent(rng)
    grey = art.colourless(cards.photo_of(person, "front", "1mp", rng), rng).convert("RGB")
    return encode.jpeg(grey, 70, encode.camera_exif(grey.size, 1, rng)), seen(person, "front", "photo", grey)


def _wrong_check_digit(rng):
    person = people.invent(rng)
    digit = int(person.number[17].replace("X", "0"))
    wrong = replace(person, number=person.number[:17] + str((digit + 5) % 10))
    image = cards.scan_of(wrong, "front", rng)
    return encode.jpeg(image, 85), seen(wrong, "front", "scan", image)


def _desk(rng):
    noise = np.random.default_rng(rng.getrandbits(64))
    image = scene.lit(scene.desk("1mp", rng, noise), rng, noise, 2.2)
    draw = ImageDraw.Draw(image)
    draw.ellipse([380, 260, 760, 640], fill=(232, 230, 226))
    draw.ellipse([440, 320, 700, 580], fill=(82, 52, 34))
    return encode.photograph_jpeg(image, 1, rng, 160_000), {"kind": "photo"}


def _header_only(rng):
    data = encode.jpeg(_small_front(rng), 60)
    return data[: next(start for marker, start, _ in encode.segments(data) if marker == 0xC4)]


def _claiming(rng, size):
    return encode.with_frame_size(encode.jpeg(_small_front(rng), 60), size, size)


def _beginning(data, share):
    return data[: int(len(data) * share)]


def _png_corrupt(rng):
    data = bytearray(encode.png(_small_front(rng)))
    middle = len(data) // 2
    data[middle : middle + 64] = rng.randbytes(64)
    return bytes(data)


def _heic(rng):
    head = struct.pack(">I4s4sI", 24, b"ftyp", b"heic", 0) + b"mif1heic"
    return head + struct.pack(">I4s", 2048, b"meta") + random.Random(rng.getrandbits(32)).randbytes(2040)


def _pdf(rng):
    body = b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
    body += b"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 243 153]>>endobj\n"
    offsets = [body.index(b"%d 0 obj" % n) for n in (1, 2, 3)]
    table = b"xref\n0 4\n0000000000 65535 f \n" + b"".join(b"%010d 00000 n \n" % o for o in offsets)
    return body + table + b"trailer<</Size 4/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % len(body)


# What: (file, why it is refused, how it is made: the bytes, with what is true of them where that is more)
CASES = {
    "PHOTOCOPY": ("front.jpg", "legality: a photocopy, stored with one grey channel", _photocopy),
    "PHOTOCOPY-RGB": ("front.jpg", "legality: a photocopy, photographed, stored with three channels", _photocopy_rgb),
    "CHECK-DIGIT": ("front.jpg", "the number's check digit is wrong", _wrong_check_digit),
    "NO-CARD": ("front.jpg", "no side of a card is recognised", _desk),
    "TRUNCATED": ("front.jpg", "the JPEG ends after 40 % of its bytes", lambda rng: _beginning(encode.jpeg(_front(rng)[1], 85), 0.4)),
    "HEADER-ONLY": ("front.jpg", "the JPEG ends after its frame header", _header_only),
    "EMPTY": ("front.jpg", "the file is empty", lambda rng: b""),
    "TEXT": ("front.jpg", "text named .jpg", lambda rng: "这不是图片。This is not an image.\n".encode() * 20),
    "CLAIMS-64000": ("front.jpg", "the JPEG's header claims 64,000 x 64,000 pixels", lambda rng: _claiming(rng, 64_000)),
    "CLAIMS-65535": ("front.jpg", "the JPEG's header claims 65,535 x 65,535 pixels", lambda rng: _claiming(rng, 65_535)),
    "PNG-BOMB": ("front.png", "a PNG of 30,000 x 30,000 pixels in a small file", lambda rng: encode.zero_png(30_000, 30_000)),
    "PNG-TRUNCATED": ("front.png", "the PNG ends after half its bytes", lambda rng: _beginning(encode.png(_small_front(rng)), 0.5)),
    "PNG-CORRUPT": ("front.png", "the PNG's pixel data is damaged: its checksum is wrong", _png_corrupt),
    "TINY": (
        "front.jpg", "8 x 5 pixels: nothing can be read",
        lambda rng: (encode.jpeg(Image.new("RGB", (8, 5), (205, 228, 246)), 80), {"width": 8, "height": 5}),
    ),
    "GIF": ("front.gif", "GIF is recognised and not supported", _small_front_as("GIF")),
    "WEBP": ("front.webp", "WEBP is recognised and not supported", _small_front_as("WEBP", quality=60)),
    "TIFF": ("front.tif", "TIFF is recognised and not supported", _small_front_as("TIFF", compression="tiff_lzw")),
    "HEIC": ("front.jpg", "HEIC (named .jpg) is recognised and not supported", _heic),
    "PDF": ("front.pdf", "PDF is recognised and not supported", _pdf),
}
