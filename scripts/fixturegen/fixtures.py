"""Everything that lies under fixtures/."""

import csv
import io
import json

from PIL import Image

from . import card as art
from . import cards, encode, malformed, oddities, people

FOLDERS = ("cards", "refused", "accepted-oddities", "orientations")
COLUMNS = ("path", "business_no", "user_no", "expected_id_number", "expected_name", "side", "priority")
IN_MANIFEST = ("LOAN-2026-0001", "LOAN-2026-0003", "LOAN-2026-0009")


def write_all(out, seed):
    """Writes all folders, the manifests, the truth and the README."""
    cards.write_cards(out, seed)
    oddities.write_oddities(out, seed)
    malformed.write_refused(out, seed)
    _write_orientations(out, seed)
    _write_manifests(out, seed)
    out.finish()
    text = (README.replace("@SEED@", str(seed)).replace("@FRONT@", _table(FRONT_FIELDS))
            .replace("@BACK@", _table(BACK_FIELDS)))
    out.put("README.md", text.encode())


def _write_orientations(out, seed):
    """One photograph stored in all eight ways, and a mosaic of it that decodes to the same pixels in all eight: each
    block of eight by eight pixels has one colour, which no order of additions in a decoder can change."""
    rng = people.stream(seed, "orientations")
    person = people.invent(rng)
    photo = cards.photo_of(person, "front", "1mp", rng)
    image = photo.image.resize((768, 576), Image.Resampling.LANCZOS)
    mosaic = image.resize((48, 36), Image.Resampling.BOX).resize((384, 288), Image.Resampling.NEAREST)
    for orientation in range(1, 9):
        data = encode.photograph_jpeg(mosaic, orientation, people.stream(seed, "exif"), 64_000, subsampling="4:4:4")
        out.put(f"orientations/mosaic-{orientation}.jpg", data, business_no=None, kind="mosaic", width=384, height=288,
                orientation=orientation)
        data = encode.photograph_jpeg(image, orientation, people.stream(seed, "exif"), 70_000, subsampling="4:4:4")
        out.card(f"orientations/{orientation}.jpg", data, person, "front", None, "photo", image, orientation)


def _write_manifests(out, seed):
    rows = []
    for path, truth in sorted(out.truth.items()):
        business_no = truth["business_no"]
        if path.startswith("cards/") and business_no in IN_MANIFEST:
            person = cards.person_of(business_no, seed)
            front = truth["side"] == "front"
            rows.append({
                "path": path,
                "business_no": business_no,
                "user_no": "U" + business_no[-4:],
                "expected_id_number": person.number if front else "",
                "expected_name": person.name if front else "",
                "side": truth["side"],
                "priority": 5 if business_no == IN_MANIFEST[-1] else 0,
            })
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    out.put("manifest.csv", text.getvalue().encode())
    lines = (json.dumps({k: v for k, v in row.items() if v != ""}, ensure_ascii=False) for row in rows)
    out.put("manifest.jsonl", "".join(f"{line}\n" for line in lines).encode())


