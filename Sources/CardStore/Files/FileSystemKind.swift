import CardModel
import Foundation

/// The kind of file system that a path lies on, by its name in `/proc/self/mountinfo`.
package struct FileSystemKind: Hashable, Sendable {
    /// Such as `ext4` or `fuse.sshfs`.
    package let name: String

    package init(name: String) { self.name = name }

    /// Looks up the file system of a path, or of the nearest folder above it that exists; `nil` if the system does not tell it.
    package init?(of path: String) {
        guard let table = FileManager.default.contents(atPath: "/proc/self/mountinfo") else { return nil }
        self.init(of: DurableFile.nearestExisting(path), in: String(decoding: table, as: UTF8.self))
    }

    /// Looks up the file system of a path without links in the text of a mountinfo (proc_pid_mountinfo(5)). The deepest mount
    /// point above the path counts; of several mounts on it, the last one, which hides the others.
    package init?(of path: String, in mountinfo: String) {
        var best: (length: Int, kind: Substring)?
        for line in mountinfo.split(separator: "\n") {
            let fields = line.split(separator: " ")
            // The kind follows the hyphen that ends the optional fields.
            guard fields.count > 6, let hyphen = fields[6...].firstIndex(of: "-"), hyphen + 1 < fields.count else {
                continue
            }
            let point = Self.unescaped(fields[4])
            guard point == "/" || path == point || path.hasPrefix(point + "/"), point.utf8.count >= best?.length ?? 0
            else { continue }
            best = (point.utf8.count, fields[hyphen + 1])
        }
        guard let best else { return nil }
        self.name = String(best.kind)
    }

    /// Whether other machines may share the files but not the locks, so that two machines would send everything twice.
    package var isNetwork: Bool {
        [
            "nfs", "nfs4", "cifs", "smb3", "smbfs", "ceph", "fuse.ceph", "fuse.ceph-fuse", "lustre", "afs", "fuse.afs",
            "glusterfs", "fuse.glusterfs", "fuse.sshfs", "fuse.s3fs", "fuse.rclone",
            "beegfs", "gpfs", "panfs", "kafs", "vmhgfs", "fuse.vmhgfs-fuse", "prl_fs", "acfs", "ibrix", "snfs", "cvfs",
        ].contains(self.name)
    }

    /// Whether the kind does not tell if other machines share the files: other FUSE, 9P and virtiofs, as in pods and encrypted
    /// home folders.
    package var isDoubtful: Bool {
        !self.isNetwork && (self.name.hasPrefix("fuse") || ["9p", "virtiofs"].contains(self.name))
    }

    /// Replaces the escapes of blanks, tabs, line ends and backslashes, which are three octal digits.
    private static func unescaped(_ field: Substring) -> String {
        [(" ", "040"), ("\t", "011"), ("\n", "012"), ("\\", "134")].reduce(String(field)) {
            $0.replacing("\\" + $1.1, with: $1.0)
        }
    }
}
