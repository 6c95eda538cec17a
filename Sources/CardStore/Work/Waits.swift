import CardModel

// Each wait is stored with both its ends, as `due_from` and `due_at`: see ``Wait``.
extension Wait {
    /// Selects the cards or deliveries that wait for no time.
    static func isOver(at now: Timestamp) -> SQL { "(due_at IS NULL OR \(Self.hasEnded(at: now)))" }

    /// Selects those whose wait is over but still written down.
    static func hasEnded(at now: Timestamp) -> SQL { "(due_at <= \(now) OR due_from > \(now))" }

    /// Assigns a wait that begins now; `nil` ends it.
    static func assigning(until end: Timestamp?, from now: Timestamp) -> SQL {
        "due_from = \(end.map { _ in now }), due_at = \(end)"
    }

    init?(_ row: inout Row) throws {
        let (from, until) = (try row.next(Timestamp?.self), try row.next(Timestamp?.self))
        guard let from, let until else { return nil }
        self.init(from: from, until: until)
    }
}
