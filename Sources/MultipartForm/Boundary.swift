/// The text that separates the parts of a form, without its leading dashes (RFC 2046 section 5.1.1).
///
/// Narrower than the RFC: only letters, digits and `-`, so that no receiver needs quotes in the `Content-Type` header.
/// A boundary may be derived from an idempotency key, so its default renderings do not show it; read ``value``.
package struct Boundary: Sendable, Hashable {
    /// The longest boundary RFC 2046 allows, in characters.
    package static let maximumLength = 70

    /// The boundary itself: 1 to 70 characters of `[0-9A-Za-z-]`.
    package let value: String

    /// Creates a boundary after checking its length and characters.
    ///
    /// - Throws: ``MultipartFormError`` with the code ``MultipartFormError/Code/invalidBoundary``.
    package init(_ string: String) throws(MultipartFormError) {
        let length = string.utf8.count
        try require(
            (1...Self.maximumLength).contains(length),
            .invalidBoundary,
            "A boundary has 1 to \(Self.maximumLength) characters, this one has \(length); choose another."
        )
        try require(
            string.utf8.allSatisfy({ $0.isASCIIAlphanumeric || $0 == UInt8(ascii: "-") }),
            .invalidBoundary,
            "A boundary may hold only letters, digits and '-', so that every receiver reads it; choose another."
        )
        self.value = string
    }

    /// Creates a boundary from text that is valid by construction.
    init(unchecked value: String) { self.value = value }
}

extension Boundary {
    /// The number of ordinals tried; only a crafted part can hold even the first boundary.
    static let maximumOrdinals = 64
    /// 44 characters of the key: the prefix, the key, a dash and the longest ordinal make exactly 70.
    private static let maximumKeyCharacters = 44

    /// Derives a boundary from an idempotency key, the same one every time.
    ///
    /// A new random boundary for each attempt would change the bytes of the body, and a server that fingerprints the
    /// body would answer the second attempt with 422. The text is `form-`, the key's letters and digits (`-` is left
    /// out, any other byte becomes two hexadecimal digits, at most 44 characters in all), `-` and the ordinal. A random
    /// UUID thus gives the 128 bits of its 32 digits; a key that can be guessed gives a boundary that can be guessed,
    /// which is why ``derived(from:absentFrom:)`` searches the parts.
    ///
    /// - Parameter ordinal: The index of the boundary among those of the key: 0 unless that boundary occurs in a part. It
    ///   does not count uploads.
    package static func derived(from idempotencyKey: String, attempt ordinal: Int) -> Boundary {
        var text = ""
        for byte in idempotencyKey.utf8 where byte != UInt8(ascii: "-") && text.utf8.count < self.maximumKeyCharacters {
            if byte.isASCIIAlphanumeric {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                text += (byte < 0x10 ? "0" : "") + String(byte, radix: 16)
            }
        }
        return Boundary(unchecked: "form-\(text.prefix(self.maximumKeyCharacters))-\(ordinal)")
    }

    /// Derives the first boundary of a key that is proven absent from the parts.
    ///
    /// Reads every part once per ordinal tried: in practice once. The result depends only on the key and the bytes of
    /// the parts, so the same delivery has the same boundary after a restart.
    ///
    /// - Returns: The boundary with the smallest ordinal whose text occurs in no part, not even without its dashes:
    ///   node 20.20.2 refuses a form for that.
    /// - Throws: ``MultipartFormError``: `boundary_collision` when 64 ordinals all occur.
    package static func derived(
        from key: String,
        absentFrom parts: [MultipartForm.Part]
    ) throws(MultipartFormError) -> Boundary {
        for ordinal in 0..<self.maximumOrdinals {
            let candidate = self.derived(from: key, attempt: ordinal)
            if BoundaryProof.firstOccurrence(of: candidate.value, in: parts) == nil { return candidate }
        }
        throw MultipartFormError(
            .boundaryCollision,
            "\(self.maximumOrdinals) boundaries of this key all occur in the parts; use another key."
        )
    }
}

extension Boundary: SelfRedacting {
    /// The length only: a derived boundary shows its key.
    package var description: String { "Boundary(\(self.value.utf8.count) characters)" }
}
