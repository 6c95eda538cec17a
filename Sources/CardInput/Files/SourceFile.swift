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
        let words = failure.words(limit: "the \(limit) of imaging.max_source_bytes")
        return switch failure {
        case .system: CodedError(.sourceUnreadable, .input, "the file " + words + "; make it readable and run again")
        case .notAFile: CodedError(.sourceUnreadable, .input, "this " + words + "; name the file of the photo")
        case .tooLarge:
            CodedError(.sourceTooLarge, .input, "the file " + words + "; save the photo smaller, or raise that limit")
        case .changed: CodedError(.sourceChanged, .temporary, "the file " + words + "; run again")
        }
    }

    private static var replaced: CodedError {
        CodedError(.sourceChanged, .temporary, "the file is not the one that was listed; run again")
    }
}
