import FoundationEssentials
import Glibc
import SystemPackage

/// The files of a backend: `ledger.jsonl` with a line for each stored document, `refusals.jsonl` with one for each
/// refused upload, and the images in `documents`.
///
/// An image is durable before its line, and the lines of an upload before its answer. So a kill at any point leaves
/// images without a line, a part of the last lines, or a new file that replaces none yet, and the next start removes
/// them. Only one process at a time can open the folder.
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
            for name in [folder, Self.documents] { try self.flush(name) }
        }
        try self.write(Self.bytes(of: lines), to: Self.ledger, .append)
    }

    func store(_ refusal: UploadLine) throws {
        try self.write(Self.bytes(of: [refusal]), to: Self.refusals, .append)
    }

    /// Erases documents: their images, and their data in the lines of the folder.
    func erase(_ documents: [(key: String, position: Int)], from contents: Contents) throws {
        let positions = Dictionary(grouping: documents, by: \.key).mapValues { $0.map(\.position) }
        var (lines, refusals) = contents
        // A refused upload leaves nothing but its digest.
        for index in refusals.indices where positions[refusals[index].key] != nil { refusals[index].digest = "" }
        for (index, line) in lines.enumerated()
        where positions[line.upload.key]?.contains(line.document.position) == true { lines[index] = line.erased }
        try self.replace(Self.refusals, by: Self.bytes(of: refusals))
        try self.replace(Self.ledger, by: Self.bytes(of: lines))
        try self.removeImages(except: lines)
    }

    /// Locks the folder, reads its lines, and removes the remains of a killed process.
    private func lockAndRead() throws -> Contents {
        guard flock(self.lock.rawValue, LOCK_EX | LOCK_NB) == 0 else {
            throw errno == EWOULDBLOCK ? EmbeddedError.folderInUse : Errno(rawValue: errno)
        }
        // Refuse a folder of images without a ledger: opening it would remove all images.
        guard Self.exists(self.path) || access("\(self.path)/\(Self.documents)", F_OK) != 0 else {
            throw EmbeddedError.folderForeign(Self.documents, without: Self.ledger)
        }
        let documents: [LedgerLine] = try self.lines(of: Self.ledger, by: \.id) { ($0.document.following ?? 0) == 0 }
        let refusals: [UploadLine] = try self.lines(of: Self.refusals, by: \.key) { _ in true }
        try Self.makeFolder("\(self.path)/\(Self.documents)")
        try Self.check(fsync(self.lock.rawValue))
        try self.removeImages(except: documents)
        return (documents, refusals)
    }

    /// Repairs a file after a crash, and returns its lines; creates a missing file.
    ///
    /// Removes what follows the last line that can end an upload: that upload was never answered. Of two lines with one id it
    /// keeps the later one: the write of the first had failed, and the upload was sent again.
    private func lines<Line: Decodable>(
        of name: String,
        by id: (Line) -> String,
        upTo isEnd: (Line) -> Bool
    ) throws -> [Line] {
        try Self.check(unlink("\(self.path)/\(name).part"), unless: ENOENT)
        try self.write(Data(), to: name, .append)
        let texts = try self.bytes(of: name).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let decoder = JSONDecoder()
        var (lines, ids): ([(text: Data, line: Line)], Set<String>) = ([], [])
        for (index, text) in texts.dropLast().enumerated() {
            guard let line = try? decoder.decode(Line.self, from: text) else {
                throw EmbeddedError.lineUnreadable(index + 1, of: name)
            }
            // Of two lines of one id the last was answered: the first was written, but could neither be flushed nor removed.
            if !ids.insert(id(line)).inserted { lines.removeAll { id($0.line) == id(line) } }
            lines.append((text, line))
        }
        while let last = lines.last, !isEnd(last.line) { lines.removeLast() }
        try self.replace(name, by: lines.reduce(into: Data()) { $0 += $1.text + Data("\n".utf8) })
        return lines.map(\.line)
    }

    /// Removes images without a line, and folders that become empty: their names are business numbers.
    private func removeImages(except lines: [LedgerLine]) throws {
        let files = Set(lines.map(\.document.file))
        let manager = FileManager.default
        for folder in try manager.contentsOfDirectory(atPath: "\(self.path)/\(Self.documents)") {
            let path = "\(Self.documents)/\(folder)"
            let names = (try? manager.contentsOfDirectory(atPath: "\(self.path)/\(path)")) ?? []
            let withoutLine = names.filter { $0.hasPrefix("IDCARD_") && !files.contains("\(path)/\($0)") }
            for name in withoutLine { try Self.check(unlink("\(self.path)/\(path)/\(name)")) }
            let isRemoved = rmdir("\(self.path)/\(path)") == 0
            if isRemoved || !withoutLine.isEmpty { try self.flush(isRemoved ? Self.documents : path) }
        }
    }

    /// Replaces a file that has other bytes: a kill leaves the old file or the new one.
    private func replace(_ name: String, by bytes: Data) throws {
        guard try bytes != self.bytes(of: name) else { return }
        try self.write(bytes, to: "\(name).part", .truncate)
        try Self.check(rename("\(self.path)/\(name).part", "\(self.path)/\(name)"))
        try Self.check(fsync(self.lock.rawValue))
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

    /// Makes the names in a folder durable.
    private func flush(_ name: String) throws {
        let folder = try Self.openFolder("\(self.path)/\(name)")
        try folder.closeAfter { try Self.check(fsync(folder.rawValue)) }
    }

    private func bytes(of name: String) throws -> Data { try Data(contentsOf: URL(filePath: "\(self.path)/\(name)")) }

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
