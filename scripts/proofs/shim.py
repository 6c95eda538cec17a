"""Builds the fault shim from our own C source and reads what it reports."""

import os
import shutil
import subprocess

from proofs.proof import Skip, Violation

SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "shim")


def build(source, folder):
    """Builds one of the shims and returns the path of the shared object."""
    compiler = shutil.which("cc") or shutil.which("clang") or shutil.which("gcc")
    if compiler is None:
        raise Skip("no C compiler: run scripts/setup")
    path = os.path.join(folder, source.replace(".c", ".so"))
    warnings = ["-Wall", "-Wextra", "-Werror"]
    command = [compiler, "-shared", "-fPIC", "-O2", *warnings, "-o", path, os.path.join(SOURCES, source), "-ldl"]
    subprocess.run(command, check=True)
    return path


class Shim:
    """The shared object, and the variables that switch it on."""

    def __init__(self, folder):
        self.path = build("shim.c", folder)

    def variables(self, mode, report=None, at=None, **more):
        variables = {"LD_PRELOAD": self.path, "PROOF_SHIM_MODE": mode}
        if report is not None:
            variables["PROOF_SHIM_REPORT"] = report
        if at is not None:
            variables["PROOF_SHIM_AT"] = str(at)
        for name, value in more.items():
            variables["PROOF_SHIM_" + name.upper()] = str(value)
        return variables

    @staticmethod
    def lines(report):
        """What the shim wrote; a run without it proves nothing, and ends the proof."""
        lines = []
        if os.path.exists(report):
            with open(report, encoding="utf-8") as file:
                lines = file.read().splitlines()
        if "loaded" not in lines:
            raise Violation("the shim was not loaded into the process, so that nothing was injected")
        return lines

    @staticmethod
    def counts(report):
        """Calls by name; other lines are of another kind."""
        counts = {}
        for line in Shim.lines(report):
            name, _, count = line.rpartition(" ")
            if count.isdigit():
                counts[name] = int(count)
        return counts

    @staticmethod
    def struck(report):
        """The call that failed; None if none was reached."""
        for line in Shim.lines(report):
            if line.startswith("struck "):
                return line.split(" ", 2)[2]
        return None


def told(counts):
    """`412: 120 pwrite, 80 write, …`"""
    parts = ", ".join(f"{count} {name}" for name, count in sorted(counts.items(), key=lambda item: -item[1]))
    return f"{sum(counts.values())}: {parts}"


class Clock:
    """Wrong clocks for single processes."""

    def __init__(self, folder):
        self.path = build("clock.c", folder)

    def variables(self, seconds):
        """A clock that is wrong by so many seconds; none for the right one."""
        return {"LD_PRELOAD": self.path, "PROOF_CLOCK_OFFSET": str(seconds)} if seconds else {}

    def following(self, path):
        """A clock that is wrong by what a file says, as that changes."""
        return {"LD_PRELOAD": self.path, "PROOF_CLOCK_FILE": path}
