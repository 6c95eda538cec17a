"""scripts/prove-bare-machine: both commands of the README, in a bare Debian 12 with nothing but Swift."""

import argparse
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

NAME = "prove-bare-machine"
DESCRIPTION = """\
Makes a Debian 12 root with no more than what Swift itself needs (mmdebstrap, minbase, no pkg-config), binds this
machine's Swift into it read-only, clones the last commit, and runs scripts/quickstart and scripts/test there: as root,
and in a second root as an ordinary user with sudo. Expects that the quickstart delivers every fixture card, that all
tests pass, and that what is missing (Swift, disk, memory, parts of the compiler) is said before anything is built. The
root takes its Debian mirror, git's URL rewriting, pip's settings, proxies and certificates from this machine.

Root only. Takes two release builds and two runs of all tests, and some 15 GB below TMPDIR."""

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# What swift.org names for Debian 12, but for pkg-config.
SWIFT_NEEDS = (
    "binutils-gold", "gcc", "git", "libcurl4-openssl-dev", "libedit-dev", "libicu-dev", "libncurses-dev", "libpython3-dev",
    "libsqlite3-dev", "libxml2-dev", "tzdata", "uuid-dev",
)
RELEASES = ("bookworm", "bookworm-updates", "bookworm-security")
USER_ID = 1000
# With these a command leaves no mount and no process behind, however it ends.
NAMESPACES = ("unshare", "--mount", "--pid", "--fork", "--kill-child")
BUNDLE = "/var/tmp/idcard-pipeline.bundle"
# Variables that say how to reach the network.
PASSED_ON = re.compile(
    r"(PIP_\w+|GOPROXY|GOSUMDB|GONOSUMDB|GOFLAGS|(http|https|ftp|no|all)_proxy|SSL_CERT_(FILE|DIR)|GIT_SSL_CAINFO"
    r"|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE|NODE_EXTRA_CA_CERTS)",
    re.IGNORECASE,
)
CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt"
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


class NotProved(Exception):
    """The proof cannot be run here."""


def ask(*command):
    """What a program prints; nothing if it fails or is not there."""
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT).stdout
    except (OSError, subprocess.CalledProcessError):
        return ""


class Host:
    """What the roots take from this machine."""

    def __init__(self, mirror, swift):
        self.swift = swift or self._swift()
        self.sources = self._sources(mirror)
        names = ("Acquire::http::Proxy", "Acquire::https::Proxy", "Acquire::Check-Valid-Until", "Acquire::Check-Date")
        # Of the last two an empty value would mean something else than the default.
        self.apt_options = [line for line in ask("apt-config", "dump", *names).splitlines() if '""' not in line]
        self.git = [line.split(" ", 1) for line in ask("git", "config", "--get-regexp", r"^(url|http\.proxy)").splitlines()]
        self.pip = re.findall(r"^global\.([\w-]+)='(.*)'$", ask("python3", "-m", "pip", "config", "list"), re.MULTILINE)
        self.variables = {name: value for name, value in os.environ.items() if PASSED_ON.fullmatch(name)}
        named = [re.match(r"url\.(.*)\.insteadof$", key, re.IGNORECASE) for key, _ in self.git]
        named = [match[1] for match in named if match] + [value for _, value in self.pip] + list(self.variables.values())
        folders = {os.path.normpath(path.removeprefix("file://")) for path in named if path.startswith(("/", "file:///"))}
        # Certificates have their own way into the root.
        self.folders = sorted(path for path in folders if os.path.exists(path) and not path.startswith("/etc/ssl"))

    @staticmethod
    def _swift():
        program = shutil.which("swift")
        if program is None:
            raise NotProved("there is no swift on the PATH; name its folder with --swift DIR")
        folder = os.path.dirname(os.path.dirname(os.path.realpath(program)))
        if folder in ("/", "/usr", "/usr/local"):
            raise NotProved(f"swift lies in {folder}, with much else; unpack one elsewhere and name it with --swift DIR")
        return folder

    @staticmethod
    def _sources(mirror):
        """Lines of a sources.list."""
        if mirror is not None:
            return [f"deb {mirror} bookworm main"]
        lines = ask("apt-get", "indextargets", "--format", "$(REPO_URI) $(RELEASE) $(COMPONENT)", "Identifier: Packages")
        targets = {tuple(line.split()) for line in lines.splitlines()}
        sources = [
            f"deb {uri} {release} main" for uri, release, component in sorted(targets) if component == "main" and release in RELEASES
        ]
        if not any(source.split()[2] == "bookworm" for source in sources):
            raise NotProved("apt knows no mirror of Debian 12 (bookworm) here; name one with --mirror URI")
        return sources


