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

    init(folder: String) { self.folder = folder }

    /// Appends what the database has and the export has not.
    mutating func append(from db: Database) throws {
        _ = try self.export(from: db, to: ("ledger.jsonl", "refusals.jsonl"))
    }

    /// Makes the export equal to the database.
    mutating func rebuild(from db: Database) throws {
        (self.sequence, self.refusal) = (0, 0)
        let names = ["ledger.jsonl", "refusals.jsonl"]
        for name in names { try self.open("\(name).part", [.create, .truncate]).close() }
        try self.removeImages(except: try self.export(from: db, to: ("ledger.jsonl.part", "refusals.jsonl.part")))
        for name in names {
            guard rename("\(self.folder)/\(name).part", "\(self.folder)/\(name)") == 0 else {
                throw Errno(rawValue: errno)
            }
        }
    }

    /// Appends what was not exported, an image before its line.
    ///
    /// - Returns: the names of the images.
    private mutating func export(from db: Database, to names: (ledger: String, refusals: String)) throws -> Set<String>
    {
        var files: Set<String> = []
        let documents = try Row.fetchCursor(db, sql: LedgerLine.documents, arguments: [self.sequence])
        while let row = try documents.next() {
            if let file = LedgerLine.file(row) {
                try self.exportImage(of: row, to: file, from: db)
                files.insert(file)
            }
            try self.append(try LedgerLine.document(row), to: names.ledger)
            self.sequence = row["sequence"]
        }
        let refusals = try Row.fetchCursor(db, sql: LedgerLine.refusals, arguments: [self.refusal])
        while let row = try refusals.next() {
            try self.append(try LedgerLine.refusal(row), to: names.refusals)
            self.refusal = row["id"]
        }
        return files
    }

    private func append(_ line: JSON, to name: String) throws {
        let file = try self.open(name, [.create, .append])
        // One write, so that a reader sees a whole line or the beginning of one.
        try file.closeAfter { _ = try file.writeAll(try line.bytes() + [UInt8(ascii: "\n")]) }
    }

    /// Writes the image of a document, unless it is there whole.
    private func exportImage(of row: Row, to name: String, from db: Database) throws {
        if let bytes = try? Data(contentsOf: URL(filePath: "\(self.folder)/\(name)")),
            Hexadecimal.text(SHA256.hash(data: bytes)) == row["image_sha256"]
        {
            return
        }
        let parts = name.split(separator: "/")
        try self.makeFolder(String(parts[0]))
        try self.makeFolder(parts[0...1].joined(separator: "/"))
        let sql = "SELECT image FROM document WHERE sequence = ?"
        let image = try Data.fetchOne(db, sql: sql, arguments: [row["sequence"] as Int])
        let file = try self.open(name, [.create, .truncate])
        try file.closeAfter { _ = try file.writeAll(image ?? Data()) }
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
