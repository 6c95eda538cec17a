"""A file system whose power can be cut: ext4 on a loop device on nbdfuse on nbdkit, which on a sign lets no write through.

What the kernel still holds in memory at that moment never reaches the image, as with a lost page cache.
"""

import os
import shutil
import subprocess
from pathlib import Path

from proofs.proof import Skip
from proofs.tool import until

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
        self.image, self.trigger, self.file, self.mount_point = (
            os.path.join(folder, name) for name in ("disk.img", "cut", "nbdfile", "disk")
        )
        self.log = open(os.path.join(folder, "disk.log"), "a", encoding="utf-8")
        os.makedirs(self.mount_point, exist_ok=True)
        with open(self.image, "wb") as image:
            image.truncate(megabytes << 20)
        subprocess.run(["mkfs.ext4", "-q", "-F", self.image], check=True, stdout=self.log, stderr=self.log)
        self.server, self.is_mounted = None, False

    def power_on(self):
        """Mounts the file system over the stack that can be cut."""
        Path(self.trigger).unlink(missing_ok=True)
        Path(self.file).write_bytes(b"")
        failing = ["--filter=error", "file", self.image, "error=EIO", "error-pwrite-rate=100%", f"error-pwrite-file={self.trigger}"]
        command = ["nbdfuse", self.file, "[", "nbdkit", "-f", "--exit-with-parent", *failing, "]"]
        self.server = subprocess.Popen(command, stdout=self.log, stderr=self.log, stdin=subprocess.DEVNULL)
        # It does not say when it serves.
        size = os.path.getsize(self.image)
        if not until(lambda: os.path.getsize(self.file) == size, self.server):
            raise Skip(f"nbdfuse does not serve; see {self.log.name}")
        self._mount(self.file)

    def cut(self, process):
        """Lets nothing through any more, and ends the process that was at work."""
        Path(self.trigger).touch()
        if process is not None:
            process.kill()
            process.wait()
        self.unmount(lazily=True)
        subprocess.run(["umount", "-l", self.file], check=False, stdout=self.log, stderr=self.log)
        if self.server is not None:
            self.server.kill()
            self.server.wait()

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
