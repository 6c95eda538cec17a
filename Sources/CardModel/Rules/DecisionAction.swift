/// What a person may decide about a card, by command, over HTTP or on a page.
///
/// The raw values are stored in the sandbox, and `review.four_eyes` names them.
package enum DecisionAction: String, CaseIterable, Sendable, Codable {
    /// As ``Resolution/accept``, ``Resolution/delivered``, ``Resolution/resend`` and ``Resolution/reject``.
    case accept, delivered, resend, reject
    /// The card is done again.
    case retry
    /// All data of the card is erased.
    case erase

    /// What a resolution decides; `nil` for one that decides nothing about the card.
    package init?(_ resolution: Resolution) { self.init(rawValue: resolution.rawValue) }

    /// What it counts as in the access log, and for scopes.
    package var access: AccessAction {
        switch self {
        case .accept, .delivered, .resend, .reject: .resolve
        case .retry: .retry
        case .erase: .erase
        }
    }
}

extension OperatorRules {
    /// Checks that something may be done to a card.
    ///
    /// - Throws: `card_conflict`, saying what to do instead.
    package static func require(
        _ action: DecisionAction,
        of card: Card,
        under circumstances: Circumstances
    ) throws(CodedError) {
        if let resolution = Resolution(rawValue: action.rawValue) {
            try Self.requireResolution(of: card, as: resolution, under: circumstances)
        } else if action == .retry {
            var card = card
            // Outside its delivery it would be verified, unless that may have arrived.
            if card.state == .delivering { card.state = .verified }
            try Self.requireRetry(of: card, under: circumstances)
        }
    }
}
