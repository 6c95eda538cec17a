/// What the bearer of a token may do.
package enum TokenScope: String, CaseIterable, Sendable, Codable, Comparable {
    /// Send cards in.
    case submit
    /// See own cards, masked, and the metrics.
    case read
    /// Start and see runs.
    case run
    /// See all cards, masked; retry and resolve them.
    case review
    /// See what is personal of a card that one may see, with a purpose.
    case reveal
    /// Erase cards that one may change.
    case erase
    /// See all cards, masked, and the access log.
    case audit
    /// All of these, and reveal without a quota.
    case operate

    /// All of them, for people.
    package static var known: String { Self.allCases.map(\.rawValue).joined(separator: ", ") }

    package static func < (lhs: TokenScope, rhs: TokenScope) -> Bool { lhs.rawValue < rhs.rawValue }
}

/// The closed set of ways in which personal data is revealed, or a person changes what becomes of it.
package enum AccessAction: String, CaseIterable, Sendable, Codable {
    /// A card was shown to a person, masked.
    case show
    /// What is personal of a card was shown to a person.
    case reveal
    /// Somebody asked for that who may not see it.
    case revealDenied = "reveal_denied"
    /// All data of a card was written out.
    case export
    /// The access log was written out.
    case log
    /// The image was about to be sent to the verification service.
    case verify
    /// The image and what goes with it were about to be sent to the business backend.
    case deliver
    /// The card was erased.
    case erase
    /// A person had the card done again.
    case retry
    /// A person decided what becomes of a card.
    case resolve
    /// A run over a source was asked for.
    case run
    /// A backup was about to be made.
    case backup
    /// A backup took the place of the sandbox.
    case restore
    /// Everything was wrapped with another key.
    case rotate
}

/// Who asks, and what they may do.
package struct Caller: Hashable, Sendable {
    /// Why somebody may not do something.
    package enum Refusal: Hashable, Sendable {
        /// None of these scopes is there.
        case lacks([TokenScope])
        /// The card is another's: whether there is one is not told.
        case unseen
    }

    /// The name of a token or of a webhook secret, `local`, or `user:` and the name of a user of the system.
    package let subject: String
    package let scopes: Set<TokenScope>

    package init(subject: String, scopes: Set<TokenScope>) {
        self.subject = subject
        self.scopes = scopes
    }

    /// The process itself. Like everybody on the command line it has the key, so that no scope would keep it from anything.
    package static let process = Caller(subject: "local", scopes: [.operate])

    /// Whether one of some scopes is there.
    package func has(_ scopes: [TokenScope]) -> Bool {
        self.scopes.contains(.operate) || !self.scopes.isDisjoint(with: scopes)
    }

    /// Whose cards an action may be done to: those of one submitter, or of all if `nil`.
    package func submitter(for action: AccessAction) -> String? {
        // Who audits looks at all cards, but does nothing to them.
        self.has(action == .show ? [.review, .audit] : [.review]) ? nil : self.subject
    }

    /// Why an action may not be done to a card; `nil` if it may.
    package func refusal(of action: AccessAction, on submitter: String) -> Refusal? {
        // First whether it is there for this caller at all.
        guard [nil, submitter].contains(self.submitter(for: .show)) else { return .unseen }
        guard self.has(action.scopes) else { return .lacks(action.scopes) }
        return [nil, submitter].contains(self.submitter(for: action)) ? nil : .unseen
    }
}

extension AccessAction {
    /// The scopes of which one is needed.
    package var scopes: [TokenScope] {
        switch self {
        case .show: [.read, .review, .audit]
        case .reveal: [.reveal]
        case .retry, .resolve: [.review]
        case .erase: [.erase]
        case .log: [.audit]
        case .run: [.run]
        case .export, .verify, .deliver, .backup, .restore, .rotate, .revealDenied: [.operate]
        }
    }
}
