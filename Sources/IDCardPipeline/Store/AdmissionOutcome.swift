/// What became of an admission.
package enum AdmissionOutcome: Hashable, Sendable {
    /// The card is durable.
    case admitted(Card)
    /// The same bytes are there already under this business number.
    case duplicate(Card)
}
