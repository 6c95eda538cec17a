extension Boundary {
    /// How many ordinals are tried before giving up: an honest part never meets even the first.
    static let maximumOrdinals = 64
    /// 44 characters of the key: the prefix, the key, a dash and the longest ordinal make exactly 70.
    private static let maximumKeyCharacters = 44
    private static let prefix = "form-"

    /// Derives a boundary from an idempotency key, the same one every time.
    ///
    /// A new random boundary for each attempt would change the bytes of the body, and a server that fingerprints the
    /// body would answer the second attempt with 422. The text is `form-`, the key's letters and digits (`-` is left
    /// out, any other byte becomes two hexadecimal digits, at most 44 characters in all), `-` and the ordinal. A random
    /// UUID thus gives the 128 bits of its 32 digits; a key that can be guessed gives a boundary that can be guessed,
    /// which is why ``derived(from:absentFrom:)`` reads the parts and does not trust in luck.
    ///
    /// - Parameters:
    ///   - idempotencyKey: The key of the logical request.
    ///   - ordinal: Which boundary of this key: 0 unless that one occurs in a part. It is not the count of sendings.
    public static func derived(from idempotencyKey: String, attempt ordinal: Int) -> Boundary {
        var characters: [UInt8] = []
        for byte in idempotencyKey.utf8 where byte != UInt8(ascii: "-") {
            if self.isAlphanumeric(byte) {
                characters.append(byte)
            } else {
                characters.append(self.hexadecimalDigit(byte >> 4))
                characters.append(self.hexadecimalDigit(byte & 0x0F))
            }
            if characters.count >= self.maximumKeyCharacters { break }
        }
        let key = String(decoding: characters.prefix(self.maximumKeyCharacters), as: UTF8.self)
        return Boundary(unchecked: "\(self.prefix)\(key)-\(ordinal)")
    }

    /// Derives the first boundary of a key that is proven absent from the parts.
    ///
    /// Reads every part, files included, once per ordinal tried: in practice once. The result depends only on the key
    /// and the bytes of the parts, so the same delivery has the same boundary after a restart.
    ///
    /// - Parameters:
    ///   - key: The idempotency key of the logical request.
    ///   - parts: The parts the boundary shall separate.
    /// - Returns: The boundary with the smallest ordinal whose text occurs in no part, not even without its dashes:
    ///   node 20.20.2 refuses a form for that.
    /// - Throws: ``MultipartFormError``: `boundary_collision` when 64 ordinals all occur, `source_unreadable` or
    ///   `source_changed` when a file cannot be read as described.
    public static func derived(
        from key: String,
        absentFrom parts: [MultipartForm.Part]
    ) throws(MultipartFormError) -> Boundary {
        for ordinal in 0..<self.maximumOrdinals {
            let candidate = self.derived(from: key, attempt: ordinal)
            if try BoundaryProof.firstOccurrence(of: candidate.value, in: parts) == nil { return candidate }
        }
        throw MultipartFormError(
            .boundaryCollision,
            "\(self.maximumOrdinals) boundaries of this key all occur in the parts; use another key."
        )
    }

    private static func hexadecimalDigit(_ nibble: UInt8) -> UInt8 {
        nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") + nibble - 10
    }
}
