import Testing

@testable import CardStore

@Suite struct FileSystemKindTests {
    /// A machine with a share, an encrypted home, a folder whose name has a blank, and a mount over another.
    private static let mounts = """
        22 1 254:1 / / rw,relatime shared:1 - ext4 /dev/vda1 rw
        23 22 0:21 / /proc rw,nosuid shared:5 - proc proc rw
        30 22 0:44 / /mnt/share rw,relatime shared:20 master:3 - nfs4 server:/export rw,vers=4.2
        31 30 0:45 / /mnt/share/local rw,relatime - xfs /dev/vdb rw
        32 22 0:46 / /mnt/with\\040blank rw - fuse.sshfs me@host:/ rw
        33 22 0:47 / /home rw - fuse.gocryptfs /dev/fuse rw
        34 22 0:48 / /over rw - tmpfs tmpfs rw
        35 34 0:49 / /over rw - cifs //server/share rw
        a line that is none
        """

    @Test(arguments: [
        ("/", "ext4"), ("/var/lib/idcard-pipeline/sandbox", "ext4"), ("/mnt/share", "nfs4"),
        ("/mnt/share/a/b", "nfs4"), ("/mnt/sharer", "ext4"), ("/mnt/share/local/box", "xfs"),
        ("/mnt/with blank/box", "fuse.sshfs"), ("/home/a", "fuse.gocryptfs"), ("/over/box", "cifs"),
    ])
    func `the kind is that of the deepest and last mount above a path`(path: String, kind: String) {
        #expect(FileSystemKind(of: path, in: Self.mounts)?.name == kind)
    }

    @Test func `where nothing is told, nothing is known`() {
        #expect(FileSystemKind(of: "/a", in: "") == nil)
        #expect(FileSystemKind(of: "/nowhere/at/all")?.isNetwork == false)
    }

    @Test(arguments: [
        (
            "nfs nfs4 cifs smb3 ceph fuse.ceph-fuse lustre afs fuse.glusterfs fuse.sshfs fuse.s3fs fuse.rclone beegfs gpfs "
                + "panfs kafs vmhgfs fuse.vmhgfs-fuse prl_fs acfs ibrix snfs cvfs",
            true,
            false
        ),
        ("fuse fuseblk fuse.gocryptfs fuse.bindfs 9p virtiofs", false, true),
        ("ext4 xfs btrfs zfs tmpfs overlay f2fs bcachefs", false, false),
    ])
    func `network file systems are refused, those that depend on their server are told`(
        kinds: String,
        isNetwork: Bool,
        isDoubtful: Bool
    ) {
        for kind in kinds.split(separator: " ").map({ FileSystemKind(name: String($0)) }) {
            #expect(kind.isNetwork == isNetwork && kind.isDoubtful == isDoubtful, "\(kind.name)")
        }
    }
}
