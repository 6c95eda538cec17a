package import IDCardCore
package import IDCardPipeline
package import IDCardTriggers
package import Logging

/// The configuration of the application, checked as a whole.
///
/// ```swift
/// let configuration = try AppConfiguration.load(
///     file: nil, overrides: ["sandbox.path": "/srv/cards"], environment: ProcessInfo.processInfo.environment
/// )
/// let remotes = try configuration.remotes()  // throws what is missing, unless the endpoints are built in
/// ```
package struct AppConfiguration: Sendable {
    /// Folder of the sandbox (`sandbox.path`).
    package let sandboxPath: String
    /// Keys under `sandbox`, but for its path.
    package let sandbox: Sandbox
    /// How long work is reserved for a process without a sign of life (`sandbox.lease`).
    package let lease: Duration
    /// Protection of the sandbox (`vault.mode`).
    package let vaultMode: VaultMode
    /// Where the keys of the sandbox come from (`vault.key_file`, `vault.key`, secret, or `vault.key_command`); `nil`
    /// if nobody says, or nothing is encrypted.
    package let vaultKeys: VaultKeySource?
    /// Whether the key of a new sandbox is made without being asked for: with the built-in endpoints, where nobody
    /// names a key.
    package let makesVaultKey: Bool
    /// Keys under `imaging`.
    package let imaging: Imaging
    /// Keys under `verification`.
    package let verification: Verification
    /// Keys under `delivery`.
    package let delivery: Delivery
    /// The delays between attempts (`retry.base`, `retry.cap`).
    package let retry: RetryPolicy
    /// Most retries to one host (`retry.budget_ratio`, `retry.budget_floor`).
    package let retryBudget: RetryBudget
    /// Keys under `breaker`.
    package let breaker: Breaker
    /// Keys under `server`.
    package let server: Server
    /// Keys under `webhooks`.
    package let webhooks: Webhooks
    /// Keys under `fetch`.
    package let fetch: Fetch
    /// Which part of a path is a business number (`intake.business_no_from`).
    package let businessNumberRule: BusinessNumberRule
    /// Folders for runs on demand (`sources`), as written: `NAME=PATH`.
    package let sources: [String]
    /// How long `run` waits since the last change of state (`run.patience`).
    package let patience: Duration
    /// How long requests under way may go on after a signal (`run.shutdown_timeout`).
    package let shutdownTimeout: Duration
    /// How often a stopped stage tries one card (`stop.probe_interval`).
    package let probeInterval: Duration
    /// How many equal refusals in a row stop delivery; 0 for never (`stop.equal_refusals`).
    package let equalRefusals: Int
    /// Keys under `watch`.
    package let watch: Watch
    /// How long cards stay after their end (`retention.…`).
    package let retention: Retention
    /// How long a run goes on erasing after its cards have ended (`retention.run_time`).
    package let retentionRunTime: Duration
    /// How long requests are known as ones that came before (`retention.receipts`).
    package let receiptRetention: Duration
    /// Keys under `http`.
    package let http: HTTP
    /// Keys under `log`.
    package let log: Log

    /// Whether the built-in endpoints take the place of the configured ones.
    package let embedded: Bool
    /// The file that was read, if any.
    package let file: String?
    /// Every key with its effective value, in the order of the table.
    package let entries: [ConfigurationEntry]
    /// What a person should know.
    package let notices: [ConfigurationNotice]

    /// Takes values that are all sound.
    init(_ values: ResolvedConfiguration, embedded: Bool, file: String?, notices: [ConfigurationNotice]) {
        self.sandboxPath = values.require("sandbox.path", \.text)
        self.sandbox = Sandbox(values)
        self.lease = values.require("sandbox.lease", \.duration)
        self.vaultMode = values.word("vault.mode")
        self.vaultKeys = VaultKeySource(values)
        self.makesVaultKey = embedded && values["vault.key_file"]?.source == .builtIn && self.vaultKeys?.keyFile != nil
        self.imaging = Imaging(values)
        self.verification = Verification(values)
        self.delivery = Delivery(values)
        self.retry = RetryPolicy(
            base: values.require("retry.base", \.duration),
            cap: values.require("retry.cap", \.duration)
        )
        self.retryBudget = RetryBudget(values)
        self.breaker = Breaker(values)
        self.server = Server(values)
        self.webhooks = Webhooks(values)
        self.fetch = Fetch(values)
        self.businessNumberRule = BusinessNumberRule(values)
        self.sources = values.require("sources", \.list)
        self.patience = values.require("run.patience", \.duration)
        self.shutdownTimeout = values.require("run.shutdown_timeout", \.duration)
        self.probeInterval = values.require("stop.probe_interval", \.duration)
        self.equalRefusals = values.require("stop.equal_refusals", \.integer)
        self.watch = Watch(values)
        self.retention = Retention(values)
        self.retentionRunTime = values.require("retention.run_time", \.duration)
        self.receiptRetention = values.require("retention.receipts", \.duration)
        self.http = HTTP(values)
        self.log = Log(values)
        self.embedded = embedded
        self.file = file
        self.entries = values.entries
        self.notices = notices
    }

    /// Protection of images and fields in the sandbox.
    package enum VaultMode: String, CaseIterable, Sendable {
        /// They lie there unencrypted.
        case none
        /// They are sealed with AES-256-GCM, under a key for each card.
        case encrypted = "aes-256-gcm"
    }

    /// Keys under `log`.
    package struct Log: Hashable, Sendable {
        /// Form of the log lines.
        package enum Format: String, CaseIterable, Sendable {
            /// For people.
            case text
            /// One JSON object per line.
            case json
        }

        /// Least severity that is logged (`log.level`).
        package let level: Logger.Level
        /// Form of the lines (`log.format`).
        package let format: Format

        init(_ values: ResolvedConfiguration) {
            self.level = values.word("log.level")
            self.format = values.word("log.format")
        }
    }
}
