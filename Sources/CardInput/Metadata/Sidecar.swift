import CardModel
import Foundation
import SystemPackage

/// The sidecar of an image: a JSON object in a file beside it, named after the whole file name, so `front.jpg.json` for
/// `front.jpg`.
///
/// Its keys are the columns of a manifest; `path` may be there and means nothing. It must be a regular file, not a
/// link.
enum Sidecar {
    /// What is put after the image's file name.
    static let suffix = ".json"

    /// Reads the sidecar of an image; `nil` if it has none.
    ///
    /// - Throws: `CodedError` with `sidecar_invalid`, or what is wrong with a field.
    static func fields(ofImage path: FilePath) throws(CodedError) -> SubmittedFields? {
        guard let data = try self.contents(ofImage: path) else { return nil }
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
            throw CodedError(error.code, error.kind, "its sidecar: " + error.message)
        }
    }

    private static func contents(ofImage path: FilePath) throws(CodedError) -> Data? {
        guard let sidecar = path.suffixed(self.suffix) else { return nil }
        do {
            let file = try OpenFile(sidecar, followingLinks: false)
            return try file.contents(limit: InputLimits.sidecarBytes)
        } catch {
            // Of a name that leaves no room for the suffix, there is no such file either.
            if case .system(let code) = error, code.isAbsence || code == .fileNameTooLong { return nil }
            throw self.invalid(error.words(limit: "\(InputLimits.sidecarBytes)"))
        }
    }

    private static func invalid(_ what: Message) -> CodedError {
        CodedError(.sidecarInvalid, .input, "its sidecar " + what + "; repair or remove it")
    }
}

// MARK: Names

extension Sidecar {
    /// The image whose sidecar a path names; `nil` if it is not named like one.
    static func image(of path: FilePath) -> FilePath? {
        guard let image = path.lastComponent.flatMap({ self.image(named: $0) }) else { return nil }
        return path.removingLastComponent().appending(image)
    }

    /// Whether a path is named like a sidecar and the image is there.
    static func belongs(_ path: FilePath) -> Bool {
        self.image(of: path).map { (try? $0.status(followingLinks: true)) != nil } ?? false
    }

    /// Whether a name is that of a sidecar of one of the names beside it.
    static func belongs(_ name: FilePath.Component, beside names: Set<FilePath.Component>) -> Bool {
        self.image(named: name).map { names.contains($0) } ?? false
    }

    private static func image(named sidecar: FilePath.Component) -> FilePath.Component? {
        let name = sidecar.text
        guard name.hasSuffix(self.suffix) else { return nil }
        return FilePath.Component(String(name.dropLast(self.suffix.count)))
    }
}
