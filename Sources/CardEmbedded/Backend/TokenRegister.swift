/// The currently valid values of TOKEN.
///
/// Held in memory only: a restarted backend accepts its configured tokens again.
struct TokenRegister {
    /// The configured tokens; if there are none, every TOKEN is valid.
    private let known: Set<String>
    /// The documents left until the tokens used so far expire; 0 after that, `nil` for never.
    private var acceptedUntilExpiry: Int?
    /// The tokens used before the expiry.
    private var used: Set<String> = []

    init(_ configuration: EmbeddedBackend.Configuration) {
        self.known = Set(configuration.tokens)
        self.acceptedUntilExpiry = configuration.requiresNewTokenAfter.map { max(1, $0) }
    }

    /// Refuses a TOKEN that is not valid.
    func check(_ token: String) throws(UploadAnswer) {
        if self.acceptedUntilExpiry == 0, self.used.contains(token) {
            throw UploadAnswer(.tokenExpired, "TOKEN has expired")
        }
        if !self.known.isEmpty, !self.known.contains(token) { throw UploadAnswer(.tokenUnknown, "TOKEN is unknown") }
    }

    /// Counts documents accepted with a TOKEN; may expire it for the next upload.
    mutating func countAcceptance(of count: Int, with token: String) {
        guard let left = self.acceptedUntilExpiry, left > 0 else { return }
        self.used.insert(token)
        self.acceptedUntilExpiry = max(0, left - count)
    }
}
