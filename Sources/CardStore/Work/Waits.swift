import CardModel

// Each wait is stored with both its ends, as `due_from` and `due_at`: see ``Wait``.
extension Wait {
    /// Selects the cards or deliveries that wait for no time.
    static func isOver(at now: Timestamp) -> SQL {
        "(due_at IS NULL OR due_at <= \(now) OR due_from > \(now))"
    }

    /// When the first of the rows that a condition selects waits no more; 0 for one that need not wait.
    static func next(at now: Timestamp) -> SQL {
        "min(CASE WHEN due_at IS NULL OR due_from > \(now) THEN 0 ELSE due_at END)"
    }

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
