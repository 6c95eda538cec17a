import CardModel

/// A rule that a sound sandbox keeps, with a query that selects the cards that break it.
struct CheckRule: Sendable {
    /// What is wrong, and what to do. The code of the finding comes from the message's id.
    let message: Message
    /// Selects the identifier of each card that breaks the rule.
    let query: SQL
    /// The changes that repair the broken rows without a risk; each selects these rows itself.
    var mends: [SQL] = []

    var code: String { SandboxFinding(self.message).code }

    static let all = Self.ofWork + Self.ofRemains

    /// Rules of the life of a card, of deliveries, numbers and work.
    static let ofWork = [
        // MARK: The life of a card
        CheckRule(
            message: .fsckImageMissing,
            query: """
                SELECT id FROM card WHERE state IN \(literals: .prepared, .verified, .delivering)
                AND NOT EXISTS (SELECT 1 FROM blob WHERE blob.card = card.id AND blob.kind = \(literal: .image))
                """
        ),
        // Skips cards without `prepared`: an operator may mark a card as delivered that never had an image, or lost it.
        CheckRule(
            message: .fsckDeliveredImageMissing,
            query: """
                SELECT id FROM card WHERE state = \(literal: .delivered) AND image_dropped_at IS NULL AND prepared IS NOT NULL
                AND NOT EXISTS (SELECT 1 FROM blob WHERE blob.card = card.id AND blob.kind = \(literal: .image))
                """
        ),
        CheckRule(
            message: .fsckReadingMissing,
            query: """
                SELECT id FROM card WHERE state IN \(literals: .verified, .delivering)
                AND NOT EXISTS (SELECT 1 FROM reading WHERE reading.card = card.id)
                """
        ),
        CheckRule(
            message: .fsckDeliveredWithoutDelivery,
            query: """
                SELECT id FROM card WHERE state = \(literal: .delivered) AND NOT EXISTS (
                    SELECT 1 FROM delivery_card JOIN delivery ON delivery.id = delivery_card.delivery
                    WHERE delivery_card.card = card.id AND delivery.state IN \(deliveries: .delivered, .closed)
                ) AND id NOT IN (SELECT card FROM access_log WHERE action = 'resolve' AND card IS NOT NULL)
                """
        ),
        CheckRule(
            message: .fsckNeverDecided,
            query: """
                SELECT card.id FROM card JOIN cases ON cases.number = card.number
                WHERE card.state = \(literal: .verified) AND card.reason IS NULL AND cases.decide_at IS NULL
                """,
            mends: [
                """
                UPDATE cases SET decide_from = 0, decide_at = 0 WHERE decide_at IS NULL
                AND number IN (SELECT number FROM card WHERE state = \(literal: .verified) AND reason IS NULL)
                """
            ]
        ),
        // MARK: Deliveries
        CheckRule(
            message: .fsckDeliveringWithoutDelivery,
            query: """
                SELECT card.id FROM card LEFT JOIN delivery ON delivery.id = card.delivery
                WHERE card.state = \(literal: .delivering) AND (delivery.id IS NULL OR delivery.state <> \(delivery: .open))
                """
        ),
        CheckRule(
            message: .fsckDeliveryWithoutMembers,
            query: """
                SELECT min(delivery_card.card) FROM delivery LEFT JOIN delivery_card ON delivery_card.delivery = delivery.id
                WHERE delivery.state = \(delivery: .open) AND NOT EXISTS (
                    SELECT 1 FROM delivery_card AS member JOIN card ON card.id = member.card
                    WHERE member.delivery = delivery.id AND card.delivery = delivery.id AND card.state = \(literal: .delivering)
                ) GROUP BY delivery.id
                """
        ),
        CheckRule(
            message: .fsckMemberNotDelivering,
            query: """
                SELECT card.id FROM delivery_card JOIN delivery ON delivery.id = delivery_card.delivery
                JOIN card ON card.id = delivery_card.card
                WHERE delivery.state = \(delivery: .open) AND card.state <> \(literal: .delivering) AND EXISTS (
                    SELECT 1 FROM card AS other WHERE other.delivery = delivery.id AND other.state = \(literal: .delivering)
                    AND other.id IN (SELECT card FROM delivery_card AS member WHERE member.delivery = delivery.id)
                )
                """
        ),
        CheckRule(
            message: .fsckNotAMember,
            query: """
                SELECT id FROM card WHERE delivery IS NOT NULL AND state IN \(literals: .delivering, .delivered) AND NOT EXISTS (
                    SELECT 1 FROM delivery_card WHERE delivery_card.delivery = card.delivery AND delivery_card.card = card.id
                )
                """
        ),
        CheckRule(
            message: .fsckInTwoDeliveries,
            query: """
                SELECT delivery_card.card FROM delivery_card JOIN delivery ON delivery.id = delivery_card.delivery
                WHERE delivery.state IN \(deliveries: .open, .kept) GROUP BY delivery_card.card HAVING count(*) > 1
                """
        ),
        CheckRule(
            message: .fsckKeptWithoutCard,
            query: """
                SELECT min(delivery_card.card) FROM delivery JOIN delivery_card ON delivery_card.delivery = delivery.id
                JOIN card ON card.id = delivery_card.card WHERE delivery.state = \(delivery: .kept)
                GROUP BY delivery.id HAVING count(*) FILTER (WHERE card.state = \(literal: .held)) = 0
                """,
            mends: [
                """
                UPDATE delivery SET state = \(delivery: .closed), parts = NULL WHERE state = \(delivery: .kept) AND NOT EXISTS (
                    SELECT 1 FROM delivery_card JOIN card ON card.id = delivery_card.card
                    WHERE delivery_card.delivery = delivery.id AND card.state = \(literal: .held)
                )
                """
            ]
        ),
        CheckRule(
            message: .fsckDeliveryWithoutAttempt,
            query: """
                SELECT delivery_card.card FROM delivery JOIN delivery_card ON delivery_card.delivery = delivery.id
                WHERE NOT EXISTS (SELECT 1 FROM attempt WHERE attempt.subject = delivery.id AND attempt.stage = \(literal: .deliver))
                """
        ),
        CheckRule(
            message: .fsckUnknownWithoutDelivery,
            query: """
                SELECT id FROM card WHERE state = \(literal: .held) AND reason = 'outcome_unknown' AND NOT EXISTS (
                    SELECT 1 FROM delivery_card JOIN delivery ON delivery.id = delivery_card.delivery
                    WHERE delivery_card.card = card.id AND delivery_card.outcome_unknown = 1 AND delivery.may_be_applied = 1
                )
                """
        ),
        // MARK: Business numbers
        CheckRule(
            message: .fsckDeliveredNotNoted,
            query: """
                SELECT card.id FROM card JOIN cases ON cases.number = card.number
                WHERE \(Self.isNotRecorded("front")) OR \(Self.isNotRecorded("back"))
                """,
            mends: [Self.recordNewest("front"), Self.recordNewest("back")]
        ),
        CheckRule(
            message: .fsckSecondHolder,
            query: """
                SELECT card.id FROM card JOIN cases ON cases.number = card.number
                WHERE cases.disputed = 0 AND card.holder IS NOT NULL
                AND (cases.holder IS NULL OR cases.holder <> card.holder)
                """,
            mends: [
                """
                UPDATE cases SET holder = (
                    SELECT holder FROM card WHERE card.number = cases.number AND holder IS NOT NULL ORDER BY intake_order LIMIT 1
                ) WHERE holder IS NULL
                """,
                """
                UPDATE cases SET disputed = 1, revision = revision + 1, decide_from = 0, decide_at = 0 WHERE disputed = 0 AND EXISTS (
                    SELECT 1 FROM card WHERE card.number = cases.number AND card.holder <> cases.holder
                )
                """,
            ]
        ),
        CheckRule(
            message: .fsckOrderAhead,
            query: "SELECT id FROM card WHERE intake_order >= (SELECT next_order FROM store)",
            mends: [
                """
                UPDATE store SET next_order = (SELECT max(intake_order) + 1 FROM card)
                WHERE next_order <= (SELECT max(intake_order) FROM card)
                """
            ]
        ),
        // MARK: Work
        CheckRule(
            message: .fsckAttemptOfNobody,
            query: """
                SELECT coalesce(delivery_card.card, attempt.subject) FROM attempt
                LEFT JOIN delivery_card ON delivery_card.delivery = attempt.subject
                WHERE \(Self.isOfUnknownWorker)
                """,
            mends: [
                """
                UPDATE delivery SET may_be_applied = 1
                WHERE id IN (SELECT subject FROM attempt WHERE \(Self.isOfUnknownWorker))
                """,
                """
                UPDATE attempt SET ended_at = started_at, class = \(failure: .unknown), code = 'interrupted'
                WHERE \(Self.isOfUnknownWorker)
                """,
            ]
        ),
    ]

