"""A file system whose power can be cut: ext4 on a loop device on nbdfuse on nbdkit, which on a sign lets no write through.

What the kernel still holds in memory at that moment never reaches the image, as with a lost page cache.
"""

import os
import shutil
import subprocess

from proofs.proof import Skip

PROGRAMS = ("nbdkit", "nbdfuse", "mkfs.ext4", "mount", "umount")


def require():
    """Ends the proof where a cut cannot be staged."""
    if os.geteuid() != 0:
        raise Skip("needs root, to mount file systems")
    missing = [program for program in PROGRAMS if shutil.which(program) is None]
    if missing:
        raise Skip(f"{', '.join(missing)} missing: run scripts/setup")
    for device in ("/dev/fuse", "/dev/loop-control"):
        if not os.path.exists(device):
            raise Skip(f"this kernel has no {device}")


class CutDisk:
    """One disk image and what is stacked on it."""

    def __init__(self, folder, megabytes=1024):
        self.image = os.path.join(folder, "disk.img")
        self.socket = os.path.join(folder, "nbd.sock")
        self.trigger = os.path.join(folder, "cut")
        self.file = os.path.join(folder, "nbdfile")
        self.mount_point = os.path.join(folder, "disk")
        self.log = open(os.path.join(folder, "disk.log"), "a", encoding="utf-8")
        os.makedirs(self.mount_point, exist_ok=True)
        with open(self.image, "wb") as image:
            image.truncate(megabytes << 20)
        subprocess.run(["mkfs.ext4", "-q", "-F", self.image], check=True, stdout=self.log, stderr=self.log)
        self.processes = []
        self.is_mounted = False

    def power_on(self):
        """Mounts the file system over the stack that can be cut."""
        for path in (self.trigger, self.socket):
            if os.path.exists(path):
                os.unlink(path)
        # nbdkit runs its child once it listens; the word on its output is the sign.
        server = ["nbdkit", "-f", "-U", self.socket, "--filter=error", "file", self.image]
        server += ["error=EIO", "error-pwrite-rate=100%", f"error-pwrite-file={self.trigger}"]
        self._start(server, lambda: os.path.exists(self.socket))
        open(self.file, "w", encoding="utf-8").close()
        size = os.path.getsize(self.image)
        self._start(["nbdfuse", self.file, "--unix", self.socket], lambda: os.path.getsize(self.file) == size)
        self._mount(self.file)

    def cut(self, process):
        """Lets nothing through any more, and ends the process that was at work."""
        open(self.trigger, "w", encoding="utf-8").close()
        if process is not None:
            process.kill()
            process.wait()
        self.unmount(lazily=True)
        subprocess.run(["umount", "-l", self.file], check=False, stdout=self.log, stderr=self.log)
        while self.processes:
            ended = self.processes.pop()
            ended.kill()
            ended.wait()

    def look(self):
        """Mounts the image itself, as the next start of the machine would: replays the journal."""
        self._mount(self.image)

    def unmount(self, lazily=False):
        if self.is_mounted:
            command = ["umount", *(["-l"] if lazily else []), self.mount_point]
            subprocess.run(command, check=True, stdout=self.log, stderr=self.log)
            self.is_mounted = False

    def stop(self):
        self.cut(None)
        self.log.close()

    def _mount(self, source):
        result = subprocess.run(
            ["mount", "-o", "loop", source, self.mount_point], check=False, stdout=self.log, stderr=subprocess.PIPE, text=True
        )
        if result.returncode != 0:
            raise Skip(f"the file system cannot be mounted: {result.stderr.strip()}")
        self.is_mounted = True

    def _start(self, command, is_ready):
        process = subprocess.Popen(command, stdout=self.log, stderr=self.log, stdin=subprocess.DEVNULL)
        self.processes.append(process)
        # Neither program says when it serves; both are asked until they do or end.
        while not is_ready():
            try:
                process.wait(timeout=0.01)
                raise Skip(f"{command[0]} ended at once; see {self.log.name}")
            except subprocess.TimeoutExpired:
                continue
