"""Builds the libraries that are preloaded into the command, and reads what they report."""

import os
import shutil
import struct
import subprocess
from pathlib import Path

from proofs.proof import Skip, Violation

SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "shim")


def build(source, folder):
    compiler = shutil.which("cc") or shutil.which("clang")
    if compiler is None:
        raise Skip("no C compiler: run scripts/setup")
    path = os.path.join(folder, source.replace(".c", ".so"))
    if not os.path.exists(path):
        command = [compiler, "-shared", "-fPIC", "-O2", "-Wall", "-Wextra", "-Werror", "-o", path]
        subprocess.run([*command, os.path.join(SOURCES, source), "-ldl"], check=True)
    return path


class Shim:
    """Counts the calls of a process, and kills it or fails one of them (shim/shim.c)."""

    def __init__(self, folder):
        self.path = build("shim.c", folder)

    def variables(self, mode, report=None, at=None, **more):
        named = {"mode": mode, "report": report, "at": at, **more}
        chosen = {"PROOF_SHIM_" + name.upper(): str(value) for name, value in named.items() if value is not None}
        return {"LD_PRELOAD": self.path, **chosen}

    @staticmethod
    def lines(report):
        """What the shim wrote, once; a run without it proves nothing, and ends the proof."""
        lines = []
        if os.path.exists(report):
            lines = Path(report).read_text("utf-8").splitlines()
            os.unlink(report)
        if "loaded" not in lines:
            raise Violation("the shim was not loaded into the process, so that nothing was injected")
        return lines

    @staticmethod
    def counts(lines):
        """Calls by name; other lines are of another kind."""
        pairs = [line.rpartition(" ") for line in lines]
        counts = {name: int(count) for name, _, count in pairs if count.isdigit()}
        if not counts:
            raise Violation("no call was counted, so that there is no point to strike at")
        return counts

    @staticmethod
    def struck(lines):
        """The call that failed; None if none was reached."""
        return next((line.split(" ", 2)[2] for line in lines if line.startswith("struck ")), None)


def told(counts):
    """`412: 120 pwrite, 80 write, …`"""
    parts = ", ".join(f"{count} {name}" for name, count in sorted(counts.items(), key=lambda item: -item[1]))
    return f"{sum(counts.values())}: {parts}"


def wrong_clock(folder, seconds):
    """Variables of a process whose clock is wrong by so many seconds."""
    return {"LD_PRELOAD": build("clock.c", folder), "PROOF_CLOCK_OFFSET": str(seconds)}


class Clock:
    """A wall clock that is wrong by other amounts while processes run with its variables."""

    def __init__(self, folder):
        self.path, self.offset = os.path.join(folder, "clock"), 0
        self.move(0)
        self.variables = {"LD_PRELOAD": build("clock.c", folder), "PROOF_CLOCK_FILE": self.path}

    def move(self, seconds):
        """Sets it so many seconds ahead of the right one."""
        self.offset = int(seconds)
        # In its place: processes have the file in their memory.
        with open(self.path, "r+b" if os.path.exists(self.path) else "wb") as file:
            file.write(struct.pack("=q", self.offset))
