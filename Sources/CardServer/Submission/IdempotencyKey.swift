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
        let key: String
        if let quoted = value.wholeMatch(of: /"((?:[ !#-\[\]-~]|\\["\\])*)"/) {
            key = String(quoted.1.replacing(/\\(.)/) { $0.1 })
        } else if value.wholeMatch(of: /[!#-+\--:<-\[\]-~]*/) != nil {
            // A comma would make two keys of one, a quote half a string.
            key = value
        } else {
            return nil
        }
        return 1...Limits.keyCharacters ~= key.utf8.count ? key : nil
    }
}

extension ContentDigest {
    /// Digests an image and all that is said of it.
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
