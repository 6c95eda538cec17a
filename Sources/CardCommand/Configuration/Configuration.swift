import CardEngine
import CardImaging
import CardInput
import CardModel
import CardRemote
import CardStore
import Logging

/// Everything that can be set, with its defaults; `ConfigurationKey.all` says which key fills which property.
struct Configuration: Sendable {
    var sandboxPath: String
    var vault = VaultSettings()
    var imaging = ImagingSettings()
    /// Where photos are decoded (`imaging.isolation`).
    var isolation = Isolation.auto
    /// The verification service as far as it is configured (`verification.*`).
    var verifier = VerificationSettings(
        endpoint: EndpointSettings(url: ""),
        apiKey: Redacted(""),
        apiSecret: Redacted("")
    )
    /// The business backend as far as it is configured (`delivery.*`).
    var backend = DeliverySettings(endpoint: EndpointSettings(url: ""), token: .value(Redacted("")))
    /// Other machines, each `host:port`, whose `verification.url` or `delivery.url` may be http (`allow_http.hosts`).
    var httpHosts: [String] = []
    /// The TOKEN and the key of encrypted replies (`delivery.token…`, `delivery.reply.…`).
    var deliverySecrets = DeliverySecrets()
    /// How the engine works; it prepares one photo per core where it says 0 at a time (`imaging.concurrency`).
    var engine = EngineSettings()
    /// Which part of a path is a business number (`intake.business_no_from`).
    var businessNumberFrom = "folder"
    /// Which sides a case must have for a run to end well (`cases.sides`).
    var sides = RequiredSides.any
    /// What two persons must decide alike (`review.four_eyes`).
    var fourEyes: Set<DecisionAction> = []
    /// The same by the file alone: a variable of a command changes nothing about it.
    var fourEyesOfFile: Set<DecisionAction> = []
    /// Folders and manifests for runs on demand, each `NAME=PATH` (`sources`).
    var sources: [String] = []
    /// The same by name, once loading has checked them.
    var sourcePaths: [String: String] = [:]
    var server = ServerSettings()
    var webhooks = WebhookSettings()
    var fetch = FetchSettings()
    var watch = WatchOptions(folders: [], inputs: BatchOptions())
    var logLevel = Logger.Level.info
    /// The language of what people read; `nil` for that of the environment.
    var language: Language?
    var logFormat = ConsoleLogHandler.Format.text
    /// Whether the built-in endpoints take the place of the configured ones.
    var isEmbedded = false
    /// Where the built-in backend keeps what it accepts, if the command line says so (`--documents`).
    var documents: String?
    /// Whether a sandbox is made although the key file is that of another one (`--new-sandbox`).
    var makesNewSandbox = false
    /// What is odd, but allowed.
    var notices: [Message] = []
    /// The same, of `run` alone.
    var runNotices: [Message] = []

    init(sandboxPath: String) {
        self.sandboxPath = sandboxPath
        self.engine.preparing = 0
        self.engine.retention.delivered = .seconds(90 * 86_400)
        self.engine.retention.rejected = .seconds(30 * 86_400)
        self.engine.retention.failed = .seconds(90 * 86_400)
        self.engine.retention.held = .zero
        self.engine.retention.images = .zero
    }

    /// The verification service; `nil` if none is configured, or the built-in one takes its place.
    var verification: VerificationSettings? {
        self.isEmbedded || self.verifier.endpoint.url.isEmpty ? nil : self.verifier
    }

    /// The business backend; `nil` if none is configured, or the built-in one takes its place.
    var delivery: DeliverySettings? { self.isEmbedded || self.backend.endpoint.url.isEmpty ? nil : self.backend }

    /// Where the built-in backend keeps what it accepts.
    var embeddedDocuments: String { self.documents ?? self.sandboxPath + "/embedded-documents" }

    enum Isolation: String, CaseIterable, Sendable {
        /// What came over the network in a confined child, files in this process.
        case auto
        /// Each in a confined child.
        case process
        /// All in this process.
        case none
    }

    enum RequiredSides: String, CaseIterable, Sendable {
        case any, both
    }

    /// Where the keys of the sandbox come from; at most one is set.
    struct VaultSettings: Sendable {
        var keyFile: String?
        var key: Redacted<String>?
        var keyCommand: Redacted<String>?
    }

    /// The secrets of the backend as they are configured.
    struct DeliverySecrets: Sendable {
        enum Encryption: String, CaseIterable, Sendable {
            case none
            case cbc = "3des-cbc"
            case ecb = "3des-ecb"
        }

        var token: Redacted<String>?
        var tokenFile: String?
        var tokenCommand: Redacted<String>?
        var replyEncryption = Encryption.none
        var replyKeyFile: String?
        var replyStartVector = Redacted("01234567")
    }

    struct ServerSettings: Sendable {
        var listen = "127.0.0.1:8080"
        var certificate: String?
        var key: String?
        var tokensFile: String?
        /// Requests of one token in a minute.
        var rateLimit = 600
        var corsOrigins: [String] = []
    }

    struct WebhookSettings: Sendable {
        /// One or several with commas between.
        var secrets: Redacted<String>?
        var secretsFile: String?
    }
}

/// All that is wrong with a configuration, told together.
struct ConfigurationError: Error, Sendable {
    struct Mistake: Sendable {
        /// The key it is about, if it is about one.
        var key: String?
        /// Its line in the file, from 1, if it stands there.
        var line: Int?
        var error: CodedError
    }

    /// The mistakes, in the order of the layers.
    var mistakes: [Mistake]
}

extension [ConfigurationError.Mistake] {
    /// Notes the error of a body under a key.
    mutating func attempt(_ key: String, _ body: () async throws(CodedError) -> Void) async {
        do throws(CodedError) { try await body() } catch { self.append(.init(key: key, error: error)) }
    }
}

extension ReasonCode {
    static let settingUnknown = ReasonCode(rawValue: "setting_unknown")
    /// A value has another form or lies outside its range.
    static let settingInvalid = ReasonCode(rawValue: "setting_invalid")
    static let settingMissing = ReasonCode(rawValue: "setting_missing")
    static let settingConflict = ReasonCode(rawValue: "setting_conflict")
    /// A key stands in the file twice.
    static let settingTwice = ReasonCode(rawValue: "setting_twice")
    /// The configuration file cannot be read, or is no YAML of sections and keys.
    static let configurationUnreadable = ReasonCode(rawValue: "configuration_unreadable")
    /// A secret cannot be had from its file or command.
    static let secretUnreadable = ReasonCode(rawValue: "secret_unreadable")
    /// Without /proc no argument can be read.
    static let noArguments = ReasonCode(rawValue: "no_arguments")
    static let embeddedUnavailable = ReasonCode(rawValue: "embedded_unavailable")
    /// Others may read or change the file of a secret.
    static let secretInsecure = ReasonCode(rawValue: "secret_insecure")
}