class Machine:
    """A bare root, and commands in it, as root or as an ordinary user."""

    def __init__(self, proof, host, user):
        self.proof, self.host, self.user = proof, host, user
        self.root = os.path.join(proof.folder, user)
        self.home = "/root" if user == "root" else "/home/engineer"
        self.checkout = f"{self.home}/idcard-pipeline"
        self.peak = 0

    def make(self):
        os.makedirs(self.root)
        sources = os.path.join(self.proof.folder, "bare.list")
        with open(sources, "w", encoding="utf-8") as file:
            file.write("".join(line + "\n" for line in self.host.sources))
        packages = [*SWIFT_NEEDS, *(["sudo"] if self.user == "user" else [])]
        command = [*NAMESPACES, "--mount-proc", "mmdebstrap", "--variant=minbase", f"--include={','.join(packages)}"]
        command += [f"--aptopt={option}" for option in self.host.apt_options]
        # The root need not outlive a power cut.
        command.append("--dpkgopt=force-unsafe-io")
        status = self.proof.logged([*command, "bookworm", self.root, sources], f"{self.user}-root.log")
        if status != 0:
            raise NotProved(f"mmdebstrap ended with {status}: see {self.user}-root.log")
        self._configure()
        for program in ("pkg-config", "g++"):
            if any(os.path.exists(os.path.join(self.root, folder, program)) for folder in ("usr/bin", "bin")):
                self.proof.violated(f"the root is not bare: it holds {program}")

    def _configure(self):
        for name in ("resolv.conf", "hosts", "hostname"):
            if os.path.exists(f"/etc/{name}"):
                shutil.copyfile(f"/etc/{name}", self.inside(f"/etc/{name}"))
        # The folders of this machine belong to root, also where an ordinary user clones from them.
        git = ["git", "config", "--file", self.inside("/etc/gitconfig"), "--add"]
        for key, value in [*self.host.git, ("safe.directory", "*"), ("advice.detachedHead", "false")]:
            subprocess.run([*git, key, value], check=True)
        if self.host.pip:
            with open(self.inside("/etc/pip.conf"), "w", encoding="utf-8") as file:
                file.write("[global]\n" + "".join(f"{key} = {value}\n" for key, value in self.host.pip))
        if os.path.exists(CERTIFICATES):
            os.makedirs(self.inside("/usr/local/share/ca-certificates"), exist_ok=True)
            shutil.copyfile(CERTIFICATES, self.inside("/usr/local/share/ca-certificates/this-machine.crt"))
        if self.user == "user":
            self.run_as_root("useradd", "--create-home", "--uid", str(USER_ID), "engineer")
            sudoers = self.inside("/etc/sudoers.d/engineer")
            with open(sudoers, "w", encoding="utf-8") as file:
                file.write("engineer ALL=(ALL) NOPASSWD: ALL\n")
            os.chmod(sudoers, 0o440)
        bundle = self.inside(BUNDLE)
        # The checkout may belong to whom sudo was called by.
        git = ["git", "-c", "safe.directory=*", "-C", ROOT]
        subprocess.run([*git, "bundle", "create", "--quiet", bundle, "HEAD"], check=True)
        os.chmod(bundle, 0o644)
        if self.run(["git", "clone", "--quiet", BUNDLE, self.checkout], "clone.log", folder=self.home) != 0:
            raise NotProved(f"the clone failed: see {self.user}-clone.log")

    def inside(self, path):
        return self.root + path

    def run_as_root(self, *command):
        subprocess.run(["chroot", self.root, *command], check=True)

    def run(self, command, log, folder=None, mounts=(), has_swift=True):
        """Runs a command in the root, in namespaces that take the mounts away when it ends; returns its exit status.

        `mounts` are arguments of further mounts; `{}` in them is the root.
        """
        binds = [self.host.swift, *self.host.folders]
        steps = [f"mount -t proc proc {shlex.quote(self.inside('/proc'))}"]
        steps += [f"mount --rbind /{name} {shlex.quote(self.inside('/' + name))}" for name in ("sys", "dev")]
        for path in binds:
            inner = shlex.quote(self.inside(path))
            make = f"mkdir -p {inner}" if os.path.isdir(path) else f"mkdir -p $(dirname {inner}); touch {inner}"
            steps += [make, f"mount --bind {shlex.quote(path)} {inner}", f"mount -o remount,bind,ro {inner}"]
        steps += ["mount " + " ".join(shlex.quote(word.replace("{}", self.root)) for word in words) for words in mounts]
        swift = f"{self.host.swift}/bin:" if has_swift else ""
        variables = {**self.host.variables, "PATH": swift + PATH, "HOME": self.home}
        who = [] if self.user == "root" else ["--userspec", f"{USER_ID}:{USER_ID}"]
        inner = f"cd {shlex.quote(folder or self.checkout)} && exec {shlex.join(command)}"
        words = ["chroot", *who, self.root, "/usr/bin/env", "-i", *(f"{name}={value}" for name, value in variables.items())]
        steps.append("exec " + shlex.join([*words, "/bin/sh", "-c", inner]))
        enter = [*NAMESPACES, "/bin/sh", "-ec", "\n".join(steps)]
        return self.proof.logged(enter, f"{self.user}-{log}", self.look)

    def look(self, pid):
        """Notes the memory of a process and its descendants that the kernel cannot take back."""
        parents, memory = {}, {}
        for name in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{name}/status", encoding="utf-8", errors="replace") as file:
                    fields = dict(line.split(":", 1) for line in file if ":" in line)
            except OSError:
                continue
            parents.setdefault(int(fields["PPid"]), []).append(int(name))
            memory[int(name)] = sum(int(fields.get(key, "0").split()[0]) for key in ("RssAnon", "RssShmem"))
        family, total = [pid], 0
        while family:
            each = family.pop()
            total += memory.get(each, 0)
            family += parents.get(each, [])
        self.peak = max(self.peak, total >> 10)

    def remove(self):
        """Nothing is mounted there any more: each command had its mounts to itself."""
        subprocess.run(["rm", "-rf", "--one-file-system", self.root], check=True)

    def megabytes(self):
        """What building has put into the checkout."""
        folders = [self.inside(f"{self.checkout}/{name}") for name in (".build", ".venv")]
        return sum(int(ask("du", "-sm", folder).split()[0]) for folder in folders if os.path.exists(folder))


