"""clerk: the tables of a clerk's day, opened by LibreOffice, and the rules for Prometheus, read by promtool.

A run in Chinese and its lists of cases hold numbers with leading zeros and of 18 digits, names that look like formulas, and
Chinese. Each table is imported with its columns as text, and every cell must be what the command wrote.
"""

import csv
import os
import re
import shutil
import subprocess
import zipfile
from pathlib import Path
from xml.etree import ElementTree

from proofs.proof import Skip
from proofs.stage import Stage
from proofs.tool import HANG_SECONDS, ROOT

CHINESE = {"LANG": "zh_CN.UTF-8"}
# A business number or file name that begins like a formula gets an apostrophe before it.
NUMBERS = {"000123": "000123", "900000000000000012": "900000000000000012", "+86-1": "'+86-1", "@贷款": "'@贷款", "贷款-7,号": "贷款-7,号"}
# Comma, double quote, UTF-8, from the first row.
IMPORT = "CSV:44,34,76,1,"
NAMESPACE = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


def program(name):
    path = shutil.which(name)
    if path is None:
        raise Skip(f"there is no {name}: run scripts/setup --proofs")
    return path


def converted(proof, table, kind, columns, output=""):
    """What LibreOffice makes of a table; it says nothing in its exit status."""
    folder = proof.subfolder(f"{kind}{'-text' if columns else ''}")
    made = Path(folder, f"{Path(table).stem}.{kind}")
    command = [
        program("soffice"), "--headless", f"-env:UserInstallation=file://{proof.folder}/libreoffice",
        f"--infilter={IMPORT}{columns}", "--convert-to", kind + output, "--outdir", folder, str(table),
    ]
    done = subprocess.run(
        command, env={**os.environ, "HOME": proof.folder}, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=HANG_SECONDS, check=False,
    )
    if not made.exists():
        raise Skip(f"soffice made no {made.name}: {(done.stdout + done.stderr).strip()[-300:]}")
    return made


def rows(table):
    with open(table, encoding="utf-8-sig", newline="") as file:
        return list(csv.reader(file))


def cells(workbook):
    """The cells of the first sheet by their names, such as A2: whether they are text, and what they show."""
    with zipfile.ZipFile(workbook) as archive:
        strings = ElementTree.fromstring(archive.read("xl/sharedStrings.xml"))
        texts = ["".join(item.itertext()) for item in strings.iter(f"{NAMESPACE}si")]
        sheet = ElementTree.fromstring(archive.read("xl/worksheets/sheet1.xml"))
    found = {}
    for cell in sheet.iter(f"{NAMESPACE}c"):
        value = cell.find(f"{NAMESPACE}v")
        if value is not None:
            is_text = cell.get("t") == "s"
            found[cell.get("r")] = (is_text, texts[int(value.text)] if is_text else value.text)
        if cell.find(f"{NAMESPACE}f") is not None:
            found[cell.get("r")] = (False, "a formula")
    return found


def look_at(proof, table, numbers):
    """Whether LibreOffice shows each cell of a table as it was written."""
    written = rows(table)
    width = len(written[0])
    as_text = "/".join(f"{column}/2" for column in range(1, width + 1))
    expected = {
        f"{chr(64 + column)}{line}": (True, text)
        for line, row in enumerate(written, 1) for column, text in enumerate(row, 1) if text
    }
    shown = cells(converted(proof, table, "xlsx", as_text))
    for name in sorted({*expected, *shown}):
        proof.expect(shown.get(name) == expected.get(name), f"{table.name} {name}: {shown.get(name)}, written {expected.get(name)}")
    again = rows(converted(proof, table, "csv", as_text, ":Text - txt - csv (StarCalc):44,34,76,1"))
    proof.expect(again == written, f"{table.name}: another CSV when LibreOffice saved it: {again}")
    proof.expect({row[0] for row in written[1:]} == set(numbers), f"{table.name}: business numbers {[row[0] for row in written]}")
    for row in written[1:]:
        said = dict(zip(written[0], row))
        words = f"{said['what_is_wrong']}|{said['what_to_do']}"
        proof.expect(re.fullmatch(r".*[\u4e00-\u9fff].*\|.*[\u4e00-\u9fff].*", words), f"{table.name}: no Chinese in {words}")
    proof.figure(f"{table.name}, columns as text", f"{len(expected)} cells as written")
    return cells(converted(proof, table, "xlsx", "")), written


def tables(proof):
    """The table of a run and the lists of cases."""
    program("soffice")
    stage = Stage(proof, "office")
    sandbox, folder = stage.new_sandbox(), stage.subfolder("photos")
    for number in NUMBERS:
        os.makedirs(os.path.join(folder, number))
        Path(folder, number, "=A1人像.jpg").write_bytes(b"")
    out = Path(proof.subfolder("tables"))
    proof.expect_end(sandbox.run(["run", folder, "--report", str(out / "report.csv"), "--quiet"], CHINESE), "run", 1)
    bad = ["cases", "list", "--state", "retake", "--format", "csv"]
    for name, more in {"cases": [], "files": ["--files", "--why", "proof"]}.items():
        outcome = proof.expect_end(sandbox.run(bad + more, CHINESE), "cases list")
        (out / f"{name}.csv").write_text(outcome.output, encoding="utf-8", newline="")
    for name in ("report", "cases", "files"):
        shown, written = look_at(proof, out / f"{name}.csv", NUMBERS.values())
    lost = [f"{row[0]} becomes {shown[f'A{line}'][1]}" for line, row in enumerate(written, 1) if shown[f"A{line}"][1] != row[0]]
    proof.figure("columns as Standard", "; ".join(lost) or "as written")
    for name in NUMBERS:
        proof.progress(f"business number {name} is the cell {NUMBERS[name]}")


def rules(proof):
    """The rules that the operator gives to Prometheus."""
    path = os.path.join(ROOT, "config", "monitoring", "prometheus-rules.yml")
    done = subprocess.run([program("promtool"), "check", "rules", path], capture_output=True, text=True, timeout=HANG_SECONDS, check=False)
    found = re.search(r"SUCCESS: (\d+) rules found", done.stdout)
    proof.expect(done.returncode == 0 and found, f"promtool: {(done.stdout + done.stderr).strip()[-600:]}")
    proof.figure("rules that promtool accepts", found[1] if found else 0)


PARTS = {"tables": tables, "rules": rules}
