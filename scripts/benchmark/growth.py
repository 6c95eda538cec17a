"""A sandbox that holds many cards already: a few real ones, multiplied by SQL."""

import dataclasses
import os
import shutil
import sqlite3

# What tells cards and deliveries apart; every copy gets names of its own.
NAMES = {
    "card": ("id", "business_no", "delivery"),
    "image": ("card",),
    "reading": ("card",),
    "delivery": ("id",),
    "delivery_card": ("delivery", "card"),
    "attempt": ("card", "delivery"),
    "event": ("card",),
    "source_file": ("card",),
    "data_key": ("owner",),
    "access_log": ("card",),
}
# Fingerprints; those of the originals change, too, so that the measured run meets its own photos for the first time.
FINGERPRINTS = {
    "card": ("content_fingerprint",),
    "reading": ("key_fingerprint",),
    "source_file": ("path_fingerprint", "content_fingerprint"),
}
NUMBERED = {"delivery": "number", "attempt": "id", "event": "id", "access_log": "number"}


def multiply(path, cards):
    """Copies the rows of a sandbox until it holds so many cards; the copies' images are but a few bytes."""
    database = sqlite3.connect(path, isolation_level=None)
    database.execute("PRAGMA foreign_keys = OFF")
    # Nothing is lost if it is cut short: it is made anew then. A log of all of it would be as large as the sandbox.
    for pragma in ("journal_mode = DELETE", "journal_mode = OFF", "synchronous = OFF", "cache_size = -4000000"):
        database.execute(f"PRAGMA {pragma}").fetchall()
    there = database.execute("SELECT count(*) FROM card").fetchone()[0]
    limits = {table: database.execute(f"SELECT max(rowid) FROM {table}").fetchone()[0] for table in NUMBERED}
    originals = {table: f"SELECT * FROM {table}" for table in NAMES}
    for table in NAMES:
        database.execute(f"CREATE TEMP TABLE original_{table} AS {originals[table]}")
    # Made once at the end: millions of random places are not looked for one by one.
    indexes = database.execute("SELECT name, sql FROM main.sqlite_master WHERE type = 'index' AND sql <> ''").fetchall()
    database.execute("BEGIN")
    for name, _ in indexes:
        database.execute(f"DROP INDEX main.{name}")
    for number in range(1, cards // there):
        for table, names in NAMES.items():
            columns, values = [], []
            for _, column, *_ in database.execute(f"PRAGMA main.table_info({table})"):
                if NUMBERED.get(table) == column:
                    continue
                columns.append(column)
                values.append(value(table, column, names, number, there))
            database.execute(
                f"INSERT INTO main.{table} ({', '.join(columns)}) SELECT {', '.join(values)} FROM original_{table}"
            )
    for table, columns in FINGERPRINTS.items():
        for column in columns:
            key = f" WHERE {NUMBERED[table]} <= {limits[table]}" if table in NUMBERED else ""
            database.execute(f"UPDATE main.{table} SET {column} = randomblob(32){key}")
    # The measured run brings the photos under the same numbers again, which must be cases of their own.
    database.execute("UPDATE main.card SET business_no = business_no || '~0' WHERE business_no NOT LIKE '%~%'")
    database.execute("UPDATE sandbox SET next_intake_order = 1 + (SELECT max(intake_order) FROM card)")
    for _, sql in indexes:
        database.execute(sql)
    database.execute("COMMIT")
    stored = database.execute("SELECT count(*) FROM card").fetchone()[0]
    database.execute("PRAGMA journal_mode = WAL").fetchall()
    database.close()
    return stored


def value(table, column, names, number, there):
    if column in names:
        return f"{column} || '~{number}'"
    if column in FINGERPRINTS.get(table, ()):
        return "randomblob(32)"
    if (table, column) == ("card", "intake_order"):
        return f"intake_order + {number * there}"
    return "zeroblob(64)" if (table, column) == ("image", "jpeg") else column


def fill(folder, job, output, run):
    """Puts a sandbox with `job.stored` cards into an output folder; made once, by a real run and `multiply`."""
    template = os.path.join(folder, f"sandbox-{job.stored}")
    if not os.path.exists(os.path.join(template, "ready")):
        print(f"bench: making a sandbox with {job.stored} cards", flush=True)
        shutil.rmtree(template, ignore_errors=True)
        if not run(dataclasses.replace(job, stored=0))["ok"]:
            raise RuntimeError("the run that makes a sandbox failed")
        shutil.copytree(os.path.join(output, "sandbox"), template)
        stored = multiply(os.path.join(template, "sandbox.sqlite3"), job.stored)
        if stored != job.stored:
            raise RuntimeError(f"{stored} cards are stored, {job.stored} were wanted")
        with open(os.path.join(template, "ready"), "w", encoding="ascii"):
            pass
        shutil.rmtree(os.path.join(output, "sandbox"))
    shutil.copytree(template, os.path.join(output, "sandbox"))
