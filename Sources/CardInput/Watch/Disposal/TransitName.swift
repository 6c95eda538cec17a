import CardModel
import SystemPackage

/// The temporary name of a file that is being deleted: it identifies the file and its companions.
///
/// A killed process leaves the name behind. From the name the next process knows what to delete, and that it is the right file; a
/// remaining sidecar must not apply to the next photo of its name.
struct TransitName: Hashable {
    private static let prefix = ".idcard-"
    private static let suffix = ".gone"

    /// The marks of the file, then of its companions.
    private let marks: [String]

    /// Makes the name of a file and its companions in its folder.
    init(_ file: FileIdentity, with members: [FileIdentity]) { self.marks = ([file] + members).map(Self.mark) }

    private init?(_ name: String) {
        guard name.hasPrefix(Self.prefix), name.hasSuffix(Self.suffix) else { return nil }
        let marks = name.dropFirst(Self.prefix.count).dropLast(Self.suffix.count).split(separator: "-")
        guard !marks.isEmpty else { return nil }
        self.marks = marks.map(String.init)
    }

    var text: String { Self.prefix + self.marks.joined(separator: "-") + Self.suffix }

    /// Identifies a file in its folder.
    private static func mark(of file: FileIdentity) -> String {
        // Two's complement, for times before 1970.
        "\(file.inode).\(UInt64(bitPattern: file.modifiedNanoseconds))"
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

    private static func mark(of name: String, in folder: borrowing OpenFolder) throws(Errno) -> String? {
        guard let status = try folder.status(of: name), status.kind == .file else { return nil }
        return self.mark(of: FileIdentity(path: name, status))
    }
}
