/// The wire dialects that are all called "ocridcard"; the raw values are those of `verification.dialect`.
package enum VerificationDialect: String, CaseIterable, Sendable, Codable {
    /// FaceID v1, `/faceid/v1/ocridcard`.
    case faceIDv1 = "faceid-v1"
    /// Face++ cardpp v1, `/cardpp/v1/ocridcard`.
    case faceppv1 = "facepp-v1"
    /// FaceID v3, `/faceid/v3/ocridcard`.
    case faceIDv3 = "faceid-v3"

    /// The path that is appended to a URL without one.
    package var defaultPath: String {
        switch self {
        case .faceIDv1: "/faceid/v1/ocridcard"
        case .faceppv1: "/cardpp/v1/ocridcard"
        case .faceIDv3: "/faceid/v3/ocridcard"
        }
    }
}
