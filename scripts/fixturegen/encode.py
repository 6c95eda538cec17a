"""Encodings: JPEG as phones write it, and the lawful oddities that Pillow does not write by itself."""

import io
import struct
import zlib

import numpy as np
from PIL import Image

TO_STORED = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_90,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_270,
}
"""What turns an upright picture into the pixels stored under each EXIF orientation."""


def stored(image, orientation):
    """The pixels to store so that applying `orientation` shows `image`."""
    return image.transpose(TO_STORED[orientation]) if orientation in TO_STORED else image


def camera_exif(size, orientation, rng, big_endian=False):
    """A TIFF block with the tags phones write, a place (in the open sea) among them: none may leave the machine."""
    when = f"2026:0{rng.randint(1, 9)}:{rng.randint(10, 28)} {rng.randint(10, 19)}:{rng.randint(10, 59)}:07"
    exif = Image.Exif()
    exif.endian = ">" if big_endian else "<"
    exif[0x010F], exif[0x0110], exif[0x0112] = "Specimen", "CardCam 12", orientation
    exif[0x011A] = exif[0x011B] = 72.0
    exif[0x0128], exif[0x0131], exif[0x0132], exif[0x0213] = 2, "make-fixtures", when, 1
    detail = exif.get_ifd(0x8769)
    detail.update({0x829A: 1 / 60, 0x829D: 1.8, 0x8827: rng.choice((50, 100, 200, 400)), 0x9000: b"0232"})
    detail.update({0x9003: when, 0x9004: when, 0x920A: 4.2, 0xA001: 1, 0xA002: size[0], 0xA003: size[1]})
    exif.get_ifd(0x8825).update({1: "S", 2: (30.0, 0.0, 0.0), 3: "W", 4: (20.0, 0.0, 0.0)})
    return exif.tobytes()


def saved(image, kind, **options):
    buffer = io.BytesIO()
    image.save(buffer, kind, **options)
    return buffer.getvalue()


def jpeg(image, quality, exif=None, **options):
    """A JPEG file; with `exif` (a block made by `camera_exif`) it starts as a phone's does: SOI, then APP1."""
    options.setdefault("subsampling", "4:2:0")
    data = saved(image, "JPEG", quality=quality, optimize=not options.get("progressive"), **options)
    if exif is None:
        return data
    body = exif if exif.startswith(b"Exif\0\0") else b"Exif\0\0" + exif
    return b"\xff\xd8\xff\xe1" + struct.pack(">H", len(body) + 2) + body + without_segment(data, 0xE0)[2:]


def photograph_jpeg(image, orientation, rng, limit, big_endian=False, **options):
    """A phone's JPEG of an upright picture, of the best quality that stays under `limit` bytes."""
    pixels = stored(image, orientation)
    exif = camera_exif(pixels.size, orientation, rng, big_endian)
    for quality in (92, 88, 84, 80, 76, 72, 68, 64, 60, 55, 50):
        data = jpeg(pixels, quality, exif, **options)
        if len(data) <= limit:
            break
    return data


def segments(data):
    """(marker, start, end) of each header segment between SOI and the first scan."""
    at = 2
    while data[at] == 0xFF and data[at + 1] != 0xDA:
        end = at + 2 + struct.unpack(">H", data[at + 2 : at + 4])[0]
        yield data[at + 1], at, end
        at = end


def without_segment(data, marker):
    for found, start, end in segments(data):
        if found == marker:
            return data[:start] + data[end:]
    return data


def with_frame_size(data, width, height):
    """The JPEG with a frame header that claims other dimensions."""
    for found, start, _ in segments(data):
        if found in (0xC0, 0xC1, 0xC2):
            return data[: start + 5] + struct.pack(">HH", height, width) + data[start + 9 :]
    raise ValueError("no frame header")


def cmyk(image):
    """Separates colours with full black generation, so that every reader gets the same colours back."""
    rgb = np.asarray(image).astype(np.float32)
    white = rgb.max(-1, keepdims=True)
    ink = np.where(white > 0, 255 - rgb * 255 / np.maximum(white, 1), 0)
    return np.concatenate([ink, 255 - white], -1).round().clip(0, 255).astype(np.uint8)


def adobe_cmyk_jpeg(image, quality):
    """CMYK with an Adobe marker, transform 0, inks stored inverted as Photoshop does."""
    return jpeg(Image.fromarray(cmyk(image), "CMYK"), quality, subsampling="4:4:4")


def adobe_ycck_jpeg(image, quality):
    """CMYK stored as YCCK (Adobe marker, transform 2), inks inverted."""
    inverted = 255.0 - cmyk(image).astype(np.float32)
    r, g, b = (255 - inverted[..., i] for i in range(3))
    y = 0.299 * r + 0.587 * g + 0.114 * b
    planes = [y, 128 + (b - y) / 1.772, 128 + (r - y) / 1.402, inverted[..., 3]]
    raw = np.stack(planes, -1).round().clip(0, 255).astype(np.uint8)
    data = bytearray(jpeg(Image.fromarray(255 - raw, "CMYK"), quality, subsampling="4:4:4"))
    for marker, start, _ in segments(bytes(data)):
        if marker == 0xEE:
            data[start + 15] = 2
    return bytes(data)


