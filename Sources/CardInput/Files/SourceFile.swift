package import CardModel
package import Dispatch
package import Foundation
import SystemPackage

/// Reads the photos of a list: what is opened is the very file that was listed.
package enum SourceFile {
    /// The threads for what blocks: as many as there are calls that do not answer, and none of those that others need.
    package static let threads = DispatchQueue(label: "files", attributes: .concurrent)

    /// Reads a whole file.
    ///
    /// - Parameters:
    ///   - identity: the file as it was listed; its path leads over no link.
    ///   - limit: the largest size that is accepted, in bytes (`imaging.max_source_bytes`).
    /// - Throws: `CodedError` with `source_unreadable`, `source_changed` or `image_too_large_bytes`.
    package static func read(_ identity: FileIdentity, limit: Int) throws(CodedError) -> Data {
        try self.reading(identity, limit: limit) { file throws(OpenFile.Failure) in try file.contents(limit: limit) }
    }

    /// Reads a whole file on a thread of its own: its file system may not answer, and others go on then.
    ///
    /// - Throws: as `read`; `CancellationError`.
    package static func readApart(_ identity: FileIdentity, limit: Int) async throws -> Data {
        try await answer(on: { self.threads.async(execute: $0) }) { Result { try self.read(identity, limit: limit) } }
            .get()
    }

    /// Says by the first bytes of a file whose name claims no image why it is none; `nil` if it is one.
    ///
    /// - Throws: as `read`.
    static func reasonNotAnImage(_ identity: FileIdentity) throws(CodedError) -> CodedError? {
        let count = InputLimits.sniffBytes
        let start = try self.reading(identity, limit: count) { file throws(OpenFile.Failure) in try file.head(count) }
        let format = ImageFormat.sniff(start)
        return format == .unknown ? format.refusal(start) : nil
    }

    private static func reading(
        _ identity: FileIdentity,
        limit: Int,
        _ body: (borrowing OpenFile) throws(OpenFile.Failure) -> Data
    ) throws(CodedError) -> Data {
        let path = identity.path.reveal()
        do throws(OpenFile.Failure) {
            let file = try OpenFile(FilePath(path), followingLinks: false)
            if FileIdentity(path: path, file.status).isSame(as: identity) { return try body(file) }
        } catch {
            // A link has taken the place of the file.
            if error != .system(.tooManySymbolicLinkLevels) { throw self.error(error, limit: limit) }
        }
        throw CodedError(.sourceChanged, .temporary, .sourceReplaced)
    }

    private static func error(_ failure: OpenFile.Failure, limit: Int) -> CodedError {
        switch failure {
        case .system(let code): CodedError(.sourceUnreadable, .input, .sourceCannotRead(code.rawValue))
        case .notAFile: CodedError(.sourceUnreadable, .input, .inputNotRegular)
        case .tooLarge(let size): CodedError(.sourceTooLarge, .input, .sourceTooLarge(size, limit))
        case .changed: CodedError(.sourceChanged, .temporary, .sourceChanged)
        }
    }
}
