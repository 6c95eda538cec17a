/// Which values of TOKEN are good now.
///
/// Kept in memory only: a restarted backend takes its configured tokens again.
struct TokenRegister {
    /// Empty means that every TOKEN is good.
    private let known: Set<String>
    private var expired: Set<String> = []
    private var used: Set<String> = []
    private var acceptedUntilExpiry: Int?

    init(known: [String], requiresNewTokenAfter count: Int?) {
        self.known = Set(known)
        self.acceptedUntilExpiry = count
    }

    /// Why a TOKEN is refused; `nil` for a good one.
    func refusal(of token: String) -> UploadAnswer? {
        if self.expired.contains(token) { return UploadAnswer(.tokenExpired, "TOKEN has expired") }
        guard !self.known.isEmpty, !self.known.contains(token) else { return nil }
        return UploadAnswer(.tokenUnknown, "TOKEN is unknown")
    }

    /// Notes that documents came with a TOKEN; may expire it for the next upload.
    mutating func noteAcceptance(of count: Int, with token: String) {
        self.used.insert(token)
        guard let left = self.acceptedUntilExpiry else { return }
        self.acceptedUntilExpiry = left > count ? left - count : nil
        if left <= count { self.expired.formUnion(self.used) }
    }
}
