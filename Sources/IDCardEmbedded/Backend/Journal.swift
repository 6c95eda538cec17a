import FoundationEssentials
import Glibc

/// A file of JSON lines that only grows; an appended line is durable when the call returns.
///
/// A crash can leave half a line at the end, or some lines of a group. Nobody was told of them, so opening cuts them
/// off. Any other line that cannot be read is an error: a ledger that forgets is worse than none. One process at a
/// time: the file is locked while it is open.
struct Journal<Entry: JournalEntry>: ~Copyable {
    private let descriptor: CInt
    private var length: Int
    private var isEnded = false

    /// Opens or makes a journal and reads its entries.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - folder: The folder it lies in.
    ///   - entries: Receives what it holds.
    /// - Throws: ``EmbeddedError``: `folderUnusable`, `folderInUse` or `ledgerDamaged`.
    init(path: String, folder: String, entries: inout [Entry]) throws(EmbeddedError) {
        let flags = O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW
        let descriptor = DurableFile.acting(on: path) { open(path, flags, 0o600) }
        guard descriptor >= 0 else { throw DurableFile.failure("cannot hold a journal", number: errno) }
        let length: Int
        do throws(EmbeddedError) {
            let bytes = try Self.readWholeLines(descriptor)
            let lines = try Self.decode(bytes)
            let whole = lines.lastIndex(where: \.entry.isLastOfGroup).map { $0 + 1 } ?? 0
            entries = lines.prefix(whole).map(\.entry)
            length = whole == 0 ? 0 : lines[whole - 1].end
            if length < bytes.count { try Self.cut(descriptor, to: length) }
            try DurableFile.syncFolder(folder)
        } catch {
            close(descriptor)
            throw error
        }
        self.descriptor = descriptor
        self.length = length
    }

    deinit {
        close(self.descriptor)
    }

    /// Adds the lines of one group and syncs them. After an error the journal is as it was.
    ///
    /// - Throws: ``EmbeddedError`` `folderUnusable`.
    mutating func append(_ group: [Entry]) throws(EmbeddedError) {
        guard !self.isEnded else {
            throw EmbeddedError(code: .folderUnusable, message: "The backend has ended; start it again.")
        }
        var lines: [UInt8] = []
        for entry in group {
            lines += try Self.encode(entry)
            lines.append(UInt8(ascii: "\n"))
        }
        do throws(EmbeddedError) {
            try DurableFile.append(lines, to: self.descriptor)
            guard fsync(self.descriptor) == 0 else { throw DurableFile.failure("cannot be synced", number: errno) }
        } catch {
            // Should this fail too, the half line is cut off at the next start.
            _ = ftruncate(self.descriptor, off_t(self.length))
            throw error
        }
        self.length += lines.count
    }

    /// Locks the file, cuts off half a line at its end, and reads it.
    private static func readWholeLines(_ descriptor: CInt) throws(EmbeddedError) -> [UInt8] {
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            throw EmbeddedError(
                code: .folderInUse,
                message: "Another backend keeps its documents in this folder; stop it or name another folder."
            )
        }
        var bytes = try self.readAll(descriptor)
        let whole = bytes.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        if whole < bytes.count { try self.cut(descriptor, to: whole) }
        bytes.removeSubrange(whole...)
        return bytes
    }

    /// Takes no more lines and lets another process have the file.
    ///
    /// Unlocking is not left to closing: a child process that is just being started holds a copy of the descriptor.
    mutating func end() {
        self.isEnded = true
        flock(self.descriptor, LOCK_UN)
    }

    private static func encode(_ entry: Entry) throws(EmbeddedError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return Array(try encoder.encode(entry))
        } catch {
            throw EmbeddedError(code: .ledgerDamaged, message: "An entry cannot be written as JSON.", cause: error)
        }
    }

    private static func cut(_ descriptor: CInt, to length: Int) throws(EmbeddedError) {
        guard ftruncate(descriptor, off_t(length)) == 0 else {
            throw DurableFile.failure("cannot repair a journal", number: errno)
        }
    }

    /// The entries, each with the place where its line ends.
    private static func decode(_ bytes: [UInt8]) throws(EmbeddedError) -> [(entry: Entry, end: Int)] {
        var entries: [(entry: Entry, end: Int)] = []
        for (index, line) in bytes.split(separator: UInt8(ascii: "\n")).enumerated() {
            do {
                entries.append((try JSONDecoder().decode(Entry.self, from: Data(line)), line.endIndex + 1))
            } catch {
                throw EmbeddedError(
                    code: .ledgerDamaged,
                    message: "Line \(index + 1) of a journal cannot be read; restore the backend's folder.",
                    cause: error
                )
            }
        }
        return entries
    }

    private static func readAll(_ descriptor: CInt) throws(EmbeddedError) -> [UInt8] {
        var result: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = pread(descriptor, &buffer, buffer.count, off_t(result.count))
            if count < 0 {
                let number = errno
                if number == EINTR { continue }
                throw DurableFile.failure("cannot be read", number: number)
            }
            if count == 0 { return result }
            result += buffer[..<count]
        }
    }
}
