/// The purposes that the engine and the store themselves write into the access log.
package enum AccessPurpose {
    /// The image goes to the verification service.
    package static let verify = "verify"
    /// A call to the verification service was cut off: the image may have been sent, nobody knows.
    package static let verifyInterrupted = "verify, interrupted: may have been sent"
    /// The image goes to the business backend.
    package static let deliver = "deliver"
    /// The card has been in its state for longer than its retention.
    package static let retention = "retention"
}
