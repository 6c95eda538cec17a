import CardModel
import Foundation
import Glibc

/// An open backup, and the lists of cards erased since. A process of root opens these files before it takes on the user of the
/// sandbox, who may have no right to read them.
package struct BackupFile: Sendable {
    let path: String
    private let file: FileHandle
    let erased: [[ErasureList.Entry]]

    /// Opens a backup.
    ///
    /// A backup is a single file. A database with a log beside it is refused: without the log it may lack the latest changes.
    ///
    /// - Throws: `CodedError` `not_found`, `not_a_backup`, `sandbox_damaged`; `erasures_unreadable`.
    package init(_ path: String, erasures: [String] = []) throws {
        guard let file = FileHandle(forReadingAtPath: path) else {
            throw CodedError(.notFound, .input, .restoreMissing(path))
        }
        let header = (try? file.read(upToCount: 32)) ?? Data()
        guard header.starts(with: Data("SQLite format 3\0".utf8)), header.count == 32, header[18] == 1, header[19] == 1,
            Database.suffixes.allSatisfy({ access(path + $0, F_OK) != 0 }), let length = try? file.seekToEnd()
        else { throw CodedError(ReasonCode(rawValue: "not_a_backup"), .input, .restoreNotBackup(path)) }
        // The header has the number of pages and their size, big-endian. Without this check, a truncated file would be reported
        // as a damaged sandbox.
        let pages = header[28..<32].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let whole = pages * (UInt64(header[16]) << 8 | UInt64(header[17]))
        guard length >= whole else { throw CodedError.damaged(.restoreCutShort(path, length, of: whole)) }
        self.path = path
        self.file = file
        self.erased = try erasures.map { try ErasureList(path: $0).entries() }
    }

    /// Copies the backup into a new file.
    func copy(to path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw SandboxFolder.failure(path) }
        let copy = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            try self.file.seek(toOffset: 0)
            while let bytes = try self.file.read(upToCount: 1 << 20), !bytes.isEmpty {
                try copy.write(contentsOf: bytes)
            }
        } catch {
            throw SandboxFolder.failure(path)
        }
    }
}
