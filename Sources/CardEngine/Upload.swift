package import CardModel
package import CardStore
package import Foundation

/// A photo of a request.
package struct Upload: Sendable {
    package enum Image: Sendable {
        case bytes(Data, ContentDigest)
        /// The URL to fetch the photo from.
        case address(Redacted<String>)
    }

    package var image: Image
    package var metadata: CardMetadata
    package var receipt: Receipt?

    package init(_ image: Image, metadata: CardMetadata, receipt: Receipt?) {
        (self.image, self.metadata, self.receipt) = (image, metadata, receipt)
    }

    var isFetched: Bool { if case .address = self.image { true } else { false } }
}

/// A photo of a request cannot be used, so nothing of the request is admitted.
package struct RefusedUpload: Error {
    /// The index of the photo in the request.
    package let index: Int
    package let error: CodedError
}
