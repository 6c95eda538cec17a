/// How an attempt of a verification ended.
package enum VerificationOutcome: Hashable, Sendable {
    /// The service read the photo.
    case read(CardReading)
    /// It did not.
    case failed(RemoteFailure)
}
