package import IDCardCore

/// What tells a file apart without reading it: path, inode, size and modification time. The path does not print.
package struct FileIdentity: Hashable, Sendable {
    /// The absolute path.
    package var path: Redacted<String>
    /// The device number.
    package var device: UInt64
    /// The inode number.
    package var inode: UInt64
    /// The size in bytes.
    package var size: Int64
    /// The modification time in nanoseconds since the epoch.
    package var modifiedNanoseconds: Int64

    /// Describes a file.
    package init(path: String, device: UInt64, inode: UInt64, size: Int64, modifiedNanoseconds: Int64) {
        self.path = Redacted(path)
        self.device = device
        self.inode = inode
        self.size = size
        self.modifiedNanoseconds = modifiedNanoseconds
    }

    /// Describes what an address names: nothing but the address tells it apart.
    package init(_ address: ImageAddress) {
        self.init(path: address.url.reveal(), device: 0, inode: 0, size: 0, modifiedNanoseconds: 0)
    }
}