class Proof:
    """The course of the proof: what was found, and the summary."""

    def __init__(self, options):
        self.options = options
        self.violations, self.figures, self.refused = [], [], {}
        self.started = time.monotonic()
        self.folder = None

    def progress(self, text):
        print(f"  {text}", flush=True)

    def violated(self, text):
        self.violations.append(text)
        self.progress(f"VIOLATION: {text}")

    def logged(self, command, log, look=lambda pid: None):
        """Runs a command with its output in a file; the lines of our own scripts are shown as well."""
        path = os.path.join(self.folder, log)
        ended = threading.Event()
        with open(path, "w", encoding="utf-8", errors="replace") as file:
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
            )

            def watch():
                while not ended.wait(2):
                    look(process.pid)

            watcher = threading.Thread(target=watch)
            watcher.start()
            try:
                for line in process.stdout:
                    file.write(line)
                    file.flush()
                    if line.startswith(("setup:", "quickstart:", "test:", "== ")):
                        self.progress(line.rstrip())
                return process.wait()
            finally:
                process.kill()
                ended.set()
                watcher.join()

    def text(self, log):
        with open(os.path.join(self.folder, log), encoding="utf-8", errors="replace") as file:
            return file.read()

    def expect(self, machine, command, log, pattern):
        """Runs one command of the README and looks for what it prints at the end."""
        started, machine.peak = time.monotonic(), 0
        status = machine.run([command], log)
        seconds = time.monotonic() - started
        text = self.text(f"{machine.user}-{log}")
        found = re.search(pattern, text, re.MULTILINE)
        where = f"as {machine.user}, {command}"
        if status != 0:
            self.violated(f"{where} ended with {status}:\n" + "\n".join(text.splitlines()[-30:]))
        elif found is None:
            self.violated(f"{where} ended with 0, but says nothing like {pattern!r}")
        else:
            self.figures.append((where, f"{found[0].strip()}; {seconds:.0f} s"))
        size = machine.megabytes()
        self.figures.append((where + ", needs", f"{size} MiB of disk, {machine.peak} MiB of memory"))
        self.expect_demand(where, command, size, machine.peak)

    def expect_demand(self, where, command, size, memory):
        """What scripts/setup demands is enough."""
        with open(os.path.join(ROOT, "scripts", "setup"), encoding="utf-8") as file:
            text = file.read()
        demands = {name: [int(number) for number in re.findall(rf"{name}_needed=(\d+)", text)] for name in ("disk", "memory")}
        for name, needed in (("disk", size), ("memory", memory)):
            asked = demands[name][0 if "quickstart" in command else -1]
            if needed > asked:
                self.violated(f"{where} needs {needed} MiB of {name}, and scripts/setup asks for {asked}")

    def expect_refusal(self, machine, what, words, command=("scripts/quickstart",), **how):
        """What is missing is said before anything is built, with what to do."""
        log = f"missing-{what.replace(' ', '-')}.log"
        status = machine.run(list(command), log, **how)
        text = self.text(f"{machine.user}-{log}")
        where = f"as {machine.user}, with {what}"
        if status != 69 or words not in text:
            self.violated(f"{where}, scripts/quickstart ended with {status}, without {words!r}: {text[-600:]}")
        if "quickstart: building" in text:
            self.violated(f"{where}, scripts/quickstart began to build")
        self.refused.setdefault(machine.user, []).append(what)

    def run(self):
        """All that was asked for; ends the process."""
        options = self.options
        # An orderly end stops what was started as well.
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
        try:
            require()
            host = Host(options.mirror, options.swift)
            if options.folder is not None:
                os.makedirs(options.folder, exist_ok=True)
            self.folder = tempfile.mkdtemp(prefix=f"{NAME}-", dir=options.folder)
            print(f"{NAME}: evidence in {self.folder}", flush=True)
            for user in ("root", "user") if options.as_ is None else (options.as_,):
                machine = Machine(self, host, user)
                machine.make()
                self.progress(f"{user}: the root is made ({time.monotonic() - self.started:.0f} s)")
                for name, part in PARTS.items():
                    if options.only in (None, name):
                        part(self, machine)
                if not (self.violations or options.keep):
                    machine.remove()
        except NotProved as reason:
            print(f"{NAME}: not proved: {reason}", file=sys.stderr)
            sys.exit(69)
        sys.exit(self.summary())

    def summary(self):
        figures = self.figures + [(f"as {user}, refused before building with", ", ".join(what)) for user, what in self.refused.items()]
        width = max((len(name) for name, _ in figures), default=0)
        print(f"{NAME}: {'FAILED' if self.violations else 'proved'} in {time.monotonic() - self.started:.0f} s")
        for name, value in figures:
            print(f"  {name.ljust(width)}  {value}")
        for violation in self.violations:
            print(f"  - {violation}")
        if self.violations or self.options.keep:
            print(f"  evidence: {self.folder}")
        else:
            shutil.rmtree(self.folder)
        return 1 if self.violations else 0


