"""fuzz: libFuzzer mutates known inputs of the form parser, the image decoder and the reply readers, under sanitizers."""

import glob
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from proofs import cards
from proofs.proof import Skip
from proofs.remote import SCRIPTS
from proofs.tool import ROOT

TARGETS = os.path.join(SCRIPTS, "proofs", "fuzzing")
SECONDS, QUICK_SECONDS = 600, 5
# So many bytes of an input for the images are no photo.
PARAMETERS = 8
SWIFT = ["swiftc", "-O", "-wmo", "-swift-version", "6", "-parse-as-library", "-package-name", "idcard-pipeline"]
for feature in ("ExistentialAny", "MemberImportVisibility", "InternalImportsByDefault", "NonisolatedNonsendingByDefault"):
    SWIFT += ["-enable-upcoming-feature", feature]
SWIFT.append("-sanitize=fuzzer,address")
REPLIES = (
    "Limits", "Verification/DialectReply", "Verification/FaceIDv1Reply", "Verification/FaceIDv3Reply",
    "Verification/Faceppv1Reply", "Delivery/ReplyDocument", "Delivery/ReplyXML",
)
REPLY_SEEDS = (
    '{"RETCODE": "0000", "RETMSG": "ok", "ITEMS": [{"RETCODE": 0}]}',
    '<?xml version="1.0"?><R><RETCODE>0</RETCODE><ITEMS><I><RETCODE>1</RETCODE></I></ITEMS></R>',
    '{"request_id": "1,a", "side": "front", "name": "\\u6837", "birthday": {"year": "1990", "month": 1, "day": 2}, '
    '"legality": {"ID Photo": 0.97}, "id_card_number": "11010119900102001X", "valid_date": "2020.01.01-2040.01.01"}',
    '{"result": 1001, "side": 0, "name": {"text": "a", "quality": 0.9}, "validity_start": {"text": "20200101"}}',
    '{"cards": [{"type": 1, "side": "front", "name": "a", "legality": {"Edited": 0.1}}]}',
)


def sources(folder):
    return sorted(glob.glob(os.path.join(ROOT, folder, "**", "*.swift"), recursive=True))


def build(command):
    """What the linker warns of symbols of the sanitizer is of no use; errors end the part."""
    try:
        result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise Skip(f"{command[0]} is missing: run scripts/setup") from None
    if result.returncode != 0:
        errors = [line for line in result.stderr.splitlines() if "error" in line]
        raise Skip(f"the target cannot be built: {'; '.join(errors[:3])}")


def fuzz(proof, program, seeds, *options):
    """One run of libFuzzer; an input that breaks something is kept with the evidence."""
    folder = os.path.dirname(program)
    corpus = proof.subfolder(f"{os.path.basename(folder)}/corpus")
    limit = QUICK_SECONDS if proof.quick else SECONDS
    command = [
        program, f"-max_total_time={limit}", f"-seed={proof.seed % (1 << 31) or 1}", "-timeout=10", "-rss_limit_mb=1024",
        f"-artifact_prefix={folder}/found-", "-print_final_stats=1", *options, corpus, seeds,
    ]
    # With Swift's own backtraces on, libFuzzer would not write the input that crashed.
    environment = {**os.environ, "SWIFT_BACKTRACE": "enable=no", "ASAN_OPTIONS": "detect_leaks=0"}
    result = subprocess.run(command, env=environment, capture_output=True, text=True, errors="replace", check=False)
    Path(folder, "run.log").write_text(result.stderr, "utf-8")
    name = os.path.basename(folder)
    if result.returncode != 0:
        reason = re.search(r"^(.*(ERROR: |runtime error: |Fatal error).*)$", result.stderr, re.MULTILINE)
        proof.violated(f"{name}: {reason[1][:300] if reason else result.stderr[-300:]}: see {folder}")
    executed = re.search(r"^stat::number_of_executed_units: ([1-9]\d*)", result.stderr, re.MULTILINE)
    proof.expect(executed or result.returncode, f"{name}: nothing was executed")
    covered = re.findall(r"cov: (\d+)", result.stderr)
    proof.figure(name, f"{executed[1] if executed else 0} inputs in {limit} s, {covered[-1] if covered else 0} edges covered")


def forms(proof):
    """The parser with the oracle of its tests; seeds are bodies of curl, requests, aiohttp, node and Go."""
    folder, seeds = proof.subfolder("forms"), proof.subfolder("forms/seeds")
    makers = [sys.executable, os.path.join(SCRIPTS, "interop", "makers.py")]
    build([*makers, "record", f"{folder}/bodies"])
    build([*makers, "seeds", f"{folder}/bodies", seeds])
    oracle = [path for path in sources("Tests/MultipartFormTests/Fuzz") if not path.endswith("Tests.swift")]
    target = os.path.join(TARGETS, "FormTarget.swift")
    program = os.path.join(folder, "fuzz")
    build([*SWIFT, "-module-name", "FormFuzz", *sources("Sources/MultipartForm"), *oracle, target, "-o", program])
    fuzz(proof, program, seeds, "-max_len=4096", f"-dict={TARGETS}/form.dict")


