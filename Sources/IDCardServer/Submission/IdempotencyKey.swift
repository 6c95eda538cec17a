import HTTPTypes

/// Reads `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header-07): a Structured Field String (RFC 9651 section
/// 3.3.3). Bare keys, as many clients send them, are taken, too.
enum IdempotencyKey {
    /// The most characters of a key.
    static let maximumLength = 255

    /// Returns the key of a request, and `nil` if it has none.
    ///
    /// - Throws: ``Problem``: `idempotency_key_malformed`.
    static func of(_ headers: HTTPFields) throws -> String? {
        let values = headers[values: .idempotencyKey]
        guard let value = values.first else { return nil }
        guard values.count == 1, let key = self.parse(value) else { throw Problem(.keyMalformed) }
        return key
    }

    /// Reads a field's value; `nil` if it is no key.
    static func parse(_ value: String) -> String? {
        let bytes = Array(value.utf8)
        guard bytes.first == UInt8(ascii: "\"") else { return self.bare(bytes) }
        var key: [UInt8] = []
        var rest = bytes.dropFirst()
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""):
                guard rest.isEmpty, 1...self.maximumLength ~= key.count else { return nil }
                return String(decoding: key, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let next = rest.popFirst(), next == UInt8(ascii: "\"") || next == UInt8(ascii: "\\") else {
                    return nil
                }
                key.append(next)
            case 0x20...0x7E: key.append(byte)
            default: return nil
            }
        }
        return nil
    }

    /// A comma would make two keys of one, a quote half a string.
    private static func bare(_ bytes: [UInt8]) -> String? {
        let isPlain = bytes.allSatisfy { 0x21...0x7E ~= $0 && !"\",;\\".utf8.contains($0) }
        guard isPlain, 1...self.maximumLength ~= bytes.count else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}