# field: (left, right, vertical middle, height of a character)
FRONT_FIELDS = {
    "姓名 label": (art.LABEL_X, 0.12, art.FRONT_LINES["name"], art.LABEL_SIZE),
    "name": (art.VALUE_X, 0.31, art.FRONT_LINES["name"], art.NAME_SIZE),
    "性别 label": (art.LABEL_X, 0.12, art.FRONT_LINES["gender"], art.LABEL_SIZE),
    "gender": (art.VALUE_X, 0.22, art.FRONT_LINES["gender"], art.VALUE_SIZE),
    "民族 label": (art.ETHNICITY_LABEL_X, 0.39, art.FRONT_LINES["gender"], art.LABEL_SIZE),
    "ethnicity": (art.ETHNICITY_VALUE_X, 0.56, art.FRONT_LINES["gender"], art.VALUE_SIZE),
    "出生 label": (art.LABEL_X, 0.12, art.FRONT_LINES["birth"], art.LABEL_SIZE),
    "birth": (art.VALUE_X, 0.52, art.FRONT_LINES["birth"], art.VALUE_SIZE),
    "住址 label": (art.LABEL_X, 0.12, art.FRONT_LINES["address"], art.LABEL_SIZE),
    "address, line 1": (art.VALUE_X, 0.61, art.FRONT_LINES["address"], art.ADDRESS_SIZE),
    "address, line 2": (art.VALUE_X, 0.61, art.FRONT_LINES["address"] + art.ADDRESS_LEADING, art.ADDRESS_SIZE),
    "address, line 3": (art.VALUE_X, 0.61, art.FRONT_LINES["address"] + 2 * art.ADDRESS_LEADING, art.ADDRESS_SIZE),
    "公民身份号码 label": (art.LABEL_X, 0.26, art.FRONT_LINES["number"], art.LABEL_SIZE),
    "number": (art.NUMBER_X, art.NUMBER_X + 18 * art.NUMBER_PITCH, art.FRONT_LINES["number"], art.NUMBER_SIZE),
    "portrait": (art.PORTRAIT[0], art.PORTRAIT[2], (art.PORTRAIT[1] + art.PORTRAIT[3]) / 2,
                 art.PORTRAIT[3] - art.PORTRAIT[1]),
    "样本 SPECIMEN (light)": (0.30, 0.48, 0.050, 0.040),
}
BACK_FIELDS = {
    "emblem-like rosette": (art.EMBLEM[0] - art.EMBLEM[2] / art.ASPECT, art.EMBLEM[0] + art.EMBLEM[2] / art.ASPECT,
                            art.EMBLEM[1], art.EMBLEM[2] * 2),
    "中华人民共和国": (art.COUNTRY_X, art.COUNTRY_X + 7 * art.COUNTRY_PITCH, art.BACK_LINES["country"],
                art.COUNTRY_SIZE),
    "居民身份证": (art.TITLE_X, art.TITLE_X + 5 * art.TITLE_PITCH, art.BACK_LINES["title"], art.TITLE_SIZE),
    "样本 SPECIMEN (light)": (0.40, 0.69, 0.585, 0.062),
    "签发机关 label": (art.BACK_LABEL_X, 0.33, art.BACK_LINES["issuer"], art.LABEL_SIZE),
    "issuer": (art.BACK_VALUE_X, 0.90, art.BACK_LINES["issuer"], art.ADDRESS_SIZE),
    "有效期限 label": (art.BACK_LABEL_X, 0.33, art.BACK_LINES["validity"], art.LABEL_SIZE),
    "validity": (art.BACK_VALUE_X, 0.80, art.BACK_LINES["validity"], art.ADDRESS_SIZE),
}


def _table(fields):
    rows = ["| field | x from | x to | y middle | height |", "|---|---|---|---|---|"]
    rows += [f"| {name} | {a:.3f} | {b:.3f} | {y:.3f} | {h:.3f} |" for name, (a, b, y, h) in fields.items()]
    return "\n".join(rows)


README = """\
# Fixtures

Synthetic SPECIMEN identity cards, drawn by `scripts/make-fixtures` (seed @SEED@). **Every person here is invented**: the
division part of each number ends in 99, which is assigned nowhere, the districts and streets do not exist, the portraits
are cartoons, the emblem is a rosette. Do not edit the images: change the script and run it again.

| path | what | ends |
|---|---|---|
| `cards/<BUSINESS_NO>/` | one person per folder, front and back: scans and photographs, 1 and 12 megapixels, all EXIF orientations, PNG, mixed file names | `delivered` |
| `accepted-oddities/<BUSINESS_NO>/` | good cards in unusual encodings: CMYK, YCCK, RGB JPEG, progressive, restart markers, ICC profiles, 16-bit, interlaced and transparent PNG, bytes after the end | `delivered` |
| `refused/REFUSED-<WHAT>/` | photocopies, a wrong check digit, no card, damaged or hostile files, other formats | `rejected` |
| `refused/no-business-number.jpg` | a good front directly in the root | `business_no_missing` |
| `refused/notes.txt` | no image | `ignored` |
| `orientations/1.jpg` … `8.jpg` | one photograph stored under each EXIF orientation | (for tests of the decoder) |
| `orientations/mosaic-1.jpg` … `mosaic-8.jpg` | the same in blocks of one colour: the eight decode to identical pixels | (for tests of the decoder) |
| `manifest.csv`, `manifest.jsonl` | the same six cards as a manifest, paths relative to it | |
| `truth.json` | per path: business number, side, true fields, kind, orientation, size (as seen upright), expected end; for photographs the card's corners (top left, top right, bottom right, bottom left, in pixels of the upright picture) and their displacement | |

The damaged JPEGs and the PNG bomb are small files that claim much: open them with limits.

More cards: `scripts/make-fixtures draw --count N --seed S --out DIR [--kind photo|scan] [--size 1mp|12mp]
[--min-displacement 0.03]`. A photograph's corners are displaced by the alternating pattern (+, -, +, -), which no shift,
turn, scale or shear explains: each corner is at least that fraction of the card's width away from any parallelogram.

## Where the fields stand

Fractions of the card's width (x) and height (y, height); the card's proportions are 85.6 : 54. A scan is 1264 x 800
pixels with the card (1216 pixels wide) in its middle. Characters are centred on "y middle"; "height" is the em box.
Values are Noto Sans CJK SC Bold (issuer and validity: Regular), labels Regular in blue on the front, Bold on the back.
The number's 18 characters stand in cells of equal width. An address line holds eleven ems; a house number is not divided.

Front:

@FRONT@

Back:

@BACK@
"""
