import IDCardCore
import IDCardPipeline

/// The cards that wait because an input of their business number is expected or was refused, as words for a person.
struct WaitingApplications: Sendable {
    /// The most business numbers that get a line of their own.
    private static let limit = 20

    private let snapshots: [ApplicationSnapshot]

    /// Takes the business numbers of which an input is expected or was refused.
    init(_ snapshots: [ApplicationSnapshot] = []) {
        self.snapshots = snapshots.filter { Self.count(in: $0) > 0 }
    }

    /// Whether no card waits.
    var isEmpty: Bool { self.snapshots.isEmpty }

    /// One line per business number; names no file.
    var lines: [String] {
        let rest = self.snapshots.count - Self.limit
        return self.snapshots.prefix(Self.limit).map(Self.line)
            + (rest > 0
                ? ["Cards of \(CountedNoun.words(rest, "further business number")) wait for the same reasons."] : [])
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
