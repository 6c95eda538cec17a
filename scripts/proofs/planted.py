"""Plants what must not leak into a pair of photos, and looks for it in everything that was written."""

import base64
import hashlib
import io
import os
import urllib.parse
from pathlib import Path

from PIL import Image

from proofs import cards

HOLDER = "欧阳金丝雀"
ADDRESS = "样本市金丝雀胡同七号"
FILE_NAME = "司马画眉的身份证"
ACCOUNT = "canary-account-5521"
# What a camera or its owner put beside the pixels.
METADATA = {
    "EXIF": "CANARY-EXIF-owner-of-the-camera",
    "comment": "CANARY-COMMENT-of-the-photographer",
    "bytes behind the picture": "CANARY-TRAILER-behind-the-picture",
}
WINDOW = 24


def spellings(text):
    """The bytes in which a text may lie somewhere."""
    plain = text.encode()
    found = {plain, text.encode("utf-16-le"), plain.hex().encode(), urllib.parse.quote(text).encode()}
    found.add(text.encode("unicode_escape"))
    for shift in range(3):
        # Base64 of a longer text that holds this one, without the characters that its neighbours share.
        coded = base64.b64encode(b"\0" * shift + plain)
        found.add(coded[4 if shift else 0 : len(coded) // 4 * 4 - 4])
    return {spelling for spelling in found if len(spelling) >= 6}


def planted_jpeg(number, is_back):
    data, exif = io.BytesIO(), Image.Exif()
    exif[0x013B] = METADATA["EXIF"]
    cards.draw(number, is_back).save(data, "JPEG", quality=90, exif=exif, comment=METADATA["comment"].encode())
    return data.getvalue() + METADATA["bytes behind the picture"].encode()


def windows(jpeg, count=12):
    """Pieces of the coded pixels, which stand in no other file by chance."""
    start = jpeg.rindex(b"\xff\xda") + 20
    step = max(1, (len(jpeg) - start - WINDOW) // count)
    pieces = [jpeg[at : at + WINDOW] for at in range(start, len(jpeg) - WINDOW, step)]
    # Even areas code as runs of one byte, which would be found anywhere.
    return [piece for piece in pieces if len(set(piece)) > 8]


class Plant:
    """One pair with everything planted, and the patterns to look for."""

    def __init__(self, folder, number, business_number):
        self.paths, self.patterns = [], []
        texts = {
            "holder's name": HOLDER,
            "address": ADDRESS,
            "identity number": cards.identity_number(number),
            "birth date": cards.birthday(number).isoformat(),
            "file name": FILE_NAME,
            "user account": ACCOUNT,
            **METADATA,
        }
        for name, text in texts.items():
            self.patterns += [(name, spelling) for spelling in spellings(text)]
        rows = ["path,business_no,user_no,expected_id_number,expected_name"]
        os.makedirs(os.path.join(folder, business_number))
        for side in ("front", "back"):
            jpeg = planted_jpeg(number, side == "back")
            self.paths.append(os.path.join(folder, business_number, f"{FILE_NAME}-{side}.jpg"))
            Path(self.paths[-1]).write_bytes(jpeg)
            expected = [cards.identity_number(number), HOLDER] if side == "front" else ["", ""]
            rows.append(",".join([self.paths[-1], business_number, ACCOUNT, *expected]))
            self.add_image(f"source of the {side}", jpeg)
        self.manifest = os.path.join(folder, "manifest.csv")
        Path(self.manifest).write_text("\n".join(rows) + "\n", "utf-8")

    def add_image(self, name, jpeg):
        """Looks for the coded pixels and the digest of a picture, too."""
        digest = hashlib.sha256(jpeg)
        pieces = [*windows(jpeg), digest.digest(), digest.hexdigest().encode()]
        self.patterns += [(f"pixels or digest of the {name}", piece) for piece in pieces]

    def forget(self, *names):
        """Looks no more for what others share."""
        self.patterns = [(name, pattern) for name, pattern in self.patterns if name not in names]

    def found_in(self, data):
        return sorted({name for name, pattern in self.patterns if pattern in data})


def files_below(folder):
    """(path, bytes) of all files below a folder that stay long enough to be read."""
    for path, _, names in os.walk(folder):
        for name in names:
            try:
                file = Path(path, name)
                data = file.read_bytes()
                # The sandbox keeps a large file of zeros in reserve.
                yield os.path.relpath(file, folder), data if data.strip(b"\0") else b""
            except FileNotFoundError:
                continue
