"""Good cards in lawful but unusual encodings: `accepted-oddities/`. They must be decoded and delivered."""

import numpy as np
from PIL import Image

from . import cards, encode, people


def _sixteen_bits(image, rng, alpha=False):
    """Every sample as 16 bits, with a low byte of its own: 257 v would hide a decoder that takes the wrong byte."""
    wide = np.asarray(image).astype(np.uint16) * 256 + (np.asarray(image)[..., ::-1] // 2 + 64)
    if alpha:
        full = np.full((*wide.shape[:2], 1), 65535, np.uint16)
        wide = np.concatenate([wide, full], -1)
    return encode.png(wide, bit_depth=16)


def _with_profile(image, name, colorants, gamma):
    profile = encode.icc_profile(name, colorants, gamma)
    return encode.jpeg(encode.into_space(image, colorants, gamma), 86, icc_profile=profile, subsampling="4:4:4")


def _rgb_by_component_ids(image, rng):
    """RGB told by the component ids R, G, B alone."""
    data = encode.jpeg(image, 84, keep_rgb=True, subsampling="4:4:4")
    return encode.without_segment(encode.without_segment(data, 0xEE), 0xE0)


def _palette_with_transparency(image, rng):
    clear = cards.transparent_around(image)
    flat = clear.convert("RGB").quantize(255, dither=Image.Dither.FLOYDSTEINBERG)
    pixels = np.asarray(flat).copy()
    pixels[np.asarray(clear)[..., 3] < 128] = 255
    indexed = Image.fromarray(pixels, "P")
    palette = flat.getpalette()
    indexed.putpalette(palette + [0] * (768 - len(palette)))
    indexed.info["transparency"] = bytes([255] * 255 + [0])
    return cards.png_of(indexed)


def _interlaced(image, rng):
    gamma = encode.png_chunk(b"gAMA", (45455).to_bytes(4, "big"))
    return encode.png(image, interlaced=True, extra=gamma)


def _many_segments(image, rng):
    """A long comment, application segments nobody knows, fill bytes before a marker."""
    data = encode.jpeg(image, 86, comment=b"specimen " * 3000)
    strange = b"".join(b"\xff" + bytes([marker]) + (1002).to_bytes(2, "big") + rng.randbytes(1000)
                       for marker in (0xE3, 0xE7, 0xEB, 0xEF))
    return data[:2] + strange + b"\xff\xff\xff" + data[2:]


# What would be a large file in full.
REDUCED = ("ODD-2026-0002/front.png", "ODD-2026-0002/back.png", "ODD-2026-0007/back.png")
# Business number and file: (how it is made, what it is).
CASES = {
    "ODD-2026-0001/front.jpg": (lambda i, r: encode.adobe_cmyk_jpeg(i, 80), "CMYK JPEG, Adobe marker, inverted inks"),
    "ODD-2026-0001/back.jpg": (lambda i, r: encode.adobe_ycck_jpeg(i, 80), "YCCK JPEG, Adobe transform 2"),
    "ODD-2026-0002/front.png": (_sixteen_bits, "PNG, 16-bit RGB"),
    "ODD-2026-0002/back.png": (lambda i, r: _sixteen_bits(i, r, alpha=True), "PNG, 16-bit RGBA"),
    "ODD-2026-0003/front.jpg": (lambda i, r: encode.jpeg(i, 86, progressive=True), "progressive JPEG"),
    "ODD-2026-0003/back.jpg": (
        lambda i, r: encode.jpeg(i, 86, subsampling="4:4:4", restart_marker_rows=2), "4:4:4 JPEG with restart markers",
    ),
    "ODD-2026-0004/front.jpg": (lambda i, r: encode.jpeg(i, 86) + r.randbytes(4096), "JPEG with random bytes after its end"),
    # Like a phone's motion photo or preview: something with markers of its own follows the end.
    "ODD-2026-0004/back.jpg": (
        lambda i, r: encode.jpeg(i, 86) + encode.jpeg(i.resize((160, 101)), 60) + bytes(512), "JPEG with a second JPEG after its end",
    ),
    "ODD-2026-0005/front.jpg": (
        lambda i, r: _with_profile(i, "Specimen wide gamut", encode.ADOBE_LIKE_TO_XYZ_D50, 2.19921875),
        "JPEG with an ICC profile of a wider gamut",
    ),
    # Red, green and blue change places in the profile and in the pixels: whoever ignores it sees a blue emblem.
    "ODD-2026-0005/back.jpg": (
        lambda i, r: _with_profile(i, "Specimen turned primaries", encode.SRGB_TO_XYZ_D50[:, [1, 2, 0]], 2.2),
        "JPEG with an ICC profile whose primaries changed places",
    ),
    "ODD-2026-0006/front.jpg": (lambda i, r: encode.jpeg(i, 84, keep_rgb=True, subsampling="4:4:4"), "RGB JPEG, Adobe transform 0"),
    "ODD-2026-0006/back.jpg": (_rgb_by_component_ids, "RGB JPEG by component ids, no marker"),
    "ODD-2026-0007/front.png": (_palette_with_transparency, "palette PNG with transparency"),
    "ODD-2026-0007/back.png": (_interlaced, "interlaced PNG with gAMA"),
    "ODD-2026-0008/front.jpg": (_many_segments, "JPEG with a long comment, strange segments and fill bytes"),
    "ODD-2026-0008/back.jpg": (lambda i, r: encode.without_segment(encode.jpeg(i, 86), 0xE0), "JPEG without JFIF, Exif or Adobe marker"),
}


def write_oddities(out, seed):
    for path, (make, what) in CASES.items():
        business_no, side = path.split(".")[0].split("/")
        person, rng = people.invent(people.stream(seed, business_no)), people.stream(seed, business_no, side)
        image = cards.scan_of(person, side, rng)
        if path in REDUCED:
            image = image.resize((800, round(800 * image.height / image.width)), Image.Resampling.LANCZOS)
        out.card(f"accepted-oddities/{path}", make(image, rng), person, side, business_no, "scan", image, what=what)
