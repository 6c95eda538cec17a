"""clerk: the tables of a clerk's day, opened by LibreOffice, and the rules for Prometheus, read by promtool.

A run in Chinese and its lists of cases hold numbers with leading zeros and of 18 digits, names that look like formulas, and
Chinese. Each table, in CSV and as a workbook, is opened with the defaults, and every cell must show what the command wrote.
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
NUMBERS = ["000123", "900000000000000012", "1E5", "2026-11", "+86-1", "@贷款", "贷款-7,号"]
# Comma, double quote, UTF-8, from the first row: what the dialog offers for a table with a byte order mark; each column Standard.
FORM = "44,34,76,1"
NAMESPACE = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


def program(name):
    path = shutil.which(name)
    if path is None:
        raise Skip(f"there is no {name}: run scripts/setup --proofs")
    return path


def saved(proof, table):
    """The rows of a table that LibreOffice opened with its defaults and saved as CSV; it says nothing in its exit status."""
    folder = proof.subfolder(f"saved-{Path(table).suffix[1:]}")
    made = Path(folder, f"{Path(table).stem}.csv")
    command = [
        program("soffice"), "--headless", f"-env:UserInstallation=file://{proof.folder}/libreoffice",
        *([f"--infilter=CSV:{FORM}"] if Path(table).suffix == ".csv" else []),
        "--convert-to", f"csv:Text - txt - csv (StarCalc):{FORM}", "--outdir", folder, str(table),
    ]
    done = subprocess.run(
        command, env={**os.environ, "HOME": proof.folder}, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=HANG_SECONDS, check=False,
    )
    if not made.exists():
        raise Skip(f"soffice made no {made.name}: {(done.stdout + done.stderr).strip()[-300:]}")
    return rows(made)


def rows(table):
    with open(table, encoding="utf-8-sig", newline="") as file:
        return list(csv.reader(file))


def cells(workbook):
    """The rows of the first sheet, as its texts and numbers stand there; none may be a formula."""
    with zipfile.ZipFile(workbook) as archive:
        sheet = ElementTree.fromstring(archive.read("xl/worksheets/sheet1.xml"))
    assert sheet.find(f".//{NAMESPACE}f") is None
    return [{cell.get("r")[0]: "".join(cell.itertext()) for cell in row} for row in sheet.iter(f"{NAMESPACE}row")]


def plain(cell):
    """The text of a cell that is written as a formula."""
    return cell[2:-1].replace('""', '"') if cell.startswith('="') else cell


def look_at(proof, table):
    """Whether LibreOffice shows each cell of both forms of a table as it was written."""
    written = [[plain(cell) for cell in row] for row in rows(table)]
    workbook = table.with_suffix(".xlsx")
    for form in (table, workbook):
        found = saved(proof, form)
        proof.expect(len(found) == len(written), f"{form.name}: {len(found)} rows of {len(written)}")
        for shown, row in zip(found, written):
            proof.expect(shown == row, f"{form.name}: {shown}, written {row}")
    times = {index for index, title in enumerate(written[0]) if title.startswith("自")}
    for row, stored in zip(written, cells(workbook)):
        for index, text in enumerate(row):
            found = stored.get(chr(65 + index), "")
            proof.expect(found == text or index in times, f"{workbook.name}: {found} is stored for {text}")
    numbers = {row[0] for row in written[1:]}
    proof.expect(numbers == set(NUMBERS), f"{table.name}: business numbers {numbers}")
    for row in written[1:]:
        said = dict(zip(written[0], row))
        words = f"{said['状态']}|{said['要做什么']}"
        proof.expect(re.fullmatch(r".*[\u4e00-\u9fff].*\|.*[\u4e00-\u9fff].*", words), f"{table.name}: no Chinese in {words}")
        proof.expect("idcard-pipeline" not in words, f"{table.name}: a command in {words}")
    proof.figure(f"{table.stem}, in CSV and as a workbook", f"{sum(map(len, written))} cells as written")


def tables(proof):
    """The table of a run and the lists of cases."""
    program("soffice")
    stage = Stage(proof, "office")
    sandbox, folder = stage.new_sandbox(), stage.subfolder("photos")
    for number in NUMBERS:
        os.makedirs(os.path.join(folder, number))
        Path(folder, number, "=A1人像.jpg").write_bytes(b"")
    out = Path(proof.subfolder("tables"))
    for form in ("csv", "xlsx"):
        proof.expect_end(sandbox.run(["run", folder, "--report", str(out / f"report.{form}"), "--quiet"], CHINESE), "run", 1)
        for name, more in {"cases": [], "files": ["--files", "--why", "proof"]}.items():
            command = ["cases", "list", "--state", "retake", "--format", form, "--output", str(out / f"{name}.{form}")]
            proof.expect_end(sandbox.run(command + more, CHINESE), "cases list")
    for name in ("report", "cases", "files"):
        look_at(proof, out / f"{name}.csv")


def rules(proof):
    """The rules that the operator gives to Prometheus."""
    path = os.path.join(ROOT, "config", "monitoring", "prometheus-rules.yml")
    done = subprocess.run([program("promtool"), "check", "rules", path], capture_output=True, text=True, timeout=HANG_SECONDS, check=False)
    found = re.search(r"SUCCESS: (\d+) rules found", done.stdout)
    proof.expect(done.returncode == 0 and found, f"promtool: {(done.stdout + done.stderr).strip()[-600:]}")
    proof.figure("rules that promtool accepts", found[1] if found else 0)


PARTS = {"tables": tables, "rules": rules}
