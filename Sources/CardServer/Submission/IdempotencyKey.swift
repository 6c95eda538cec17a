import CardModel
import Crypto
import Foundation
import HTTPTypes

/// Reads `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header-07): a Structured Field String (RFC 9651 section
/// 3.3.3). Bare keys, as many clients send them, are taken, too.
enum IdempotencyKey {
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
                guard rest.isEmpty, 1...Limits.keyCharacters ~= key.count else { return nil }
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
        guard isPlain, 1...Limits.keyCharacters ~= bytes.count else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension ContentDigest {
    /// Digests all that a submission says, so that another one under the same name is told apart: not its bytes, as a
    /// form's boundary differs from one attempt to the next.
    init(of metadata: CardMetadata, image: ContentDigest) {
        var hash = SHA256()
        let texts = [
            "cards/1", metadata.businessNumber.rawValue, metadata.userNumber?.reveal(),
            metadata.expectedIDNumber?.reveal(), metadata.expectedName?.reveal(), metadata.side?.rawValue,
            "\(metadata.priority)",
        ]
        for text in texts {
            // The length first, so that no two lists of texts run into the same bytes; a missing one is not an empty
            // one.
            let bytes = Data((text ?? "").utf8)
            hash.update(data: Data("\(text == nil ? -1 : bytes.count):".utf8))
            hash.update(data: bytes)
        }
        hash.update(data: image.bytes)
        self.init(hash.finalize())
    }
}