def photos():
    """Small pictures of each kind that is read, and of some that are refused."""
    from fixturegen import encode
    from PIL import Image

    picture = cards.draw(1, False).resize((97, 66))
    profile = encode.icc_profile("Wide", encode.ADOBE_LIKE_TO_XYZ_D50, 2.2)
    baseline, coloured = encode.jpeg(picture, 80), encode.jpeg(picture, 80, icc_profile=profile)
    yield from (baseline, coloured, encode.adobe_cmyk_jpeg(picture, 80), encode.adobe_ycck_jpeg(picture, 80))
    # The profile says that it has a second part, or ends early.
    yield from (coloured.replace(b"ICC_PROFILE\0\1\1", b"ICC_PROFILE\0\1\2"), encode.jpeg(picture, 80, icc_profile=profile[:200]))
    for options in ({"progressive": True}, {"restart_marker_blocks": 5}, {"subsampling": "4:4:4"}, {"subsampling": "4:2:2"}):
        yield encode.jpeg(picture, 80, **options)
    yield encode.jpeg(picture.convert("L"), 80)
    # Of whole blocks, and turned: coefficients stay coefficients.
    exif = Image.Exif()
    exif[0x0112] = 6
    yield encode.jpeg(picture.resize((96, 64)), 80, exif.tobytes())
    if program := shutil.which("jpegtran"):
        for options in ([], ["-progressive"]):
            yield subprocess.run([program, "-arithmetic", *options], input=baseline, capture_output=True, check=True).stdout
    for mode in ("1", "L", "LA", "P", "RGB", "RGBA", "I;16"):
        kind = picture.convert("L").convert("I").convert(mode) if mode == "I;16" else picture.convert(mode)
        yield encode.saved(kind, "PNG", icc_profile=profile, exif=exif)
    yield encode.png(picture, interlaced=True)


def images(proof):
    """Decoder and encoder in C; seeds are small pictures of every kind, and the smallest of the fixtures, good and hostile."""
    folder, seeds = proof.subfolder("images"), proof.subfolder("images/seeds")
    fixtures = [path for path in glob.glob(f"{ROOT}/fixtures/**/*.*", recursive=True) if path.lower().endswith(("jpg", "png", "jpeg"))]
    smallest = sorted(fixtures, key=os.path.getsize)[:16]
    for index, photo in enumerate([*map(Path.read_bytes, map(Path, smallest)), *photos()]):
        # The last bytes are the sizes, the turn and the quality (fuzzing/image.c).
        Path(seeds, str(index)).write_bytes(photo + proof.random.randbytes(PARAMETERS))
    program, code = os.path.join(folder, "fuzz"), glob.glob(f"{ROOT}/Sources/CImaging/**/*.c", recursive=True)
    includes = [f"-I{path}" for path, _, _ in os.walk(f"{ROOT}/Sources/CImaging")]
    flags = ["-O1", "-g", "-fsanitize=fuzzer,address,undefined", "-fno-sanitize-recover=undefined"]
    build(["clang", *flags, *includes, *code, os.path.join(TARGETS, "image.c"), "-o", program, "-ljpeg", "-lpng", "-lm"])
    fuzz(proof, program, seeds, "-max_len=65536")


def replies(proof):
    """The readers of verification replies in each dialect, and of the backend's answers."""
    folder, seeds = proof.subfolder("replies"), proof.subfolder("replies/seeds")
    for index, text in enumerate(REPLY_SEEDS):
        Path(seeds, str(index)).write_text(text, "utf-8")
    # What digests needs a package, and no reader needs it.
    texts = {path: Path(path).read_text("utf-8") for path in sources("Sources/CardModel")}
    model = [path for path, text in texts.items() if not re.search("ContentDigest|import Crypto|PreparedImage", text)]
    objects = []
    for name, code in (("CardModel", model), ("MultipartForm", sources("Sources/MultipartForm"))):
        module = os.path.join(folder, name)
        objects.append(f"{module}.o")
        made = ["-emit-module", "-emit-object", "-module-name", name, "-o", objects[-1], "-emit-module-path", f"{module}.swiftmodule"]
        build([*SWIFT, *made, *code])
    remote = [os.path.join(ROOT, "Sources/CardRemote", f"{name}.swift") for name in REPLIES]
    program, target = os.path.join(folder, "fuzz"), os.path.join(TARGETS, "ReplyTarget.swift")
    build([*SWIFT, "-I", folder, "-module-name", "Replies", *remote, target, *objects, "-o", program])
    fuzz(proof, program, seeds, "-max_len=2048")


PARTS = {"forms": forms, "images": images, "replies": replies}
