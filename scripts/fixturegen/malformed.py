"""What must be refused: `refused/`, each input in a folder of its own."""

import io
import random
import struct

from PIL import Image, ImageDraw

from . import card as art
from . import cards, encode, people, scene

NOTES = "These images are refused on purpose. This file is no image and is ignored.\n"


def write_refused(out, seed):
    """Writes all folders of `refused/`."""
    for what, make in CASES.items():
        name, data, expected, why, more = make(people.stream(seed, "refused", what))
        business_no = f"REFUSED-{what}"
        out.put(f"refused/{business_no}/{name}", data, business_no=business_no, expected=expected, why=why, **more)
    rng = people.stream(seed, "refused", "no folder")
    person = people.invent(rng)
    image = cards.scan_of(person, "front", rng)
    out.card("refused/no-business-number.jpg", encode.jpeg(image, 85), person, "front", None, "scan", image,
             expected="business_no_missing", why="a good card, but directly in the root: no business number")
    out.put("refused/notes.txt", NOTES.encode(), business_no=None, expected="ignored", why="not an image")


def _rejected(name, data, why, **more):
    return name, data, "rejected", why, more


def _front(rng):
    person = people.invent(rng)
    return person, cards.scan_of(person, "front", rng)


def _small_front(rng):
    """A front reduced for files of which only the beginning matters."""
    return _front(rng)[1].resize((474, 300), Image.Resampling.LANCZOS)


def _told(person, image, side="front", kind="scan"):
    return {"side": side, "kind": kind, "fields": person.truth(side), "orientation": 1, "width": image.width,
            "height": image.height, "megapixels": round(image.width * image.height / 1e6, 2)}


def _photocopy(rng):
    person, image = _front(rng)
    grey = art.colourless(image, rng)
    return _rejected("front.jpg", encode.jpeg(grey, 70), "legality: a photocopy, stored with one grey channel",
                     **_told(person, image))


def _photocopy_rgb(rng):
    person = people.invent(rng)
    photo = cards.photo_of(person, "front", "1mp", rng)
    grey = art.colourless(photo.image, rng).convert("RGB")
    return _rejected("front.jpg", encode.jpeg(grey, 70, encode.camera_exif(grey.size, 1, rng)),
                     "legality: a photocopy, photographed, stored with three channels",
                     **_told(person, grey, kind="photo"), **photo.truth())


def _wrong_check_digit(rng):
    person = people.invent(rng)
    wrong = people.with_number(person, people.wrong_check_digit(person.number))
    image = cards.scan_of(wrong, "front", rng)
    return _rejected("front.jpg", encode.jpeg(image, 85), "the number's check digit is wrong", **_told(wrong, image))


def _desk(rng):
    return _rejected("front.jpg", _desk_photo(rng), "no side of a card is recognised", kind="photo")


def _desk_photo(rng):
    import numpy as np

    noise = np.random.default_rng(rng.getrandbits(64))
    image = scene.lit(scene.desk("1mp", rng, noise), rng, noise, 2.2)
    draw = ImageDraw.Draw(image)
    draw.ellipse([380, 260, 760, 640], fill=(232, 230, 226))
    draw.ellipse([440, 320, 700, 580], fill=(82, 52, 34))
    return encode.photograph_jpeg(image, 1, rng, 160_000)


def _truncated(rng):
    data = encode.jpeg(_front(rng)[1], 85)
    return _rejected("front.jpg", data[: len(data) * 2 // 5], "the JPEG ends after 40 % of its bytes")


def _empty(rng):
    return _rejected("front.jpg", b"", "the file is empty")


def _text(rng):
    return _rejected("front.jpg", "这不是图片。This is not an image.\n".encode() * 20, "text named .jpg")


def _header_only(rng):
    data = encode.jpeg(_small_front(rng), 60)
    return _rejected("front.jpg", data[: [start for marker, start, _ in encode.segments(data) if marker == 0xC4][0]],
                     "the JPEG ends after its frame header")


def _claims(width, height):
    def make(rng):
        data = encode.with_frame_size(encode.jpeg(_small_front(rng), 60), width, height)
        return _rejected("front.jpg", data, f"the JPEG's header claims {width:,} x {height:,} pixels")

    return make


def _png_bomb(rng):
    return _rejected("front.png", encode.zero_png(30_000, 30_000), "a PNG of 30,000 x 30,000 pixels in a small file")


def _png_truncated(rng):
    data = encode.png(encode.samples(_small_front(rng)))
    return _rejected("front.png", data[: len(data) // 2], "the PNG ends after half its bytes")


def _png_corrupt(rng):
    data = bytearray(encode.png(encode.samples(_small_front(rng))))
    middle = len(data) // 2
    data[middle : middle + 64] = rng.randbytes(64)
    return _rejected("front.png", bytes(data), "the PNG's pixel data is damaged: its checksum is wrong")


def _tiny(rng):
    image = Image.new("RGB", (8, 5), (205, 228, 246))
    return _rejected("front.jpg", encode.jpeg(image, 80), "8 x 5 pixels: nothing can be read", width=8, height=5)


def _pillow(kind, name, **options):
    def make(rng):
        buffer = io.BytesIO()
        _small_front(rng).save(buffer, kind, **options)
        return _rejected(name, buffer.getvalue(), f"{kind} is recognised and not supported")

    return make


def _heic(rng):
    head = struct.pack(">I4s4sI", 24, b"ftyp", b"heic", 0) + b"mif1heic"
    meta = struct.pack(">I4s", 2048, b"meta") + random.Random(rng.getrandbits(32)).randbytes(2040)
    return _rejected("front.jpg", head + meta, "HEIC (named .jpg) is recognised and not supported")


def _pdf(rng):
    body = b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
    body += b"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 243 153]>>endobj\n"
    offsets = [body.index(b"%d 0 obj" % n) for n in (1, 2, 3)]
    table = b"xref\n0 4\n0000000000 65535 f \n" + b"".join(b"%010d 00000 n \n" % o for o in offsets)
    data = body + table + b"trailer<</Size 4/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % len(body)
    return _rejected("front.pdf", data, "PDF is recognised and not supported")


CASES = {
    "PHOTOCOPY": _photocopy,
    "PHOTOCOPY-RGB": _photocopy_rgb,
    "CHECK-DIGIT": _wrong_check_digit,
    "NO-CARD": _desk,
    "TRUNCATED": _truncated,
    "HEADER-ONLY": _header_only,
    "EMPTY": _empty,
    "TEXT": _text,
    "CLAIMS-64000": _claims(64_000, 64_000),
    "CLAIMS-65535": _claims(65_535, 65_535),
    "PNG-BOMB": _png_bomb,
    "PNG-TRUNCATED": _png_truncated,
    "PNG-CORRUPT": _png_corrupt,
    "TINY": _tiny,
    "GIF": _pillow("GIF", "front.gif"),
    "WEBP": _pillow("WEBP", "front.webp", quality=60),
    "TIFF": _pillow("TIFF", "front.tif", compression="tiff_lzw"),
    "HEIC": _heic,
    "PDF": _pdf,
}
