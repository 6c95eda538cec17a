import Foundation
import IDCardMultipartForm

/// What a dialect's request holds beside the credentials, and where it goes.
struct DialectForm: Sendable {
    /// The path that is appended to a URL without one.
    let path: String
    /// The name of the file part.
    let imagePart: String
    /// The text parts that change what is read, in order.
    let options: [(name: String, value: String)]
    /// What the service takes as an image.
    let limits: VerificationLimits

    /// The options in words: part of the key under which readings are kept. Credentials are no part of it, nor is the
    /// clock.
    var parameters: String { self.options.map { "\($0.name)=\($0.value)" }.joined(separator: "&") }

    /// Makes the form of one photo.
    ///
    /// The file name is made up, so that none of the user's goes out.
    ///
    /// - Parameters:
    ///   - jpeg: the photo.
    ///   - credentials: the parts that say who asks.
    ///   - boundaryKey: what the boundary is derived from. A signature differs from attempt to attempt, but the
    ///     boundary does not: it holds a dash, and no Base64 does, so that a signature never makes a boundary collide.
    /// - Throws: `MultipartFormError` with the code `boundary_collision`.
    func form(
        _ jpeg: Data,
        credentials: [MultipartForm.Part],
        boundaryKey: String
    ) throws(MultipartFormError) -> MultipartForm {
        var parts = credentials
        parts += self.options.map { .text($0.value, name: $0.name) }
        parts.append(.file(.bytes(jpeg), name: self.imagePart, filename: "idcard.jpg", contentType: "image/jpeg"))
        return try MultipartForm(parts: parts, boundary: .derived(from: boundaryKey, absentFrom: parts))
    }
}
