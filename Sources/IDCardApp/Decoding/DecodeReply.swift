import Foundation
import IDCardImaging

/// What the decoding child answers: one line of JSON, followed by the picture if there is one.
struct DecodeReply: Hashable, Sendable, Codable {
    /// The width of the picture in pixels.
    var width: Int?
    /// Its height in pixels.
    var height: Int?
    /// Why there is none: the code of the `ImagingError`.
    var code: String?
    /// The same for a person.
    var message: String?
    /// Whether the same bytes may succeed another time.
    var mayPass = false

    init(_ image: RecompressedImage) {
        self.width = image.width
        self.height = image.height
    }

    init(_ error: ImagingError) {
        self.code = error.code.rawValue
        self.message = error.message
        self.mayPass = error.mayPass
    }
}

extension ImagingError {
    /// Whether the machine could not do it now, which is not the picture's fault for ever.
    var mayPass: Bool { self.isTransient || self.code == .decodeTime }
}
