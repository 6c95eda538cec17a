/// What the bearer of a token may do.
package enum TokenScope: String, CaseIterable, Sendable, Codable, Comparable {
    /// Send cards in.
    case submit = "submit"
    /// See own cards, masked, and the metrics.
    case read = "read"
    /// Start and see runs.
    case run = "run"
    /// See all cards, masked; retry and resolve them.
    case review = "review"
    /// See what is personal of a card that one may see, with a purpose.
    case reveal = "reveal"
    /// Erase cards that one may change.
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

/// The closed set of ways in which personal data is revealed, or a person changes what becomes of it.
package enum AccessAction: String, CaseIterable, Sendable, Codable {
    /// A card was shown to a person, masked.
    case show = "show"
    /// What is personal of a card was shown to a person.
    case reveal = "reveal"
    /// Somebody asked for that who may not see it.
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
    /// A person decided on a page, or what waits for a second person, or took that back; what is carried out has its own line.
    case decide = "decide"
    case run = "run"
    /// A backup was about to be made.
    case backup = "backup"
    /// A backup took the place of the sandbox.
    case restore = "restore"
    /// Everything was wrapped with another key.
    case rotate = "rotate"
    /// An endpoint that was left alone is to be called now.
    case resume = "resume"
    /// The list of actions that two persons must decide alike was changed.
    case fourEyes = "four_eyes"

    /// What is personal was seen, or was asked for in vain.
    package static let looks: [AccessAction] = [.reveal, .revealDenied, .export]

    /// The scopes of which one is needed.
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

/// Who asks, and what they may do.
package struct Caller: Hashable, Sendable {
    /// The name of a token or of a webhook secret, `local`, or `user:` and the name of a user of the system.
    package let subject: String
    package let scopes: Set<TokenScope>

    package init(subject: String, scopes: Set<TokenScope>) {
        self.subject = subject
        self.scopes = scopes
    }

    /// The process itself. It has the key, as every command has, so it has all scopes.
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

    /// Whether a card of a submitter is there for this caller at all.
    package func sees(_ submitter: String) -> Bool { [nil, submitter].contains(self.submitter(for: .show)) }

    /// Whether an action may be done to a card of a submitter.
    package func may(_ action: AccessAction, on submitter: String) -> Bool {
        self.has(action.scopes) && [nil, submitter].contains(self.submitter(for: action))
    }
}
