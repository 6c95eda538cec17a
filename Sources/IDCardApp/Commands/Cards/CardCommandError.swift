import IDCardCore

/// Why a command on cards cannot be carried out: the user's own arguments, not the sandbox.
struct CardCommandError: Error {
    /// What is wrong and what to do; card ids at most.
    let message: String
    /// The status to end with.
    let status: CommandStatus

    /// There are no cards of these names.
    static func unknown(_ cards: [CardID]) -> CardCommandError {
        let names = cards.map(\.rawValue).joined(separator: ", ")
        return CardCommandError(
            message: "there is no card with the id given: \(names); `cards list` shows what there is",
            status: .inputUnreadable
        )
    }

    /// Several ids begin as the one given.
    static func ambiguous(_ id: CardID, _ cards: [CardID]) -> CardCommandError {
        let names = cards.prefix(3).map(\.rawValue).joined(separator: ", ") + (cards.count > 3 ? ", …" : "")
        return CardCommandError(
            message: "several cards have an id that begins with \(id): \(names); give more of it",
            status: .inputUnreadable
        )
    }

    /// Nothing is meant by what was given.
    static let noneFound = CardCommandError(
        message: "there is no card of that business number; `cards list` shows what there is",
        status: .inputUnreadable
    )

    /// A file cannot be written.
    static func unwritable(_ reason: String) -> CardCommandError {
        CardCommandError(message: "the export cannot be written: \(reason)", status: .inputUnreadable)
    }
}
