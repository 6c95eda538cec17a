import FoundationEssentials
import Glibc

extension EmbeddedBackend {
    /// Erases documents: their files go, their lines in the ledger keep neither a person's nor a case's data.
    ///
    /// No backend may be using the folder meanwhile. A folder that is not there holds nothing.
    ///
    /// - Parameters:
    ///   - places: The documents.
    ///   - folder: The backend's folder.
    /// - Returns: The documents that the ledger knows, erased now or before.
    /// - Throws: ``EmbeddedError``: `folderInUse`, `folderUnusable` or `ledgerDamaged`.
    package static func erase(
        _ places: [DocumentPlace],
        in folder: String
    ) throws(EmbeddedError) -> Set<DocumentPlace> {
        let path = folder + "/ledger.jsonl"
        guard !places.isEmpty, access(path, F_OK) == 0 else { return [] }
        var entries: [LedgerEntry] = []
        var ledger = try Journal(path: path, folder: folder, entries: &entries)
        defer { ledger.end() }
        let wanted = Set(places)
        var found: Set<DocumentPlace> = []
        var redacted: [LedgerEntry] = []
        var files: [String] = []
        for entry in entries {
            let place = DocumentPlace(key: entry.idempotencyKey, position: entry.position ?? 1)
            guard wanted.contains(place) else {
                redacted.append(entry)
                continue
            }
            found.insert(place)
            if !entry.file.isEmpty { files.append(entry.file) }
            redacted.append(entry.redacted)
        }
        // The files first: a ledger that names a file which is gone is put right by the next call.
        for file in files { try Self.remove(file, in: folder) }
        if redacted != entries { try Self.replace(path, with: redacted) }
        return found
    }

    private static func remove(_ file: String, in folder: String) throws(EmbeddedError) {
        let path = "\(folder)/\(file)"
        guard DurableFile.acting(on: path, { unlink(path) }) == 0 || errno == ENOENT else {
            throw DurableFile.failure("cannot lose a document", number: errno)
        }
        guard let slash = path.lastIndex(of: "/") else { return }
        let parent = String(path[..<slash])
        // Its name is a business number; it goes with its last document.
        if DurableFile.acting(on: parent, { rmdir(parent) }) == 0 {
            return try DurableFile.syncFolder(folder + "/documents")
        }
        guard access(parent, F_OK) == 0 else { return }
        try DurableFile.syncFolder(parent)
    }

    private static func replace(_ path: String, with entries: [LedgerEntry]) throws(EmbeddedError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var lines: [UInt8] = []
        for entry in entries {
            do {
                lines += Array(try encoder.encode(entry)) + [UInt8(ascii: "\n")]
            } catch {
                throw EmbeddedError(code: .ledgerDamaged, message: "An entry cannot be written as JSON.", cause: error)
            }
        }
        try DurableFile.write(lines, to: path)
    }
}

extension LedgerEntry {
    /// The line without anything of a person or a case; its place and the answer stay.
    fileprivate var redacted: LedgerEntry {
        LedgerEntry(
            sequence: self.sequence,
            time: self.time,
            idempotencyKey: self.idempotencyKey,
            position: self.position,
            businessNumber: "",
            documentType: self.documentType,
            userNumber: "",
            imageDigest: "",
            contentDigest: "",
            file: "",
            isOutOfOrder: self.isOutOfOrder,
            replyCode: self.replyCode,
            replyMessage: self.replyMessage,
            items: self.items,
            following: self.following
        )
    }
}
