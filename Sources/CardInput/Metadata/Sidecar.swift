import CardModel
import Foundation
import SystemPackage

/// The sidecar of an image: a JSON object in a file beside it, named after the whole file name, so `front.jpg.json` for
/// `front.jpg`; upper and lower case do not matter.
///
/// Its keys are the columns of a manifest; `path` may be there and means nothing. It must be a regular file, not a
/// link.
enum Sidecar {
    /// Where the sidecar of a photo is.
    enum Place {
        /// Beside the photo, if it has one.
        case beside
        /// At this real path.
        case at(FilePath)
        case missing
    }

    /// What is put after the image's file name.
    static let suffix = ".json"

    /// Reads a sidecar; `nil` if it is not there.
    ///
    /// - Throws: `CodedError` with `sidecar_invalid`, or what is wrong with a field.
    static func fields(at path: FilePath) throws(CodedError) -> SubmittedFields? {
        guard let data = try self.contents(at: path) else { return nil }
        let record: Record
        do {
            record = try JSONRecord.record(in: TableText.withoutByteOrderMark(data))
        } catch {
            throw self.invalid(error.message)
        }
        do throws(CodedError) {
            guard record.duplicates.isEmpty else { throw record.duplicate }
            return try SubmittedFields(record.fields)
        } catch {
            throw CodedError(error.code, error.kind, .sidecarField(error.message))
        }
    }

    private static func contents(at path: FilePath) throws(CodedError) -> Data? {
        do {
            return try OpenFile(path, followingLinks: false).contents(limit: InputLimits.sidecarBytes)
        } catch {
            // Of a name that leaves no room for the suffix, there is no such file either.
            if case .system(let code) = error, code.isAbsence || code == .fileNameTooLong { return nil }
            throw self.invalid(error.message(limit: InputLimits.sidecarBytes))
        }
    }

    private static func invalid(_ reason: Message) -> CodedError {
        CodedError(.sidecarInvalid, .input, .sidecarUnusable(reason))
    }

    // MARK: Names

    /// The name of the one sidecar that lies beside a photo, if any.
    ///
    /// - Throws: `sidecar_invalid` if there are several, or if something looks like its sidecar and is none.
    static func name(_ match: SidecarNames.Match) throws(CodedError) -> String? {
        if let stray = match.strays.first {
            throw CodedError(.sidecarInvalid, .input, .sidecarName(stray))
        }
        guard match.names.count < 2 else {
            throw CodedError(.sidecarInvalid, .input, .sidecarTwice(match.names.joined(separator: ", ")))
        }
        return match.names.first
    }

    /// The image whose sidecar a path names; `nil` if it is not named like one.
    static func image(of path: FilePath) -> FilePath? {
        guard let image = self.base(of: path.name).flatMap({ FilePath.Component($0) }) else { return nil }
        return path.removingLastComponent().appending(image)
    }

    /// Whether a path is named like a sidecar and the image is there.
    static func belongs(_ path: FilePath) -> Bool {
        self.image(of: path).map { (try? $0.status(followingLinks: true)) != nil } ?? false
    }

    /// The name that a sidecar is named after; `nil` if the name is not that of one.
    static func base(of name: String) -> String? {
        let suffix = name.utf8.suffix(self.suffix.utf8.count)
        guard suffix.count < name.utf8.count, String(Substring(suffix)).lowercased() == self.suffix else { return nil }
        return String(Substring(name.utf8.dropLast(suffix.count)))
    }
}
