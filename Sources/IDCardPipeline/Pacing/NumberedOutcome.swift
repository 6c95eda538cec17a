import IDCardCore

/// How an attempt of a delivery ended, under the number that concludes it.
struct NumberedOutcome: PacedOutcome {
    /// The number of the attempt.
    let number: Int
    /// How it ended.
    let outcome: DeliveryOutcome

    var failure: RemoteFailure? { self.outcome.failure }
}
