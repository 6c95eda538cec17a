"""bare: scripts/quickstart and scripts/test in a Debian 12 with nothing but Swift, as root and as an ordinary user with sudo.

A root with no more than what Swift needs is made by mmdebstrap; this machine's Swift is bound into it read-only, and the
last commit is cloned there. What is missing (Swift, disk, memory, parts of the compiler) must be said before anything is
built, and what scripts/setup asks for must be enough. Mirror, proxies and certificates are those of this machine.
"""

import contextlib
import os
import re
import shlex
import shutil
import subprocess
import time
from pathlib import Path

from proofs.proof import Skip
from proofs.tool import ROOT, descendants, read_process

# What swift.org names for Debian 12, but for pkg-config.
SWIFT_NEEDS = (
    "binutils-gold,gcc,git,libcurl4-openssl-dev,libedit-dev,libicu-dev,libncurses-dev,libpython3-dev,libsqlite3-dev,"
    "libxml2-dev,tzdata,uuid-dev,sudo"
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


def ask(*command):
    """What a program prints; nothing if it fails or is not there."""
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT).stdout
    except (OSError, subprocess.CalledProcessError):
        return ""


def memory_below(pid):
    """The memory of a process and its descendants that the kernel cannot take back, in MiB."""
    status = b"".join(read_process(each, "status") for each in (pid, *descendants(pid)))
    return sum(map(int, re.findall(rb"Rss(?:Anon|Shmem):\s*(\d+)", status))) >> 10


class Host:
    """What the roots take from this machine."""

    def __init__(self):
        program = shutil.which("swift")
        if program is None:
            raise Skip("there is no swift on the PATH")
        self.swift = os.path.dirname(os.path.dirname(os.path.realpath(program)))
        if self.swift in ("/", "/usr", "/usr/local"):
            raise Skip(f"swift lies in {self.swift}, with much else: unpack one elsewhere and put it on the PATH")
        targets = ask("apt-get", "indextargets", "--format", "$(REPO_URI) $(RELEASE) $(COMPONENT)", "Identifier: Packages")
        places = {tuple(line.split()) for line in targets.splitlines()}
        self.sources = [f"deb {uri} {release} main" for uri, release, part in sorted(places) if part == "main" and release in RELEASES]
        names = ("Acquire::http::Proxy", "Acquire::https::Proxy", "Acquire::Check-Valid-Until", "Acquire::Check-Date")
        # Of the last two an empty value would mean something else than the default.
        self.apt_options = [line for line in ask("apt-config", "dump", *names).splitlines() if '""' not in line]
        self.git = [line.split(" ", 1) for line in ask("git", "config", "--get-regexp", r"^(url|http\.proxy)").splitlines()]
        self.pip = re.findall(r"^global\.([\w-]+)='(.*)'$", ask("python3", "-m", "pip", "config", "list"), re.MULTILINE)
        self.variables = {name: value for name, value in os.environ.items() if PASSED_ON.fullmatch(name)}
        # Folders that these settings name are there in the root as well; certificates have their own way into it.
        named = [re.sub(r"^url\.(.*)\.insteadof$", r"\1", key, flags=re.IGNORECASE) for key, _ in self.git]
        named += [value for _, value in self.pip] + list(self.variables.values())
        folders = {os.path.normpath(path.removeprefix("file://")) for path in named if path.startswith(("/", "file:///"))}
        self.folders = sorted(path for path in folders if os.path.exists(path) and not path.startswith("/etc/ssl"))


