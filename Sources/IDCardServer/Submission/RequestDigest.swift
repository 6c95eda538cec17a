import Crypto
import Foundation
import IDCardCore

/// Digests all that a submission says, so that one under the same name can be told apart: not its bytes, as a form's
/// boundary differs from one attempt to the next.
enum RequestDigest {
    /// Digests metadata and the image's digest.
    static func of(_ metadata: CardMetadata, image: ContentDigest) -> ContentDigest {
        var hash = SHA256()
        let texts = [
            "cards/1", metadata.businessNumber.rawValue, metadata.userNumber?.reveal(),
            metadata.expectedIDNumber?.reveal(), metadata.expectedName?.reveal(), metadata.side?.rawValue,
            "\(metadata.priority)",
        ]
        for text in texts {
            // The length first, so that no two lists of texts run into the same bytes; a missing one is not an empty one.
            let bytes = Data((text ?? "").utf8)
            hash.update(data: Data("\(text == nil ? -1 : bytes.count):".utf8))
            hash.update(data: bytes)
        }
        hash.update(data: image.bytes)
        return ContentDigest(hash.finalize())
    }
}
