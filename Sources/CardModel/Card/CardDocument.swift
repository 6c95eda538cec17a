/// A card as lists show it, in JSON and in text: the command line and HTTP write the same.
package struct CardDocument: Encodable, Sendable {
    package let cardID: CardID
    package let businessNo: String
    /// The side the verifier saw, else the side given.
    @Nullable package var side: CardSide?
    package let state: CardState
    /// Why: the remote's own code where its answer decided.
    @Nullable package var reason: String?
    package let createdAt: String
    private let changedAt: String
    /// The id as tables for people show it; JSON has the whole one.
    package var shownID: String

    private enum CodingKeys: CodingKey {
        case cardID, businessNo, side, state, reason, createdAt, changedAt
    }

    package init(_ card: Card) {
        self.cardID = card.id
        self.shownID = card.id.rawValue
        self.businessNo = card.metadata.businessNumber.rawValue
        self.side = card.side ?? card.metadata.side
        (self.state, self.reason, self.createdAt) = (card.state, card.shownReason, card.createdAt.description)
        self.changedAt = card.changedAt.description
    }

    /// For people: id, state, side, business number, reason.
    package var text: String {
        let state = self.state.rawValue.padded(to: 10)
        let side = (self.side?.rawValue ?? "-").padded(to: 5)
        return "\(self.shownID)  \(state)  \(side)  \(self.businessNo)" + (self.reason.map { "  \($0)" } ?? "")
    }
}

extension Card {
    /// The reason as people and scripts see it: the remote's own code where its answer decided.
    package var shownReason: String? { self.reason?.shown(self.remoteCode) }
}

extension ReasonCode {
    /// The reason as people and scripts see it: the remote's own code where its answer decided.
    func shown(_ remoteCode: String?) -> String {
        self == .refusedByRemote ? remoteCode ?? self.rawValue : self.rawValue
    }
}

extension String {
    /// The text filled with spaces on the right up to a width.
    package func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - self.columns))
    }

    /// How many columns of a terminal it takes: Chinese characters and full-width signs take two (wcwidth(3) depends on the
    /// locale that the process has).
    package var columns: Int {
        self.reduce(0) { columns, character in
            let isWide = character.unicodeScalars.first.map { scalar in
                switch scalar.value {
                case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF,
                    0xFE30...0xFE6F,
                    0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
                    true
                default: false
                }
            }
            return columns + (isWide == true ? 2 : 1)
        }
    }
}
