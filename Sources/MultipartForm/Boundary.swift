/// The line that separates the parts of a form, without its leading dashes (RFC 2046 section 5.1.1).
///
/// Narrower than the RFC: only letters, digits and `-`, so that no receiver needs quotes in the `Content-Type` header.
/// A boundary may be derived from an idempotency key, so its default renderings do not show it; read ``value``.
public struct Boundary: Sendable, Hashable {
    /// The longest boundary RFC 2046 allows, in characters.
    public static let maximumLength = 70

    /// The boundary itself: 1 to 70 characters of `[0-9A-Za-z-]`.
    public let value: String

    /// Accepts a boundary after checking its length and characters.
    ///
    /// - Parameter string: 1 to 70 characters of `[0-9A-Za-z-]`.
    /// - Throws: ``MultipartFormError`` with the code ``MultipartFormError/Code/invalidBoundary``.
    public init(_ string: String) throws(MultipartFormError) {
        let length = string.utf8.count
        guard (1...Self.maximumLength).contains(length) else {
            throw MultipartFormError(
                .invalidBoundary,
                "A boundary has 1 to \(Self.maximumLength) characters, this one has \(length); choose another."
            )
        }
        guard string.utf8.allSatisfy(Self.isAllowed) else {
            throw MultipartFormError(
                .invalidBoundary,
                "A boundary may hold only letters, digits and '-', so that every receiver reads it; choose another."
            )
        }
        self.value = string
    }

    /// For text that is valid by construction.
    init(unchecked value: String) {
        self.value = value
    }

    /// Tells whether a byte is an ASCII letter or digit.
    static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default:
            false
        }
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "-") || self.isAlphanumeric(byte)
    }
}

extension Boundary: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The length only: a derived boundary shows its key.
    public var description: String { "Boundary(\(self.value.utf8.count) characters)" }
    /// The same as ``description``.
    public var debugDescription: String { self.description }
    /// A mirror without the value.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
