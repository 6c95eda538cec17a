/// How much room there is for more work, and thus which work may go on.
package enum StoreSpace: Hashable, Sendable {
    /// All work goes on.
    case ample
    /// Nothing more is taken in; what is there goes on. The message says what is scarce and what to do.
    case low(message: String)
    /// Only what ends cards goes on: delivery, conclusions, erasure. The message says what is scarce and what to do.
    case critical(message: String)

    /// Whether new cards may be taken in.
    package var allowsIntake: Bool { self == .ample }

    /// Whether new verifications may be claimed.
    package var allowsVerification: Bool {
        switch self {
        case .ample, .low: true
        case .critical: false
        }
    }

    /// What is scarce and what to do; `nil` if there is room.
    package var message: String? {
        switch self {
        case .ample: nil
        case .low(let message), .critical(let message): message
        }
    }
}
