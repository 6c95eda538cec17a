/// The keys under which a log record may carry values.
///
/// What is under another key is not written: a value that nobody has looked at may be a name. Each of these is an
/// identifier of ours, a word of a closed set, a figure, or the words of our own transport.
enum LoggedKeys {
    /// What stands in place of a value whose key is not listed.
    static let placeholder = "[not listed]"

    /// Whether values under this key are written.
    static func contains(_ key: String) -> Bool { self.all.contains(key) }

    static let all: Set<String> = [
        // The engine.
        "run.id", "run.source", "run.state", "run.input", "card.id", "card.state", "delivery.id", "attempt.class",
        "attempt.code",
        "stage", "code",
        "detail",
        "until", "concurrency", "leases", "cards", "image.crashes", "store.code", "watch.root", "files",
        "clock.now", "clock.last",
        // The built-in endpoints.
        "verifier.side", "verifier.milliseconds", "verifier.code", "verifier.error", "verifier.message", "backend.code",
        "backend.retcode", "backend.replay",
        // The server; a route is the template of a path, and a token has a name beside its secret.
        "request.id", "http.method", "http.route", "http.status", "http.code", "http.milliseconds", "http.bytes",
        "http.error", "token.name",
    ]
}
