import CardModel
import SystemPackage

/// The temporary name of a file that is being deleted: it identifies the file and its companions.
///
/// If the process is killed, the file still has this name, and the next process knows from it which files to delete. Companions
/// are among them, because a sidecar that is left must not apply to the next photo of its name.
struct TransitName: Hashable {
    private static let prefix = ".idcard-"
    private static let suffix = ".gone"

    /// Inode and time of the file, then those of each companion.
    private let marks: [String]

    /// Makes the name of a file that is deleted together with companions from the same folder.
    init(_ file: FileIdentity, with companions: [FileIdentity]) { self.marks = ([file] + companions).map(Self.mark) }

    /// Parses a name; `nil` if it is not a transit name.
    private init?(_ name: String) {
        guard name.hasPrefix(Self.prefix), name.hasSuffix(Self.suffix) else { return nil }
        let marks = name.dropFirst(Self.prefix.count).dropLast(Self.suffix.count).split(separator: "-")
        guard !marks.isEmpty else { return nil }
        self.marks = marks.map(String.init)
    }

    var text: String { Self.prefix + self.marks.joined(separator: "-") + Self.suffix }

    /// Returns the text that identifies a file in its folder.
    private static func mark(of file: FileIdentity) -> String {
        // Two's complement, for times before 1970.
        "\(file.inode).\(UInt64(bitPattern: file.modifiedNanoseconds))"
    }

    /// Finishes the interrupted deletions in a folder.
    static func sweep(_ folder: borrowing OpenFolder) throws(Errno) {
        let names = try folder.names().map(\.text)
        for (name, transitName) in names.compactMap({ name in TransitName(name).map { (name, $0) } }) {
            // If another file has replaced the one to delete, it was never read, so it stays.
            guard try transitName.marks.first == self.mark(of: name, in: folder) else { continue }
            for other in names where other != name {
                if let mark = try self.mark(of: other, in: folder), transitName.marks.dropFirst().contains(mark) {
                    try folder.unlink(other)
                }
            }
            try folder.unlink(name)
        }
    }

    private static func mark(of name: String, in folder: borrowing OpenFolder) throws(Errno) -> String? {
        guard let status = try folder.status(of: name), status.kind == .file else { return nil }
        return self.mark(of: FileIdentity(path: name, status))
    }
}
