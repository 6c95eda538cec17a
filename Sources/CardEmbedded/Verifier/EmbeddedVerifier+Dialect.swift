extension EmbeddedVerifier {
    /// The wire dialects that are served, each at its own path.
    package enum Dialect: String, CaseIterable, Sendable {
        case faceIDv1 = "faceid-v1"
        case faceppv1 = "facepp-v1"
        case faceIDv3 = "faceid-v3"

        /// The path of its one request.
        package var path: String {
            switch self {
            case .faceIDv1: "/faceid/v1/ocridcard"
            case .faceppv1: "/cardpp/v1/ocridcard"
            case .faceIDv3: "/faceid/v3/ocridcard"
            }
        }

        /// The maximum bytes of a request's body; a longer body gets a 413 that is not JSON, as from the vendor's front
        /// server.
        var bodyBytes: Int { self == .faceIDv3 ? 10_485_760 : 2_097_152 }

        /// The maximum bytes of the image; a larger image gets `IMAGE_FILE_TOO_LARGE`.
        var imageBytes: Int { self == .faceIDv3 ? 9_999_999 : 2_000_000 }

        /// The permitted edges, in pixels; FaceID v1 documents none and uses those of Face++ v1.
        var edges: ClosedRange<Int> { self == .faceIDv3 ? 200...8000 : 48...4096 }

        var imagePart: String { self == .faceppv1 ? "image_file" : "image" }

        /// The arguments named in the error when there is no image.
        var imageArguments: String { self == .faceppv1 ? "image_url, image_file, image_base64" : "image" }

        /// The key of the error string: FaceID's newest pages name `error`, all others `error_message`.
        var errorKey: String { self == .faceIDv3 ? "error" : "error_message" }

        /// Returns the text of an error about the image; real replies occur with and without a blank after the colon.
        func imageError(_ code: String) -> String {
            switch self {
            case .faceIDv1: "\(code): image"
            // The only code that the vendor's page shows without a parameter.
            case .faceppv1: code == "IMAGE_FILE_TOO_LARGE" ? code : "\(code):image_file"
            case .faceIDv3: "\(code):image"
            }
        }
    }
}
