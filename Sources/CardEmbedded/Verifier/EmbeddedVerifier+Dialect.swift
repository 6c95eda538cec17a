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

        /// The bytes of a request's body at most; a longer one gets a 413 that is not JSON, as the vendor's front server
        /// gives it.
        var bodyBytes: Int { self == .faceIDv3 ? 10_485_760 : 2_097_152 }

        /// The bytes of the image at most; a larger one gets `IMAGE_FILE_TOO_LARGE`.
        var imageBytes: Int { self == .faceIDv3 ? 9_999_999 : 2_000_000 }

        /// The edges that are read, in pixels; FaceID v1 documents none and is given those of its sister.
        var edges: ClosedRange<Int> { self == .faceIDv3 ? 200...8000 : 48...4096 }

        var imagePart: String { self == .faceppv1 ? "image_file" : "image" }

        /// The arguments of which one is missing when there is no image.
        var imageArguments: String { self == .faceppv1 ? "image_url, image_file, image_base64" : "image" }

        /// The key of the error string: FaceID's newest pages name `error`, all others `error_message`.
        var errorKey: String { self == .faceIDv3 ? "error" : "error_message" }

        /// Words an error about the image; a blank after the colon is seen in the field, as is none.
        func imageError(_ code: String) -> String {
            switch self {
            case .faceIDv1: "\(code): image"
            // The one code that this page gives without a parameter.
            case .faceppv1: code == "IMAGE_FILE_TOO_LARGE" ? code : "\(code):image_file"
            case .faceIDv3: "\(code):image"
            }
        }
    }
}