class Machine:
    """A bare root, and commands in it, as root or as an ordinary user."""

    def __init__(self, proof, host, user):
        self.proof, self.host, self.user = proof, host, user
        self.root = os.path.join(proof.folder, user)
        self.home = "/root" if user == "root" else "/home/engineer"
        self.checkout = f"{self.home}/idcard-pipeline"
        self.memory = 0

    def make(self):
        os.makedirs(self.root)
        sources = os.path.join(self.proof.folder, "bare.list")
        Path(sources).write_text("".join(line + "\n" for line in self.host.sources), "utf-8")
        command = [*NAMESPACES, "--mount-proc", "mmdebstrap", "--variant=minbase", f"--include={SWIFT_NEEDS}"]
        command += [f"--aptopt={option}" for option in self.host.apt_options]
        # The root need not outlive a power cut.
        status, text = self.logged([*command, "--dpkgopt=force-unsafe-io", "bookworm", self.root, sources], "root.log")
        if status != 0:
            raise Skip(f"mmdebstrap ended with {status}: {text[-300:]}")
        for name in ("resolv.conf", "hosts", "hostname"):
            if os.path.exists(f"/etc/{name}"):
                shutil.copyfile(f"/etc/{name}", f"{self.root}/etc/{name}")
        # The folders of this machine belong to root, also where an ordinary user clones from them.
        for key, value in [*self.host.git, ("safe.directory", "*"), ("advice.detachedHead", "false")]:
            subprocess.run(["git", "config", "--file", f"{self.root}/etc/gitconfig", "--add", key, value], check=True)
        Path(f"{self.root}/etc/pip.conf").write_text("[global]\n" + "".join(f"{key} = {value}\n" for key, value in self.host.pip), "utf-8")
        if os.path.exists(CERTIFICATES):
            os.makedirs(f"{self.root}/usr/local/share/ca-certificates", exist_ok=True)
            shutil.copyfile(CERTIFICATES, f"{self.root}/usr/local/share/ca-certificates/this-machine.crt")
        subprocess.run(["chroot", self.root, "useradd", "--create-home", "--uid", str(USER_ID), "engineer"], check=True)
        Path(f"{self.root}/etc/sudoers.d/engineer").write_text("engineer ALL=(ALL) NOPASSWD: ALL\n", "utf-8")
        os.chmod(f"{self.root}/etc/sudoers.d/engineer", 0o440)
        bundle = self.root + BUNDLE
        subprocess.run(["git", "-c", "safe.directory=*", "-C", ROOT, "bundle", "create", "--quiet", bundle, "HEAD"], check=True)
        os.chmod(bundle, 0o644)
        if self.run(["git", "clone", "--quiet", BUNDLE, self.checkout], "clone.log", folder=self.home)[0] != 0:
            raise Skip(f"the clone failed: see {self.user}-clone.log")

    def run(self, command, log, folder=None, mounts=(), has_swift=True):
        """Runs a command in the root, in namespaces that take the mounts away when it ends: its status and its words.

        `mounts` are arguments of further mounts; `{}` in them is the root."""
        steps = [f"mount -t proc proc {self.root}/proc"]
        steps += [f"mount --rbind /{name} {self.root}/{name}" for name in ("sys", "dev")]
        for path in [self.host.swift, *self.host.folders]:
            inner = shlex.quote(self.root + path)
            make = f"mkdir -p {inner}" if os.path.isdir(path) else f"mkdir -p $(dirname {inner}); touch {inner}"
            steps += [make, f"mount --bind {shlex.quote(path)} {inner}", f"mount -o remount,bind,ro {inner}"]
        steps += ["mount " + shlex.join(word.replace("{}", self.root) for word in words) for words in mounts]
        variables = {**self.host.variables, "PATH": (f"{self.host.swift}/bin:" if has_swift else "") + PATH, "HOME": self.home}
        who = [] if self.user == "root" else ["--userspec", f"{USER_ID}:{USER_ID}"]
        inner = f"cd {shlex.quote(folder or self.checkout)} && exec {shlex.join(command)}"
        values = [f"{name}={value}" for name, value in variables.items()]
        steps.append("exec " + shlex.join(["chroot", *who, self.root, "/usr/bin/env", "-i", *values, "/bin/sh", "-c", inner]))
        return self.logged([*NAMESPACES, "/bin/sh", "-ec", "\n".join(steps)], log)

    def logged(self, command, log):
        """Runs a command with its output in a file, and notes its memory in MiB: its status and its words."""
        path = Path(self.proof.folder, f"{self.user}-{log}")
        with open(path, "wb") as file:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT)
        try:
            while process.poll() is None:
                self.memory = max(self.memory, memory_below(process.pid))
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(timeout=1)
        finally:
            process.kill()
        return process.returncode, path.read_text("utf-8", "replace")

    def expect(self, command, pattern):
        """One of the two does what it says, with no more disk and memory than scripts/setup asks for."""
        started, self.memory = time.monotonic(), 0
        status, text = self.run([command], os.path.basename(command) + ".log")
        where, found = f"as {self.user}, {command}", re.search(pattern, text, re.MULTILINE)
        if status != 0 or found is None:
            tail = "\n".join(text.splitlines()[-30:])
            self.proof.violated(f"{where} ended with {status}, {'' if found else 'without saying'} {pattern!r}:\n{tail}")
        folders = [f"{self.root}{self.checkout}/{name}" for name in (".build", ".venv")]
        disk = sum(int(ask("du", "-sm", folder).split()[0]) for folder in folders if os.path.exists(folder))
        setup = Path(ROOT, "scripts", "setup").read_text("utf-8")
        for name, needed in (("disk", disk), ("memory", self.memory)):
            asked = [int(number) for number in re.findall(rf"{name}_needed=(\d+)", setup)][0 if "quickstart" in command else -1]
            self.proof.expect(needed <= asked, f"{where} needs {needed} MiB of {name}, and scripts/setup asks for {asked}")
        words = f"{found[0].strip() if found else 'failed'}; {time.monotonic() - started:.0f} s"
        self.proof.figure(where, f"{words}; {disk} MiB of disk, {self.memory} MiB of memory")

    def expect_refusal(self, what, words, command=("scripts/quickstart",), **how):
        """What is missing is said before anything is built, with what to do."""
        status, text = self.run(list(command), f"missing-{what.replace(' ', '-')}.log", **how)
        if status != 69 or words not in text or "quickstart: building" in text:
            self.proof.violated(f"as {self.user}, with {what}, scripts/quickstart ended with {status}, without {words!r}: {text[-600:]}")
        else:
            self.proof.figure(f"as {self.user}, with {what}", "refused before building")


