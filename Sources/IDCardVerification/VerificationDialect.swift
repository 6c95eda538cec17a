/// The wire dialects that are all called "ocridcard"; the raw values are those of `verification.dialect`.
///
/// What a dialect sends and what it answers stand in its own two files, with their source: `…Form.swift` and
/// `…Reply.swift`. There is no other: of `cardpp/v2/ocridcard` and of a v5 for cards of the mainland nothing is public.
package enum VerificationDialect: String, CaseIterable, Sendable, Codable {
    /// FaceID v1, `/faceid/v1/ocridcard`.
    case faceIDv1 = "faceid-v1"
    /// Face++ cardpp v1, `/cardpp/v1/ocridcard`.
    case faceppv1 = "facepp-v1"
    /// FaceID v3, `/faceid/v3/ocridcard`.
    case faceIDv3 = "faceid-v3"

    /// The path that is appended to a URL without one.
    package var defaultPath: String { self.form.path }

    /// What the service takes as an image; `nil` in it is not confirmed.
    package var limits: VerificationLimits { self.form.limits }

    /// The request of this dialect.
    var form: DialectForm {
        switch self {
        case .faceIDv1: .faceIDv1
        case .faceppv1: .faceppv1
        case .faceIDv3: .faceIDv3
        }
    }

    /// The reader of this dialect's replies.
    var reply: any DialectReply.Type {
        switch self {
        case .faceIDv1: FaceIDv1Reply.self
        case .faceppv1: Faceppv1Reply.self
        case .faceIDv3: FaceIDv3Reply.self
        }
    }
}