def require():
    """Root, and mmdebstrap, which is installed where it is missing."""
    if os.geteuid() != 0:
        raise NotProved("needs root, to mount what the root needs: sudo scripts/prove-bare-machine")
    if shutil.which("mmdebstrap") is None:
        install = ["apt-get", "install", "-q", "-y", "--no-install-recommends", "mmdebstrap"]
        environment = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
        for command in (["apt-get", "update", "-q"], install):
            subprocess.run(command, check=False, stdout=subprocess.DEVNULL, env=environment)
    if shutil.which("mmdebstrap") is None:
        raise NotProved("mmdebstrap is missing: apt-get install mmdebstrap")


def quickstart(proof, machine):
    proof.expect_refusal(machine, "no Swift", "Swift 6.2 or later is needed", has_swift=False)
    memory = os.path.join(proof.folder, "meminfo")
    with open(memory, "w", encoding="utf-8") as file:
        file.write("MemTotal: 1048576 kB\nMemAvailable: 524288 kB\nSwapTotal: 0 kB\nSwapFree: 0 kB\n")
    proof.expect_refusal(machine, "little memory", "fallocate", mounts=[["--bind", memory, "{}/proc/meminfo"]])
    small = "/mnt"
    proof.expect_refusal(
        machine,
        "little disk",
        "clone to a larger disk",
        ["sh", "-c", f"git clone --quiet {BUNDLE} . && exec scripts/quickstart"],
        folder=small,
        mounts=[["-t", "tmpfs", "-o", "size=300m,mode=1777", "tmpfs", "{}" + small]],
    )
    cards = sum(len(names) for _, _, names in os.walk(os.path.join(ROOT, "fixtures", "cards")))
    proof.expect(machine, "scripts/quickstart", "quickstart.log", rf"^{cards} inputs: {cards} delivered$")
    empty = os.path.join(proof.folder, "empty")
    os.makedirs(empty, exist_ok=True)
    proof.expect_refusal(
        machine, "half a compiler", "apt-get install", mounts=[["--bind", empty, "{}/usr/include/c++"]]
    )


def test(proof, machine):
    proof.expect(machine, "scripts/test", "test.log", r"^test: [1-9][0-9]* tests passed.*$")


PARTS = {"quickstart": quickstart, "test": test}


def main():
    parser = argparse.ArgumentParser(
        prog=f"scripts/{NAME}", description=DESCRIPTION, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--as", dest="as_", choices=["root", "user"], help="only as this user (default: both)")
    parser.add_argument("--only", choices=list(PARTS), help="only this command of the README (default: both)")
    parser.add_argument("--folder", metavar="DIR", help="where to work (default: a fresh folder in TMPDIR)")
    parser.add_argument("--swift", metavar="DIR", help="the folder of Swift that holds bin (default: of the swift on the PATH)")
    parser.add_argument("--mirror", metavar="URI", help="the Debian mirror (default: those of this machine's apt)")
    parser.add_argument("--keep", action="store_true", help="keep the roots of a run without findings, too")
    Proof(parser.parse_args()).run()


if __name__ == "__main__":
    main()
