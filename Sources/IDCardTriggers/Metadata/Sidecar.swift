import Foundation
import Glibc

/// The sidecar of an image: a JSON object in a file beside it, named after the whole file name, so `front.jpg.json` for
/// `front.jpg`.
///
/// Its keys are the columns of a manifest; `path` may be there and means nothing. It must be a regular file, not a
/// link.
enum Sidecar {
    /// What is put after the image's file name.
    static let suffix = ".json"

    /// Why a sidecar that exists was not used.
    struct Problem: Error, Hashable {
        /// A sentence without names and values.
        var message: String
    }

    /// Reads the sidecar of an image; `nil` if it has none.
    static func fields(ofImage path: String, limit: Int) throws(Problem) -> MetadataFields? {
        let data: Data
        do {
            data = try BoundedFile.contents(of: path + self.suffix, limit: limit, followingLinks: false)
        } catch {
            switch error {
            case .system(let failure) where failure.isAbsence: return nil
            // The image's name leaves no room for a suffix, so there is no such file.
            case .system(SystemFailure(code: ENAMETOOLONG)): return nil
            case .system(let failure):
                throw Problem(message: "its sidecar cannot be read (\(failure)); repair or remove it")
            case .notAFile: throw Problem(message: "its sidecar is not a file; repair or remove it")
            case .tooLarge: throw Problem(message: "its sidecar has more than \(limit) bytes; repair or remove it")
            }
        }
        do {
            return try MetadataFields(texts: JSONRecord.texts(in: data.withoutByteOrderMark))
        } catch let problem as JSONRecord.Problem {
            throw Problem(message: "its sidecar \(problem.words); repair or remove it")
        } catch let problem as MetadataFields.Problem {
            throw Problem(message: "its sidecar \(problem.words); repair or remove it")
        } catch {
            throw Problem(message: "its sidecar cannot be understood; repair or remove it")
        }
    }

    /// Whether a path is named like a sidecar and the image is there.
    static func isSidecar(_ path: String) -> Bool {
        guard let image = PathText.name(path, without: self.suffix), !PathText.name(of: image).isEmpty else {
            return false
        }
        return (try? FileKind.of(image, followingLinks: true)) != nil
    }
}
