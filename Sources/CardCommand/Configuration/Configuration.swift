import CardEngine
import CardImaging
import CardModel
import CardRemote

/// Everything that can be set, with its defaults.
struct Configuration: Sendable {
    /// The folder of the sandbox (`sandbox.path`).
    var sandboxPath: String
    /// How photos become smaller (`imaging.*`).
    var imaging = ImagingSettings()
    /// Photos that are prepared at a time (`imaging.concurrency`); 0 for one per core.
    var imagingConcurrency = 0
    /// The verification service (`verification.*`); `nil` if none is configured.
    var verification: VerificationSettings?
    /// The business backend (`delivery.*`); `nil` if none is configured.
    var delivery: DeliverySettings?
    /// How the engine works.
    var engine = EngineSettings()
    /// Which part of a path is a business number (`intake.business_no_from`).
    var businessNumberFrom = "folder"
    /// Whether the built-in endpoints take the place of the configured ones.
    var isEmbedded = false
    /// What is odd, but allowed.
    var notices: [Message] = []

    /// Takes what has no default.
    init(sandboxPath: String) {
        self.sandboxPath = sandboxPath
    }
}

/// All that is wrong with a configuration, told together.
struct ConfigurationError: Error, Sendable {
    /// One error for each mistake; never empty.
    var problems: [CodedError]

    /// Joins mistakes.
    init(_ problems: [CodedError]) {
        self.problems = problems
    }
}