    /// Rules about keys, and about what may be left of an erased card.
    static let ofRemains = [
        CheckRule(
            message: .fsckKeyMissing,
            query: "SELECT id FROM card WHERE state <> \(literal: .erased) AND id NOT IN (SELECT card FROM card_key)"
        ),
        CheckRule(
            message: .fsckErasedWithRemains,
            query: """
                SELECT id FROM card WHERE state = \(literal: .erased) AND (
                    metadata IS NOT NULL OR message IS NOT NULL OR source IS NOT NULL OR prepared IS NOT NULL OR host IS NOT NULL
                    OR holder IS NOT NULL OR id IN (SELECT card FROM card_key) OR id IN (SELECT card FROM blob)
                    OR id IN (SELECT card FROM reading)
                    OR id IN (SELECT card FROM decision WHERE dropped = 0 OR message IS NOT NULL)
                    OR EXISTS (SELECT 1 FROM event WHERE event.card = card.id AND event.message IS NOT NULL)
                )
                """
        ),
    ]

    private static let isOfUnknownWorker: SQL =
        "attempt.ended_at IS NULL AND attempt.worker NOT IN (SELECT id FROM worker)"

    /// Selects delivered cards that are newer than the photo that their case stores for a side. If only one of the two has a
    /// time, the comparison proves nothing: by its time, a third photo may be the newest.
    private static func isNotRecorded(_ side: SQL) -> SQL {
        let recorded = PhotoAge.delivered(side, of: "cases")
        return """
            (card.state = \(literal: .delivered) AND coalesce(card.side, card.expected_side) = '\(side)'
                AND card.intake_order > \(recorded.order)
                AND (\(recorded.order) = 0 OR (card.taken IS NULL) = (\(recorded.taken) IS NULL))
                AND \(PhotoAge.isNewer(("card.intake_order", "card.taken"), than: recorded)))
            """
    }

    /// Stores with each case the newest delivered card of a side.
    private static func recordNewest(_ side: SQL) -> SQL {
        func isDelivered(_ table: SQL) -> SQL {
            "\(table).state = \(literal: .delivered) AND coalesce(\(table).side, \(table).expected_side) = '\(side)'"
        }
        let isNewer = PhotoAge.isNewer(("other.intake_order", "other.taken"), than: ("card.intake_order", "card.taken"))
        return """
            UPDATE cases SET revision = revision + 1, (\(side)_delivered, \(side)_taken) = (
                SELECT intake_order, taken FROM card WHERE number = cases.number AND \(isDelivered("card")) ORDER BY (
                    SELECT count(*) FROM card AS other
                    WHERE other.number = card.number AND \(isDelivered("other")) AND \(isNewer)
                ), intake_order DESC LIMIT 1
            ) WHERE EXISTS (SELECT 1 FROM card WHERE card.number = cases.number AND \(Self.isNotRecorded(side)))
            """
    }
}
