/// A card in lists, as JSON and text: the same on the command line and over HTTP.
package struct CardDocument: Encodable, Sendable {
    package let cardID: CardID
    package let businessNo: String
    /// The side that the verifier saw, else the side that the submitter named.
    @Nullable package var side: CardSide?
    package let state: CardState
    /// The reason; the remote's own code where its answer decided.
    @Nullable package var reason: String?
    package let createdAt: String
    private let changedAt: String
    /// The id in tables for people; JSON has the full id.
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

    /// The line for people: id, state, side, business number, reason.
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
    /// Returns the text padded with spaces on the right to a width.
    package func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - self.columns))
    }

    /// The width in columns of a terminal: Chinese characters and full-width signs have two (wcwidth(3) depends on the
    /// locale of the process).
    package var columns: Int {
        self.reduce(0) { columns, character in
            let isWide = character.unicodeScalars.first.map { scalar in
                switch scalar.value {
                case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF,
                    0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
                    true
                default: false
                }
            }
            return columns + (isWide == true ? 2 : 1)
        }
    }
}
