package import CardModel
package import Dispatch
package import Foundation
import SystemPackage

/// Reads photos: the opened file must be the listed one.
package enum SourceFile {
    /// The threads for blocking calls: a call that never returns occupies its own thread, and none that other code needs.
    package static let threads = DispatchQueue(label: "files", attributes: .concurrent)

    /// Reads a whole file.
    ///
    /// - Parameters:
    ///   - identity: the file as it was listed; its path has no links.
    ///   - limit: the largest size that is accepted, in bytes (`imaging.max_source_bytes`).
    /// - Throws: `CodedError` with `source_unreadable`, `source_changed` or `image_too_large_bytes`.
    package static func read(_ identity: FileIdentity, limit: Int) throws(CodedError) -> Data {
        try self.reading(identity, limit: limit) { file throws(OpenFile.Failure) in try file.contents(limit: limit) }
    }

    /// Reads a whole file on a separate thread, since its file system may not answer and must not block others.
    ///
    /// - Throws: as `read`; `CancellationError`.
    package static func readApart(_ identity: FileIdentity, limit: Int) async throws -> Data {
        try await answer(on: { self.threads.async(execute: $0) }) { Result { try self.read(identity, limit: limit) } }
            .get()
    }

    /// Returns why a file without an image name is not an image, by its first bytes; `nil` if it is one.
    ///
    /// - Throws: as `read`.
    static func reasonNotAnImage(_ identity: FileIdentity) throws(CodedError) -> CodedError? {
        let count = InputLimits.sniffBytes
        let start = try self.reading(identity, limit: count) { file throws(OpenFile.Failure) in try file.head(count) }
        let format = ImageFormat.sniff(start)
        return format == .unknown ? format.refusal(start) : nil
    }

    /// Opens a file, checks that it is the listed one, and calls a body with it.
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
            // `ELOOP`: a link has replaced the file.
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
