import FoundationEssentials
import Glibc
import SystemPackage

/// The files of a backend: `ledger.jsonl` with a line for each stored document, `refusals.jsonl` with one for each
/// refused upload, and the images in `documents`.
///
/// An image is durable before its line, and the lines of an upload before its answer. So a kill at any point leaves
/// images without a line, or a part of the last lines, and the next start removes both. Only one process at a time can
/// open the folder.
struct LedgerFolder: Sendable {
    typealias Contents = (documents: [LedgerLine], refusals: [UploadLine])

    private static let (ledger, refusals, documents) = ("ledger.jsonl", "refusals.jsonl", "documents")

    private let path: String
    /// The locked folder; a lock on the ledger would be lost when that file is replaced.
    private let lock: FileDescriptor

    /// Whether a backend has ever used a folder.
    static func exists(_ path: String) -> Bool { access("\(path)/\(Self.ledger)", F_OK) == 0 }

    /// Opens or creates a folder, exclusively for this process.
    ///
    /// - Throws: ``EmbeddedError``: `folderUnusable` or `folderInUse`.
    static func open(_ path: String) throws(EmbeddedError) -> (folder: Self, contents: Contents) {
        var opened: Self?
        do {
            try Self.makeFolder(path)
            let folder = Self(path: path, lock: try Self.openFolder(path))
            opened = folder
            return (folder, try folder.lockAndRead())
        } catch {
            opened?.close()
            throw EmbeddedError(folder: error)
        }
    }

    /// Unlocks and closes the folder.
    func close() {
        // Unlocked first: a child that has not started its program yet shares the descriptor.
        flock(self.lock.rawValue, LOCK_UN)
        // If this fails, the descriptor is closed when the process exits.
        try? self.lock.close()
    }

    /// Stores the documents of an upload, each with its image.
    func store(_ lines: [LedgerLine], with images: [Data]) throws {
        for (file, image) in zip(lines.map(\.document.file), images) {
            let folder = file.split(separator: "/").dropLast().joined(separator: "/")
            try Self.makeFolder("\(self.path)/\(folder)")
            try self.write(image, to: file, .truncate)
            for name in [folder, Self.documents] {
                let folder = try Self.openFolder("\(self.path)/\(name)")
                try folder.closeAfter { try Self.check(fsync(folder.rawValue)) }
            }
        }
        try self.write(Self.bytes(of: lines), to: Self.ledger, .append)
    }

    /// Stores that an upload was refused.
    func store(_ refusal: UploadLine) throws {
        try self.write(Self.bytes(of: [refusal]), to: Self.refusals, .append)
    }

    /// Erases documents of a ledger that has these lines, and their images.
    func erase(_ documents: [(key: String, position: Int)], from lines: [LedgerLine]) throws {
        let positions = Dictionary(grouping: documents, by: \.key).mapValues { $0.map(\.position) }
        let updated = lines.map { line in
            positions[line.upload.key]?.contains(line.document.position) == true ? line.erased : line
        }
        guard updated.count(where: \.document.isErased) > lines.count(where: \.document.isErased) else { return }
        try self.write(Self.bytes(of: updated), to: "\(Self.ledger).part", .truncate)
        try Self.check(rename("\(self.path)/\(Self.ledger).part", "\(self.path)/\(Self.ledger)"))
        try Self.check(fsync(self.lock.rawValue))
        try self.removeImages(except: updated)
    }

    /// Locks the folder, reads its lines, and removes the remains of a killed process.
    private func lockAndRead() throws -> Contents {
        guard flock(self.lock.rawValue, LOCK_EX | LOCK_NB) == 0 else {
            throw errno == EWOULDBLOCK ? EmbeddedError.folderInUse : Errno(rawValue: errno)
        }
        // Without a ledger, opening would remove all images.
        guard Self.exists(self.path) || access("\(self.path)/\(Self.documents)", F_OK) != 0 else {
            throw EmbeddedError.folderForeign(Self.documents, without: Self.ledger)
        }
        let documents: [LedgerLine] = try self.lines(of: Self.ledger) { ($0.document.following ?? 0) == 0 }
        let refusals: [UploadLine] = try self.lines(of: Self.refusals) { _ in true }
        try Self.makeFolder("\(self.path)/\(Self.documents)")
        try Self.check(fsync(self.lock.rawValue))
        try self.removeImages(except: documents)
        return (documents, refusals)
    }

    /// Returns the lines of a file, up to the last line that can end an upload; creates a missing file. Later lines
    /// were never answered and are cut off.
    private func lines<Line: Decodable>(of name: String, upTo isEnd: (Line) -> Bool) throws -> [Line] {
        try self.write(Data(), to: name, .append)
        let bytes = try Data(contentsOf: URL(filePath: "\(self.path)/\(name)"))
        let texts = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast()
        let decoder = JSONDecoder()
        var lines = try texts.enumerated().map { index, text in
            do { return try decoder.decode(Line.self, from: text) } catch {
                throw EmbeddedError.lineUnreadable(index + 1, of: name)
            }
        }
        while let last = lines.last, !isEnd(last) { lines.removeLast() }
        let length = lines.isEmpty ? 0 : texts[lines.count - 1].endIndex + 1
        if length < bytes.count { try Self.check(truncate("\(self.path)/\(name)", length)) }
        return lines
    }

    /// Removes images without a line, and folders that become empty: their names are business numbers.
    private func removeImages(except lines: [LedgerLine]) throws {
        let files = Set(lines.map(\.document.file))
        let manager = FileManager.default
        for folder in try manager.contentsOfDirectory(atPath: "\(self.path)/\(Self.documents)") {
            let path = "\(Self.documents)/\(folder)"
            let names = try? manager.contentsOfDirectory(atPath: "\(self.path)/\(path)")
            for name in names ?? [] where name.hasPrefix("IDCARD_") && !files.contains("\(path)/\(name)") {
                try Self.check(unlink("\(self.path)/\(path)/\(name)"))
            }
            rmdir("\(self.path)/\(path)")
        }
    }

    /// Rewrites or appends to a file durably: all bytes or none.
    private func write(_ bytes: Data, to name: String, _ option: FileDescriptor.OpenOptions) throws {
        let file = try FileDescriptor.open(
            FilePath("\(self.path)/\(name)"),
            .writeOnly,
            options: [.create, option, .noFollow, .closeOnExec],
            permissions: .ownerReadWrite
        )
        try file.closeAfter {
            let length = try file.seek(offset: 0, from: .end)
            do {
                // One write, so that a reader sees whole lines or the beginning of one.
                try file.writeAll(bytes)
                try Self.check(fsync(file.rawValue))
            } catch {
                // If this fails, too, the next start finds the incomplete line and cuts it off or reports it.
                try? file.resize(to: length)
                throw error
            }
        }
    }

    private static func openFolder(_ path: String) throws -> FileDescriptor {
        try FileDescriptor.open(FilePath(path), .readOnly, options: [.directory, .closeOnExec])
    }

    private static func bytes(of lines: [some Encodable]) throws -> Data {
        try lines.reduce(into: Data()) { $0 += try $1.jsonBytes() + Data("\n".utf8) }
    }

    /// Creates a folder and its parents, for the owner only.
    private static func makeFolder(_ path: String) throws {
        var made = path.hasPrefix("/") ? "/" : ""
        for name in path.split(separator: "/") {
            made += "\(name)/"
            try self.check(mkdir(made, 0o700), unless: EEXIST)
        }
    }

    private static func check(_ status: CInt, unless allowed: CInt = 0) throws {
        guard status == 0 || errno == allowed else { throw Errno(rawValue: errno) }
    }
}
