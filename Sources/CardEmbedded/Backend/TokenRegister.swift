/// Which values of TOKEN are good now.
///
/// Kept in memory only: a restarted backend takes its configured tokens again.
struct TokenRegister {
    /// Empty means that every TOKEN is good.
    private let known: Set<String>
    /// After so many documents the tokens used so far expire; `nil` when they do not, or did.
    private var acceptedUntilExpiry: Int?
    private var expired: Set<String> = []
    private var used: Set<String> = []

    init(_ configuration: EmbeddedBackend.Configuration) {
        self.known = Set(configuration.tokens)
        self.acceptedUntilExpiry = configuration.requiresNewTokenAfter
    }

    /// Refuses a TOKEN that is not good.
    func check(_ token: String) throws(UploadAnswer) {
        if self.expired.contains(token) { throw UploadAnswer(.tokenExpired, "TOKEN has expired") }
        if !self.known.isEmpty, !self.known.contains(token) { throw UploadAnswer(.tokenUnknown, "TOKEN is unknown") }
    }

    /// Notes that documents came with a TOKEN; may expire it for the next upload.
    mutating func noteAcceptance(of count: Int, with token: String) {
        self.used.insert(token)
        guard let left = self.acceptedUntilExpiry else { return }
        self.acceptedUntilExpiry = left > count ? left - count : nil
        if left <= count { self.expired.formUnion(self.used) }
    }
}
