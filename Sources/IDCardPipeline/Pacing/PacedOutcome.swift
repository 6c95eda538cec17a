import IDCardCore

/// How a call of a stage ended, as its pace is concerned.
protocol PacedOutcome: Sendable {
    /// Why it did not succeed; `nil` if it did.
    var failure: RemoteFailure? { get }
}

extension VerificationOutcome: PacedOutcome {
    var failure: RemoteFailure? {
        switch self {
        case .read: nil
        case .failed(let failure): failure
        }
    }
}

extension DeliveryOutcome: PacedOutcome {
    var failure: RemoteFailure? {
        switch self {
        case .accepted, .items: nil
        case .tokenExpired(let failure), .failed(let failure): failure
        }
    }
}
