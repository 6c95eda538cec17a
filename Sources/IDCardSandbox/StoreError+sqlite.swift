import Foundation
import GRDB
import IDCardPipeline

extension StoreError {
    /// Returns the error that the engine sees for an error below: the one place where SQLite's codes are read.
    static func translating(_ error: any Error) -> any Error {
        guard let error = error as? DatabaseError else { return error }
        return StoreError(error)
    }

    /// The error for a change that found no room.
    static func diskIsFull(because cause: (any Error)?) -> StoreError {
        StoreError(.diskFull, Self.fullWords, cause: cause)
    }

    private static let fullWords = "the disk of the sandbox is full; free some space, nothing was changed"

    private init(_ error: DatabaseError) {
        let (code, message) = Self.meaning(of: error)
        self.init(code, message, cause: error)
    }

    private static func meaning(of error: DatabaseError) -> (Code, String) {
        switch error.resultCode {
        case .SQLITE_FULL:
            (.diskFull, Self.fullWords)
        case .SQLITE_IOERR where error.isFailedSync:
            (.unavailable, "the disk of the sandbox failed to store data durably; check the disk, then start again")
        case .SQLITE_IOERR:
            (.unavailable, "the disk of the sandbox failed to read or write; check the disk and its free space")
        case .SQLITE_BUSY, .SQLITE_LOCKED:
            (.unavailable, "another process kept the sandbox locked for too long; end it or wait, then try again")
        case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_AUTH:
            // SQLite opens for reading what cannot be opened for writing, and does not say why it cannot.
            (
                .unavailable,
                "the sandbox may not be written; check the owner and the mode of its files, and whether the disk is full"
            )
        case .SQLITE_CANTOPEN:
            (
                .unavailable,
                "the sandbox cannot be opened; check that its directory exists and belongs to you, and whether the disk is full"
            )
        case .SQLITE_NOMEM:
            (.unavailable, "there is not enough memory to work on the sandbox")
        case .SQLITE_MISUSE, .SQLITE_INTERRUPT, .SQLITE_ABORT:
            (.unavailable, "the sandbox is closed or being closed")
        case .SQLITE_CORRUPT, .SQLITE_NOTADB:
            (
                .corrupt,
                "the file of the sandbox is damaged, or the disk failed to read it; check the disk and run `idcard-pipeline fsck`: restore a backup only if it finds damage"
            )
        case .SQLITE_CONSTRAINT:
            (.corrupt, "a change breaks a rule of the sandbox and was not made; please report this")
        default:
            (
                .unavailable,
                "the database of the sandbox refused to work (SQLite code \(error.extendedResultCode.rawValue))"
            )
        }
    }
}

extension DatabaseError {
    /// Whether data may or may not have reached the disk: after this the state of the file is unknown until it is
    /// opened again.
    var isFailedSync: Bool {
        [.SQLITE_IOERR_FSYNC, .SQLITE_IOERR_DIR_FSYNC].contains(self.extendedResultCode)
    }
}
