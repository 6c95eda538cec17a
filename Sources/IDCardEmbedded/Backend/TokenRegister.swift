/// Which values of TOKEN are good now.
///
/// Kept in memory only: a restarted backend takes its configured tokens again.
struct TokenRegister {
    /// How a TOKEN is judged.
    enum Judgement {
        case good, expired, unknown
    }

    /// Empty means that every TOKEN is good.
    private var known: [String]
    private var expired: Set<String> = []
    private var used: Set<String> = []
    private var acceptedUntilExpiry: Int?

    init(known: [String], requiresNewTokenAfter count: Int?) {
        self.known = known
        self.acceptedUntilExpiry = count
    }

    /// Judges a TOKEN.
    func judge(_ token: String) -> Judgement {
        if self.expired.contains(token) { return .expired }
        return self.known.isEmpty || self.known.contains(token) ? .good : .unknown
    }

    /// Notes that a document came with a TOKEN; may expire it for the next one.
    mutating func noteAcceptance(with token: String) {
        self.used.insert(token)
        guard let left = self.acceptedUntilExpiry else { return }
        self.acceptedUntilExpiry = left > 1 ? left - 1 : nil
        if left <= 1 { self.expired.formUnion(self.used) }
    }

    /// Expires the tokens used so far, or the first known one when none was used.
    ///
    /// - Returns: How many expired.
    mutating func expire() -> Int {
        let before = self.expired.count
        let current = self.used.subtracting(self.expired)
        if current.isEmpty, let first = self.known.first(where: { !self.expired.contains($0) }) {
            self.expired.insert(first)
        } else {
            self.expired.formUnion(current)
        }
        return self.expired.count - before
    }

    /// Makes a TOKEN good from now on.
    mutating func accept(_ token: String) {
        self.expired.remove(token)
        if !self.known.isEmpty, !self.known.contains(token) { self.known.append(token) }
    }
}
