package import CardModel
package import CardStore

/// An event of the pipeline, for progress, reports and the exit code.
package enum PipelineEvent: Sendable {
    /// An input became a card, or was one already.
    case taken(Photo, Admitted)
    /// An input was refused before it became a card.
    case refused(Photo, CodedError)
    case changed(CardChange)
    /// Bytes of a delivery were sent, out of a total.
    case sending(DeliveryID, sent: Int64, total: Int64)
    /// A call of a stage finished; cancelled calls are not reported.
    case called(Stage, FailureClass, took: Duration)
    /// A call to an endpoint failed.
    case failed(Stage, RemoteFailure)
    /// An endpoint is paused, or fails so often that it soon will be; reported again with each further failed call.
    case paused(EndpointPause)
    /// The number of cards past their retention that were not erased in time.
    case overdue(Int)
    /// Cards past their retention could not be erased; the erasing is tried again.
    case erasingFailed(CodedError)
    /// The heartbeat was written, so the engine is alive; with the free space of the disk.
    case beat(DiskSpace)
    /// A paused endpoint works again.
    case resumed(Stage, host: String)
}
