import Crypto
import FoundationEssentials
import GRDB
import Glibc
import SystemPackage

/// What people and scripts read: `ledger.jsonl`, `refusals.jsonl`, and the images in `documents`.
///
/// The export follows the database: what was committed is appended after the commit and before the answer, and at each
/// start, and after an erasure, all of it is made equal to the database. So nothing here needs to be durable, and a
/// kill at any point leaves no image that the database does not have for longer than until the next start.
struct LedgerExport {
    private let folder: String
    /// The highest number of an exported document, and of an exported refusal.
    private var (sequence, refusal) = (0, 0)

    init(folder: String) {
        self.folder = folder
    }

    /// Appends what the database has and the export has not; an image comes before its line.
    mutating func append(from db: Database) throws {
        let entries = try Row.fetchCursor(db, sql: LedgerEntry.query, arguments: [self.sequence])
        while let row = try entries.next() {
            let entry = try LedgerEntry(row: row)
            try self.exportImage(of: entry, from: db)
            try self.appendLine(entry, to: "ledger.jsonl")
            self.sequence = entry.sequence
        }
        let refusals = try Row.fetchCursor(db, sql: RefusalEntry.query, arguments: [self.refusal])
        while let row = try refusals.next() {
            try self.appendLine(try RefusalEntry(row: row), to: "refusals.jsonl")
            self.refusal = row["id"]
        }
    }

    /// Makes the export equal to the database.
    mutating func rebuild(from db: Database) throws {
        var lines: [UInt8] = []
        var files: Set<String> = []
        let entries = try Row.fetchCursor(db, sql: LedgerEntry.query, arguments: [0])
        while let row = try entries.next() {
            let entry = try LedgerEntry(row: row)
            try self.exportImage(of: entry, from: db)
            files.insert(entry.file)
            lines += try Self.line(entry)
            self.sequence = entry.sequence
        }
        try self.removeImages(except: files)
        try self.replace("ledger.jsonl", with: lines)
        lines = []
        let refusals = try Row.fetchCursor(db, sql: RefusalEntry.query, arguments: [0])
        while let row = try refusals.next() {
            lines += try Self.line(try RefusalEntry(row: row))
            self.refusal = row["id"]
        }
        try self.replace("refusals.jsonl", with: lines)
    }

    private static func line(_ entry: some Encodable) throws -> [UInt8] {
        Array(try JSONEncoder.sorted.encode(entry)) + [UInt8(ascii: "\n")]
    }

    private func appendLine(_ entry: some Encodable, to name: String) throws {
        let file = try self.open(name, [.create, .append])
        // One write, so that a reader sees a whole line or the beginning of one.
        try file.closeAfter { _ = try file.writeAll(try Self.line(entry)) }
    }

    private func replace(_ name: String, with bytes: [UInt8]) throws {
        let temporary = name + ".part"
        let file = try self.open(temporary, [.create, .truncate])
        try file.closeAfter { _ = try file.writeAll(bytes) }
        guard rename("\(self.folder)/\(temporary)", "\(self.folder)/\(name)") == 0 else {
            throw Errno(rawValue: errno)
        }
    }

    /// Writes the image of a document, unless it is there whole.
    private func exportImage(of entry: LedgerEntry, from db: Database) throws {
        guard !entry.file.isEmpty, try !self.isExported(entry) else { return }
        let parts = entry.file.split(separator: "/")
        try self.makeFolder(String(parts[0]))
        try self.makeFolder(parts[0...1].joined(separator: "/"))
        let image = try Data.fetchOne(
            db,
            sql: "SELECT image FROM document WHERE sequence = ?",
            arguments: [entry.sequence]
        )
        let file = try self.open(entry.file, [.create, .truncate])
        try file.closeAfter { _ = try file.writeAll(image ?? Data()) }
    }

    private func isExported(_ entry: LedgerEntry) throws -> Bool {
        guard let bytes = try? Data(contentsOf: URL(filePath: "\(self.folder)/\(entry.file)")) else { return false }
        return Hexadecimal.text(SHA256.hash(data: bytes)) == entry.imageDigest
    }

    /// Removes images that the database does not have, and folders that become empty: their names are business numbers.
    private func removeImages(except files: Set<String>) throws {
        try self.makeFolder("documents")
        let manager = FileManager.default
        for folder in try manager.contentsOfDirectory(atPath: "\(self.folder)/documents") {
            let path = "documents/\(folder)"
            guard let names = try? manager.contentsOfDirectory(atPath: "\(self.folder)/\(path)") else { continue }
            for name in names where name.hasPrefix("IDCARD_") && !files.contains("\(path)/\(name)") {
                guard unlink("\(self.folder)/\(path)/\(name)") == 0 else { throw Errno(rawValue: errno) }
            }
            rmdir("\(self.folder)/\(path)")
        }
    }

    private func open(_ name: String, _ options: FileDescriptor.OpenOptions) throws -> FileDescriptor {
        try FileDescriptor.open(
            FilePath("\(self.folder)/\(name)"),
            .writeOnly,
            options: options.union([.noFollow, .closeOnExec]),
            permissions: .ownerReadWrite
        )
    }

    private func makeFolder(_ name: String) throws {
        guard mkdir("\(self.folder)/\(name)", 0o700) == 0 || errno == EEXIST else { throw Errno(rawValue: errno) }
    }
}

/// Turns a text from outside into the name of one folder, never a path and never another's name.
enum FolderName {
    /// Makes a name.
    ///
    /// ASCII letters, digits, `-`, `_` and inner dots stay; every other byte becomes `%` and two hexadecimal digits, so
    /// two texts never share a name. A name that would be too long is cut and ends with `~` and the text's SHA-256.
    static func sanitized(_ text: String) -> String {
        var name: [UInt8] = []
        for byte in text.utf8 {
            let character = Unicode.Scalar(byte)
            let isPlain = character.isASCII && (character.properties.isAlphabetic || (0x30...0x39).contains(byte))
            let isSign = "-_.".utf8.contains(byte) && !(byte == UInt8(ascii: ".") && name.isEmpty)
            if isPlain || isSign {
                name.append(byte)
            } else {
                name += Array("%\(Hexadecimal.text(CollectionOfOne(byte)))".utf8)
            }
        }
        guard name.count > Limits.folderNameBytes else { return String(decoding: name, as: UTF8.self) }
        let digest = Hexadecimal.text(SHA256.hash(data: Array(text.utf8)))
        return String(decoding: name.prefix(Limits.folderNameBytes - digest.count - 1), as: UTF8.self) + "~" + digest
    }
}
