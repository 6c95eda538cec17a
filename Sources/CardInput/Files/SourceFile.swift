package import CardModel
package import Foundation
import SystemPackage

/// Reads the photos of a list: what is opened is the very file that was listed.
package enum SourceFile {
    /// Reads a whole file.
    ///
    /// - Parameters:
    ///   - identity: the file as it was listed; its path leads over no link.
    ///   - limit: the largest size that is accepted, in bytes (`imaging.max_source_bytes`).
    /// - Throws: `CodedError` with `source_unreadable`, `source_changed` or `image_too_large_bytes`.
    package static func read(_ identity: FileIdentity, limit: Int) throws(CodedError) -> Data {
        let file = try self.open(identity)
        do {
            return try file.contents(limit: limit)
        } catch {
            throw self.error(error, limit: limit)
        }
    }

    static func head(_ identity: FileIdentity, count: Int) throws(CodedError) -> Data {
        let file = try self.open(identity)
        do {
            return try file.head(count)
        } catch {
            throw self.error(error, limit: count)
        }
    }

    private static func open(_ identity: FileIdentity) throws(CodedError) -> OpenFile {
        let path = identity.path.reveal()
        let file: OpenFile
        do {
            file = try OpenFile(FilePath(path), followingLinks: false)
        } catch {
            // A link has taken the place of the file.
            throw error == .system(.tooManySymbolicLinkLevels) ? self.replaced : self.error(error, limit: 0)
        }
        guard FileIdentity(path: path, file.status).isSame(as: identity) else { throw self.replaced }
        return file
    }

    private static func error(_ failure: OpenFile.Failure, limit: Int) -> CodedError {
        switch failure {
        case .system(let code): CodedError(.sourceUnreadable, .input, .sourceCannotRead(code.rawValue))
        case .notAFile: CodedError(.sourceUnreadable, .input, .inputNotRegular)
        case .tooLarge(let size): CodedError(.sourceTooLarge, .input, .sourceTooLarge(size, limit))
        case .changed: CodedError(.sourceChanged, .temporary, .sourceChanged)
        }
    }

    private static var replaced: CodedError {
        CodedError(.sourceChanged, .temporary, .sourceReplaced)
    }
}
