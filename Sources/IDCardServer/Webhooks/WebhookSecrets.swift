import Synchronization

/// The secrets whose signatures are good now; others take their place without a restart.
final class WebhookSecrets: Sendable {
    private let secrets: Mutex<[WebhookSecret]>

    init(_ secrets: [WebhookSecret]) {
        self.secrets = Mutex(secrets)
    }

    /// What the next message is checked with.
    var current: [WebhookSecret] { self.secrets.withLock { $0 } }

    /// Takes others.
    func replace(with secrets: [WebhookSecret]) { self.secrets.withLock { $0 = secrets } }
}
