/// How an attempt of a verification ended.
package enum VerificationOutcome: Hashable, Sendable {
    /// The service read the photo.
    case read(CardReading)
    /// It did not.
    case failed(RemoteFailure)
}

/// Under what a reading may be used again: the bytes sent, who read them, and with which parameters.
package struct ReadingKey: Hashable, Sendable, Codable {
    /// The SHA-256 of the JPEG that was sent.
    package var imageDigest: ContentDigest
    /// The provider and dialect, such as `faceid-v1`.
    package var provider: String
    /// The parameters that change an answer, such as `legality=1`.
    package var parameters: String

    package init(imageDigest: ContentDigest, provider: String, parameters: String) {
        self.imageDigest = imageDigest
        self.provider = provider
        self.parameters = parameters
    }
}
