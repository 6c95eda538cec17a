/// What a delivery that may have been received is to become.
package enum UnknownOutcomePolicy: String, CaseIterable, Sendable {
    /// The same bytes under the same key are sent again; the backend must honour `Idempotency-Key`.
    case resend
    /// A person decides at once.
    case hold
}