def png_chunk(kind, body):
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def png(image, bit_depth=8, interlaced=False, extra=b""):
    """A PNG of a picture or an (h, w, channels) array of 16-bit samples; Adam7 if `interlaced`; `extra` chunks before IDAT."""
    samples = np.asarray(image)
    height, width, channels = samples.shape
    passes = [(0, 0, 1, 1)]
    if interlaced:
        passes = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]
    rows = bytearray()
    for x, y, step_x, step_y in passes:
        part = samples[y::step_y, x::step_x]
        for row in _up_filtered(part.astype(">u2" if bit_depth == 16 else "u1")):
            rows += b"\x02" + row.tobytes()
    header = struct.pack(">IIBBBBB", width, height, bit_depth, {3: 2, 4: 6}[channels], 0, 0, int(interlaced))
    return png_file(header, extra + png_chunk(b"IDAT", zlib.compress(bytes(rows), 9)))


def png_file(header, chunks):
    return b"\x89PNG\r\n\x1a\n" + png_chunk(b"IHDR", header) + chunks + png_chunk(b"IEND", b"")


def _up_filtered(part):
    raw = part.reshape(part.shape[0], -1).view(np.uint8)
    return raw - np.concatenate([np.zeros_like(raw[:1]), raw[:-1]])


def zero_png(width, height):
    """A tiny file of one-bit zeros that unpacks to width x height pixels."""
    packer = zlib.compressobj(9)
    row = bytes(1 + (width + 7) // 8)
    body = b"".join([*(packer.compress(row * 100) for _ in range(height // 100)), packer.flush()])
    header = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    return png_file(header, png_chunk(b"IDAT", body))


SRGB_TO_XYZ_D50 = np.array(
    ((0.4360747, 0.3850649, 0.1430804), (0.2225045, 0.7168786, 0.0606169), (0.0139322, 0.0971045, 0.7141733))
)
ADOBE_LIKE_TO_XYZ_D50 = np.array(
    ((0.6097559, 0.2052401, 0.1492240), (0.3111242, 0.6256560, 0.0632197), (0.0194811, 0.0608902, 0.7448387))
)
DISPLAY_P3_TO_XYZ_D50 = np.array(
    ((0.5151215, 0.2919769, 0.1571045), (0.2411957, 0.6922455, 0.0665741), (-0.0010529, 0.0418854, 0.7840729))
)


def icc_profile(name, colorants, gamma):
    """An ICC v2 matrix/TRC display profile with the given colorants (columns, XYZ D50) and one gamma."""

    def s15(v):
        return struct.pack(">i", round(v * 65536))

    def text(value):
        raw = value.encode() + b"\0"
        return b"desc\0\0\0\0" + struct.pack(">I", len(raw)) + raw + bytes(78)

    tags = [(b"desc", text(name)), (b"cprt", b"text\0\0\0\0No rights reserved\0")]
    tags.append((b"wtpt", b"XYZ \0\0\0\0" + s15(0.9642) + s15(1.0) + s15(0.8249)))
    curve = b"curv\0\0\0\0" + struct.pack(">IH", 1, round(gamma * 256))
    for column, letter in enumerate(b"rgb"):
        xyz = b"".join(s15(v) for v in colorants[:, column])
        tags += [(bytes([letter]) + b"XYZ", b"XYZ \0\0\0\0" + xyz), (bytes([letter]) + b"TRC", curve)]
    table, body, at = b"", b"", 128 + 4 + 12 * len(tags)
    for kind, data in tags:
        table += kind + struct.pack(">II", at + len(body), len(data))
        body += data + bytes(-len(data) % 4)
    size = at + len(body)
    header = struct.pack(">I4sI4s4s4s", size, b"none", 0x02100000, b"mntr", b"RGB ", b"XYZ ")
    header += struct.pack(">6H", 2026, 1, 1, 0, 0, 0) + b"acsp" + bytes(28) + s15(0.9642) + s15(1.0) + s15(0.8249)
    return header.ljust(128, b"\0") + struct.pack(">I", len(tags)) + table + body


def into_space(image, colorants, gamma):
    """sRGB pixels expressed in the space of `icc_profile(colorants, gamma)`; out of gamut is clipped."""
    v = np.asarray(image).astype(np.float64) / 255
    linear = np.where(v <= 0.04045, v / 12.92, ((v + 0.055) / 1.055) ** 2.4)
    there = linear @ (np.linalg.inv(colorants) @ SRGB_TO_XYZ_D50).T
    return Image.fromarray((np.clip(there, 0, 1) ** (1 / gamma) * 255).round().astype(np.uint8))
