import CardModel
import SystemPackage

/// The temporary name of a file that is being deleted: it identifies the file and its companions.
///
/// A killed process leaves the name behind. From the name the next process knows what to delete, and that it is the right file; a
/// remaining sidecar must not apply to the next photo of its name.
struct TransitName: Hashable {
    private static let prefix = ".idcard-"
    private static let suffix = ".gone"

    /// Identifies a file in its folder.
    private struct Mark: Hashable {
        var inode: UInt64
        /// Two's complement, for times before 1970.
        var modified: UInt64

        init(_ identity: FileIdentity) {
            self.inode = identity.inode
            self.modified = UInt64(bitPattern: identity.modifiedNanoseconds)
        }

        init?(_ text: Substring) {
            let numbers = text.split(separator: ".", omittingEmptySubsequences: false).map { UInt64($0) }
            guard numbers.count == 2, let inode = numbers[0], let modified = numbers[1] else { return nil }
            (self.inode, self.modified) = (inode, modified)
        }
    }

    /// The file, then its companions.
    private let marks: [Mark]

    /// Makes the name of a file and its companions in its folder.
    init(_ file: FileIdentity, with members: [FileIdentity]) { self.marks = ([file] + members).map { Mark($0) } }

    private init?(_ name: String) {
        guard name.hasPrefix(Self.prefix), name.hasSuffix(Self.suffix) else { return nil }
        let texts = name.dropFirst(Self.prefix.count).dropLast(Self.suffix.count).split(separator: "-")
        self.marks = texts.compactMap { Mark($0) }
        guard !self.marks.isEmpty, self.marks.count == texts.count else { return nil }
    }

    var text: String {
        Self.prefix + self.marks.map { "\($0.inode).\($0.modified)" }.joined(separator: "-") + Self.suffix
    }

    /// Finishes the interrupted deletions in a folder.
    static func sweep(_ folder: borrowing OpenFolder) throws(Errno) {
        let names = try folder.names().map(\.text)
        for (name, passing) in names.compactMap({ name in TransitName(name).map { (name, $0) } }) {
            // Another file that replaced the one to delete was never read, so it stays.
            guard try passing.marks.first == self.mark(of: name, in: folder) else { continue }
            for other in names where other != name {
                if let mark = try self.mark(of: other, in: folder), passing.marks.dropFirst().contains(mark) {
                    try folder.unlink(other)
                }
            }
            try folder.unlink(name)
        }
    }

    private static func mark(of name: String, in folder: borrowing OpenFolder) throws(Errno) -> Mark? {
        guard let status = try folder.status(of: name), status.kind == .file else { return nil }
        return Mark(FileIdentity(path: name, status))
    }
}
