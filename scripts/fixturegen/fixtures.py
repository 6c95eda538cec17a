"""Everything that lies under fixtures/ but the README, which tells people what is there."""

import csv
import dataclasses
import io
import json
import shutil

from PIL import Image

from . import cards, encode, malformed, oddities, people

FOLDERS = ("cards", "refused", "accepted-oddities", "orientations", "test-names")
# What the built-in verifier does for a name, and how the card then ends.
TEST_NAMES = {
    "failure": ("样本故障", "failed"),
    "slow": ("样本缓慢", "delivered"),
    "photocopy": ("样本复印", "rejected"),
    "screen": ("样本翻拍", "rejected"),
}
COLUMNS = ("path", "business_no", "user_no", "expected_id_number", "expected_name", "side", "priority")
IN_MANIFEST = ("LOAN-2026-0001", "LOAN-2026-0003", "LOAN-2026-0009")


def write_all(out, seed):
    for folder in FOLDERS:
        shutil.rmtree(out.root / folder, ignore_errors=True)
    cards.write_cards(out, seed)
    oddities.write_oddities(out, seed)
    malformed.write_refused(out, seed)
    _write_orientations(out, seed)
    _write_test_names(out, seed)
    _write_manifests(out, seed)
    out.finish()


def _write_orientations(out, seed):
    """One photograph stored in all eight ways, and a mosaic of it that decodes to the same pixels in all eight: each
    block of eight by eight pixels has one colour, which no order of additions in a decoder can change."""
    rng = people.stream(seed, "orientations")
    person = people.invent(rng)
    image = cards.photo_of(person, "front", "1mp", rng).resize((768, 576), Image.Resampling.LANCZOS)
    mosaic = image.resize((48, 36), Image.Resampling.BOX).resize((384, 288), Image.Resampling.NEAREST)
    for orientation in range(1, 9):
        data = encode.photograph_jpeg(mosaic, orientation, people.stream(seed, "exif"), 64_000, subsampling="4:4:4")
        out.put(f"orientations/mosaic-{orientation}.jpg", data, business_no=None, kind="mosaic", width=384, height=288,
                orientation=orientation)
        data = encode.photograph_jpeg(image, orientation, people.stream(seed, "exif"), 70_000, subsampling="4:4:4")
        out.card(f"orientations/{orientation}.jpg", data, person, "front", None, "photo", image, orientation)


def _write_test_names(out, seed):
    for file, (name, expected) in TEST_NAMES.items():
        rng = people.stream(seed, "test-names", file)
        person = dataclasses.replace(people.invent(rng), name=name)
        image = cards.scan_of(person, "front", rng)
        out.card(f"test-names/{file}.jpg", encode.jpeg(image, 88), person, "front", None, "scan", image, expected=expected)


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
