package import CardModel
package import CardStore

/// What happens in the pipeline, for progress, reports and the exit code.
package enum PipelineEvent: Sendable {
    /// An input became a card, or is one already.
    case taken(InputItem, AdmissionOutcome)
    /// An input was refused before it became a card.
    case refused(InputItem, CodedError)
    /// A card moved on.
    case changed(CardChange)
    /// So many bytes of a delivery went out, of so many.
    case sending(DeliveryID, sent: Int64, total: Int64)
    /// An endpoint did not take a call.
    case failed(StageName, RemoteFailure)
}