def machine(user):
    def prove(proof):
        if os.geteuid() != 0:
            raise Skip("needs root, to mount what the bare root needs")
        if shutil.which("mmdebstrap") is None:
            raise Skip("mmdebstrap is missing: apt-get install mmdebstrap")
        bare = Machine(proof, Host(), user)
        bare.make()
        for program in ("pkg-config", "g++"):
            proof.expect(not os.path.exists(f"{bare.root}/usr/bin/{program}"), f"the root is not bare: it holds {program}")
        refusals(bare)
        if not proof.quick:
            cards = sum(len(names) for _, _, names in os.walk(os.path.join(ROOT, "fixtures", "cards")))
            bare.expect("scripts/quickstart", rf"^{cards} inputs: {cards} delivered$")
            empty = proof.subfolder("empty")
            bare.expect_refusal("half a compiler", "apt-get install", mounts=[["--bind", empty, "{}/usr/include/c++"]])
            bare.expect("scripts/test", r"^test: [1-9][0-9]* tests passed.*$")
        if not proof.options.keep:
            # Nothing is mounted there any more: each command had its mounts to itself.
            subprocess.run(["rm", "-rf", "--one-file-system", bare.root], check=True)

    return prove


def refusals(bare):
    bare.expect_refusal("no Swift", "Swift 6.2 or later is needed", has_swift=False)
    memory = os.path.join(bare.proof.folder, "meminfo")
    Path(memory).write_text("MemTotal: 1048576 kB\nMemAvailable: 524288 kB\nSwapTotal: 0 kB\nSwapFree: 0 kB\n", "utf-8")
    bare.expect_refusal("little memory", "fallocate", mounts=[["--bind", memory, "{}/proc/meminfo"]])
    clone = f"git clone --quiet {BUNDLE} . && exec scripts/quickstart"
    tmpfs = ["-t", "tmpfs", "-o", "size=300m,mode=1777", "tmpfs", "{}/mnt"]
    bare.expect_refusal("little disk", "clone to a larger disk", ["sh", "-c", clone], folder="/mnt", mounts=[tmpfs])


PARTS = {"root": machine("root"), "user": machine("user")}
