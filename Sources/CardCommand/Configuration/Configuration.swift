import CardEngine
import CardImaging
import CardInput
import CardModel
import CardRemote
import CardStore
import Logging

/// All settings, with their defaults; `ConfigurationKey.all` maps keys to properties.
struct Configuration: Sendable {
    var sandboxPath: String
    var vault = VaultSettings()
    var imaging = ImagingSettings()
    /// Where photos are decoded (`imaging.isolation`).
    var isolation = Isolation.auto
    /// The verification service, possibly without an address (`verification.*`).
    var verifier = VerificationSettings(
        endpoint: EndpointSettings(url: ""),
        apiKey: Redacted(""),
        apiSecret: Redacted("")
    )
    /// The business backend, possibly without an address (`delivery.*`).
    var backend = DeliverySettings(endpoint: EndpointSettings(url: ""), token: .value(Redacted("")))
    /// Other machines, each `host:port`, for which `verification.url` or `delivery.url` may be http (`allow_http.hosts`).
    var httpHosts: [String] = []
    /// The TOKEN and the key of encrypted replies (`delivery.token…`, `delivery.reply.…`).
    var deliverySecrets = DeliverySecrets()
    /// How the engine works; `preparing` 0 means one photo per core at a time (`imaging.concurrency`).
    var engine = EngineSettings()
    /// Which part of a path is a business number (`intake.business_no_from`).
    var businessNumberFrom = "folder"
    /// The sides that a case needs for a run to succeed (`cases.sides`).
    var sides = RequiredSides.any
    /// The actions that need two people (`review.four_eyes`).
    var fourEyes: Set<DecisionAction> = []
    /// The actions set in the file; commands that decide use only these, so that a variable cannot change the list.
    var fourEyesOfFile: Set<DecisionAction> = []
    /// Folders and manifests for runs on demand, each `NAME=PATH` (`sources`).
    var sources: [String] = []
    /// The paths by name, after loading has checked them.
    var sourcePaths: [String: String] = [:]
    var server = ServerSettings()
    var webhooks = WebhookSettings()
    var fetch = FetchSettings()
    var watch = WatchOptions(folders: [], inputs: BatchOptions())
    var logLevel = Logger.Level.info
    /// The language for people; `nil` for that of the environment.
    var language: Language?
    /// The zone of local times (IANA); `nil` for that of the system.
    var timeZone: String?
    var logFormat = ConsoleLogHandler.Format.text
    /// Whether the built-in endpoints replace the configured ones.
    var isEmbedded = false
    /// Where the built-in backend stores documents, if the command line says so (`--documents`).
    var documents: String?
    /// Whether to create a sandbox although the key file belongs to another one (`--new-sandbox`).
    var makesNewSandbox = false
    /// Warnings about settings that are allowed.
    var notices: [Message] = []
    /// Warnings for `run` only.
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

    /// The verification service; `nil` if none is configured, or the built-in one replaces it.
    var verification: VerificationSettings? {
        self.isEmbedded || self.verifier.endpoint.url.isEmpty ? nil : self.verifier
    }

    /// The business backend; `nil` if none is configured, or the built-in one replaces it.
    var delivery: DeliverySettings? { self.isEmbedded || self.backend.endpoint.url.isEmpty ? nil : self.backend }

    /// The folder where the built-in backend stores documents.
    var embeddedDocuments: String { self.documents ?? self.sandboxPath + "/embedded-documents" }

    enum Isolation: String, CaseIterable, Sendable {
        /// Photos from the network in a confined child, files in this process.
        case auto
        /// All photos in confined children.
        case process
        /// All photos in this process.
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
        /// Requests per token and minute.
        var rateLimit = 600
        var corsOrigins: [String] = []
    }

    struct WebhookSettings: Sendable {
        /// One secret, or several separated by commas.
        var secrets: Redacted<String>?
        var secretsFile: String?
    }
}

/// All mistakes of a configuration, reported together.
struct ConfigurationError: Error, Sendable {
    struct Mistake: Sendable {
        /// The key with the mistake, if there is one.
        var key: String?
        /// Its line in the file, from 1, if it is set there.
        var line: Int?
        var error: CodedError
    }

    /// The mistakes, in the order of the layers.
    var mistakes: [Mistake]
}

extension [ConfigurationError.Mistake] {
    /// Adds the error of a body as a mistake of a key, if it is a `CodedError`; ignores other errors.
    mutating func attempt(_ key: String, _ body: () async throws -> Void) async {
        do { try await body() } catch let error as CodedError { self.append(.init(key: key, error: error)) } catch {}
    }
}

extension ReasonCode {
    static let settingUnknown = ReasonCode(rawValue: "setting_unknown")
    /// A value has the wrong form or is out of range.
    static let settingInvalid = ReasonCode(rawValue: "setting_invalid")
    static let settingMissing = ReasonCode(rawValue: "setting_missing")
    static let settingConflict = ReasonCode(rawValue: "setting_conflict")
    /// The file has a key twice.
    static let settingTwice = ReasonCode(rawValue: "setting_twice")
    /// The configuration file cannot be read, or is not YAML of sections and keys.
    static let configurationUnreadable = ReasonCode(rawValue: "configuration_unreadable")
    /// A secret cannot be read from its file or command.
    static let secretUnreadable = ReasonCode(rawValue: "secret_unreadable")
    /// Without /proc the arguments cannot be read.
    static let noArguments = ReasonCode(rawValue: "no_arguments")
    static let embeddedUnavailable = ReasonCode(rawValue: "embedded_unavailable")
    /// Other users may read or change the file of a secret.
    static let secretInsecure = ReasonCode(rawValue: "secret_insecure")
}
