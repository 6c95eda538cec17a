import IDCardCore
import IDCardPipeline

/// The cards that wait because an input of their business number is expected or was refused, as words for a person.
struct WaitingApplications: Sendable {
    /// The most business numbers that get a line of their own.
    private static let limit = 20

    private var snapshots: [ApplicationSnapshot] = []

    /// No card waits.
    init() {}

    /// Asks for those that a run is about: the business numbers among its inputs, or all if it has none.
    init(of items: IntakeList, in store: some CardStore) async throws {
        var numbers: Set<BusinessNumber> = []
        for index in items.indices {
            switch items.disposition(at: index) {
            case .take(let metadata): numbers.insert(metadata.businessNumber)
            case .refuse(_, _, let number?): numbers.insert(number)
            case .refuse, .ignore: continue
            }
        }
        for number in try await store.applicationsAwaitingInputs() where items.isEmpty || numbers.contains(number) {
            let snapshot = try await store.snapshot(of: number)
            if Self.count(in: snapshot) > 0 { self.snapshots.append(snapshot) }
            // One more tells that there are further ones.
            guard self.snapshots.count <= Self.limit else { break }
        }
    }

    /// Whether no card waits.
    var isEmpty: Bool { self.snapshots.isEmpty }

    /// One line per business number; names no file.
    var lines: [String] {
        self.snapshots.prefix(Self.limit).map(Self.line)
            + (self.snapshots.count > Self.limit
                ? ["Cards of further business numbers wait for the same reasons."] : [])
    }

    private static func line(_ snapshot: ApplicationSnapshot) -> String {
        let cards = self.count(in: snapshot)
        let awaited = snapshot.awaited
        var reasons: [String] = []
        let refused = awaited.refused + awaited.abandonedRefused
        if refused > 0 { reasons.append("\(CountedNoun.words(refused, "input")) of it \(self.were(refused)) refused") }
        if awaited.expected > 0 {
            reasons.append(
                "\(CountedNoun.words(awaited.expected, "input")) of it \(awaited.expected == 1 ? "is" : "are") being taken "
                    + "in by another process"
            )
        }
        if awaited.abandonedExpected > 0 {
            let count = awaited.abandonedExpected
            reasons.append(
                "\(CountedNoun.words(count, "input")) of it \(self.were(count)) not taken in by a run that ended"
            )
        }
        return "\(CountedNoun.words(cards, "card")) of business number \(snapshot.businessNumber.rawValue) "
            + "\(cards == 1 ? "waits" : "wait"): \(reasons.joined(separator: ", ")); run again over the folder of its "
            + "photos once they are in order."
    }

    private static func were(_ count: Int) -> String { count == 1 ? "was" : "were" }

    private static func count(in snapshot: ApplicationSnapshot) -> Int {
        let reasons: Set<ReasonCode> = [.waitsForVerification, .blockedByFront]
        return snapshot.cards.count { $0.state == .verified && $0.reason.map(reasons.contains) ?? false }
    }
}
