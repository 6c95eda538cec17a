"""Plants what must not leak into inputs, and looks for it in everything that was written."""

import base64
import hashlib
import io
import os
import urllib.parse

from proofs import cards

HOLDER = "欧阳金丝雀"
ADDRESS = "样本市金丝雀胡同七号"
FILE_NAME = "司马画眉的身份证"
ACCOUNT = "canary-account-5521"
METADATA = "CANARY-EXIF-owner-of-the-camera"
COMMENT = "CANARY-COMMENT-of-the-photographer"
TRAILER = "CANARY-TRAILER-behind-the-picture"
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
    """A picture with an EXIF block, a comment and bytes behind its end."""
    from PIL import Image

    data = io.BytesIO()
    exif = Image.Exif()
    exif[0x013B] = METADATA
    cards.draw(number, is_back).save(data, "JPEG", quality=90, exif=exif, comment=COMMENT.encode())
    return data.getvalue() + TRAILER.encode()


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
        self.folder = folder
        self.business_number = business_number
        case = os.path.join(folder, business_number)
        os.makedirs(case)
        self.paths = []
        self.texts = {
            "holder's name": HOLDER,
            "address": ADDRESS,
            "identity number": cards.identity_number(number),
            "birth date": cards.birthday(number).isoformat(),
            "file name": FILE_NAME,
            "user account": ACCOUNT,
            "EXIF": METADATA,
            "comment": COMMENT,
            "bytes behind the picture": TRAILER,
        }
        self.bytes = {}
        rows = ["path,business_no,user_no,expected_id_number,expected_name"]
        for is_back in (False, True):
            jpeg = planted_jpeg(number, is_back)
            side = "back" if is_back else "front"
            path = os.path.join(case, f"{FILE_NAME}-{side}.jpg")
            with open(path, "wb") as file:
                file.write(jpeg)
            self.paths.append(path)
            expected = ["", ""] if is_back else [cards.identity_number(number), HOLDER]
            rows.append(",".join([path, business_number, ACCOUNT, *expected]))
            self.add_image(f"source of the {side}", jpeg)
        self.manifest = os.path.join(folder, "manifest.csv")
        with open(self.manifest, "w", encoding="utf-8") as file:
            file.write("\n".join(rows) + "\n")
        self._patterns = None

    def add_image(self, name, jpeg):
        """Looks for the coded pixels and the digest of a picture, too."""
        for index, piece in enumerate(windows(jpeg)):
            self.bytes[f"pixels of the {name}", index] = piece
        digest = hashlib.sha256(jpeg)
        self.bytes[f"SHA-256 of the {name}", 0] = digest.digest()
        self.bytes[f"SHA-256 of the {name} in hexadecimal", 0] = digest.hexdigest().encode()
        self._patterns = None

    def patterns(self):
        if self._patterns is None:
            named = [(name, spelling) for name, text in self.texts.items() for spelling in spellings(text)]
            self._patterns = named + [(name, pattern) for (name, _), pattern in self.bytes.items()]
        return self._patterns

    def found_in(self, data):
        """The names of what stands in the data."""
        return sorted({name for name, pattern in self.patterns() if pattern in data})


def files_below(folder):
    """All files below a folder."""
    for path, _, names in os.walk(folder):
        for name in names:
            yield os.path.join(path, name)


def leaks(plant, folder, skipping=()):
    """`file: what` for everything planted that stands in a file below the folder, its name included."""
    for path in files_below(folder):
        if any(path.startswith(place) for place in skipping):
            continue
        try:
            with open(path, "rb") as file:
                data = file.read()
        except FileNotFoundError:
            continue
        found = plant.found_in(data + os.path.relpath(path, folder).encode())
        if found:
            yield f"{os.path.relpath(path, folder)}: {', '.join(found)}"
