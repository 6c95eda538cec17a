import FoundationEssentials

/// What names a request in its reply: an id, and how long it took.
struct RequestMark: Sendable {
    /// `<seconds since 1970>,<uuid>`.
    let id: String
    /// The type of replies in JSON.
    static let contentType = "application/json; charset=utf-8"

    private let start: ContinuousClock.Instant

    init(now: Date) {
        self.id = "\(Int(now.timeIntervalSince1970)),\(UUID().uuidString.lowercased())"
        self.start = ContinuousClock.now
    }

    /// Milliseconds since the request came.
    var milliseconds: Int {
        let passed = self.start.duration(to: .now)
        return Int(passed / .milliseconds(1))
    }
}

/// The likelihood of the five classes as replies give it: three decimals, together 1.
struct LegalityShares {
    /// The shares in the vendor's order: genuine, temporary, photocopy, screen, edited.
    let values: [Double]

    /// Rounds to thousandths; what rounding loses or gains goes to the largest class, so that the sum stays 1.
    init(_ legality: Legality) {
        let shares = [
            legality.idPhoto, legality.temporaryIDPhoto, legality.photocopy, legality.screen, legality.edited,
        ]
        var thousandths = shares.map { Int(($0 * 1000).rounded()) }
        let largest = shares.indices.max { shares[$0] < shares[$1] } ?? 0
        thousandths[largest] += 1000 - thousandths.reduce(0, +)
        self.values = thousandths.map { Double($0) / 1000 }
    }

    /// The shares under a dialect's names, in the vendor's order.
    func named(_ names: [String]) -> [String: Double] {
        Dictionary(uniqueKeysWithValues: zip(names, self.values))
    }
}
