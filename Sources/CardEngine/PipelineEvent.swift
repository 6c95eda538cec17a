package import CardModel
package import CardStore

/// What happens in the pipeline, for progress, reports and the exit code.
package enum PipelineEvent: Sendable {
    /// An input became a card, or is one already.
    case taken(InputItem, Admitted)
    /// An input was refused before it became a card.
    case refused(InputItem, CodedError)
    /// A card moved on.
    case changed(CardChange)
    /// So many bytes of a delivery went out, of so many.
    case sending(DeliveryID, sent: Int64, total: Int64)
    /// A call of a stage ended; one that was given up is not told of.
    case called(Stage, FailureClass, took: Duration)
    /// An endpoint did not take a call.
    case failed(Stage, RemoteFailure)
    /// An endpoint is left alone for a while; said again with each attempt that it refuses.
    case paused(EndpointPause)
    /// So many cards are past their retention and were not erased in time.
    case overdue(Int)
    /// Cards past their retention could not be erased; it is tried again.
    case erasingFailed(CodedError)
    /// The heartbeat was written: the engine works; and what the disk has room for.
    case beat(DiskSpace)
    /// An endpoint that was left alone works again.
    case resumed(Stage, host: String)
}
