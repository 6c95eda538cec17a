import Glibc

/// The entries of one folder, in byte order.
struct FolderListing {
    /// One name in the folder.
    struct Entry {
        /// The name; bytes that are no UTF-8 are replaced, and then the name does not lead to the file.
        var name: String
        /// Whether the name is UTF-8.
        var isDecodable: Bool
        /// What it names; a link is not followed.
        var kind: FileKind
    }

    /// The entries without `.` and `..`.
    let entries: [Entry]

    /// Reads a folder.
    init(of folder: String) throws(SystemFailure) {
        guard let stream = opendir(folder) else { throw SystemFailure.current }
        defer { closedir(stream) }
        var entries: [Entry] = []
        errno = 0
        while let record = readdir(stream) {
            if let entry = Self.entry(record.pointee, in: folder) { entries.append(entry) }
            errno = 0
        }
        guard errno == 0 else { throw SystemFailure.current }
        self.entries = entries.sorted { PathBytes($0.name) < PathBytes($1.name) }
    }

    /// Makes an entry of a directory record; `nil` for `.`, `..` and names that have gone meanwhile.
    static func entry(_ record: dirent, in folder: String) -> Entry? {
        let bytes = withUnsafeBytes(of: record.d_name) { Array($0.prefix { $0 != 0 }) }
        let name = String(decoding: bytes, as: UTF8.self)
        guard name != ".", name != ".." else { return nil }
        let isDecodable = Array(name.utf8) == bytes
        let kind: FileKind
        switch Int(record.d_type) {
        case Int(DT_REG): kind = .file
        case Int(DT_DIR): kind = .folder
        case Int(DT_LNK): kind = .link
        case Int(DT_UNKNOWN) where isDecodable:
            // Some file systems do not tell the kind. A name that has vanished meanwhile is no input.
            guard let looked = try? FileKind.of(PathText.join(folder, name), followingLinks: false) else { return nil }
            kind = looked
        default: kind = .other
        }
        return Entry(name: name, isDecodable: isDecodable, kind: kind)
    }
}
