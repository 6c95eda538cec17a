/// A permission of the bearer of a token.
package enum TokenScope: String, CaseIterable, Sendable, Codable, Comparable {
    /// Send cards in.
    case submit = "submit"
    /// See own cards, masked, and the metrics.
    case read = "read"
    /// Start and see runs.
    case run = "run"
    /// See all cards, masked; retry and resolve them.
    case review = "review"
    /// See personal values of a card that the caller may see, with a purpose.
    case reveal = "reveal"
    /// Erase cards that the caller may change.
    case erase = "erase"
    /// See all cards, masked, and the access log.
    case audit = "audit"
    /// All of these, and reveal without a quota.
    case operate = "operate"

    package static func < (lhs: TokenScope, rhs: TokenScope) -> Bool { lhs.rawValue < rhs.rawValue }
}

extension CaseIterable where Self: RawRepresentable<String> {
    /// All of them, for people.
    package static var known: String { Self.allCases.map(\.rawValue).joined(separator: ", ") }
}

/// The closed set of actions that reveal personal data or decide about it.
package enum AccessAction: String, CaseIterable, Sendable, Codable {
    /// A card was shown to a person, masked.
    case show = "show"
    /// Personal values of a card were shown to a person.
    case reveal = "reveal"
    /// A caller asked for personal values without permission.
    case revealDenied = "reveal_denied"
    /// All data of a card was written out.
    case export = "export"
    /// The names of photos were written out as a list.
    case list = "list"
    /// The access log was written out.
    case log = "log"
    /// The image was about to be sent to the verification service.
    case verify = "verify"
    /// The image and what goes with it were about to be sent to the business backend.
    case deliver = "deliver"
    case erase = "erase"
    case retry = "retry"
    case resolve = "resolve"
    /// A person decided on a page or pending a second person, or withdrew that; carrying it out has a line of its own.
    case decide = "decide"
    case run = "run"
    /// A backup was about to be made.
    case backup = "backup"
    /// A backup replaced the sandbox.
    case restore = "restore"
    /// Everything was wrapped with another key.
    case rotate = "rotate"
    /// A paused endpoint must be called now.
    case resume = "resume"
    /// The list of actions that two persons must agree on was changed.
    case fourEyes = "four_eyes"

    /// Personal values were seen, or were refused.
    package static let looks: [AccessAction] = [.reveal, .revealDenied, .export]

    /// The scopes, any of which permits the action.
    package var scopes: [TokenScope] {
        switch self {
        case .show: [.read, .review, .audit]
        case .reveal: [.reveal]
        case .retry, .resolve, .decide: [.review]
        case .erase: [.erase]
        case .log: [.audit]
        case .run: [.run]
        case .export, .list, .verify, .deliver, .backup, .restore, .rotate, .resume, .revealDenied, .fourEyes:
            [.operate]
        }
    }
}

/// The client or user of a call, with its scopes.
package struct Caller: Hashable, Sendable {
    /// The name of a token or of a webhook secret, `local`, or `user:` and the name of a user of the system.
    package let subject: String
    /// Whose cards it sends and sees: all persons of a branch may have one submitter. What a person does hangs on ``subject``.
    package let submitter: String
    package let scopes: Set<TokenScope>

    package init(subject: String, submitter: String? = nil, scopes: Set<TokenScope>) {
        (self.subject, self.submitter, self.scopes) = (subject, submitter ?? subject, scopes)
    }

    /// The process itself. It has the key, as every command has, so it has all scopes.
    package static let process = Caller(subject: "local", scopes: [.operate])

    /// Whether the caller has at least one of the scopes.
    package func has(_ scopes: [TokenScope]) -> Bool {
        self.scopes.contains(.operate) || !self.scopes.isDisjoint(with: scopes)
    }

    /// Returns the submitter whose cards the action may affect; `nil` for all submitters.
    package func submitter(for action: AccessAction) -> String? {
        // An auditor sees all cards, but changes none.
        self.has(action == .show ? [.review, .audit] : [.review]) ? nil : self.submitter
    }

    /// Whether this caller may see the cards of a submitter.
    package func sees(_ submitter: String) -> Bool { [nil, submitter].contains(self.submitter(for: .show)) }

    /// Whether the caller may perform an action on a card of a submitter.
    package func may(_ action: AccessAction, on submitter: String) -> Bool {
        self.has(action.scopes) && [nil, submitter].contains(self.submitter(for: action))
    }
}
