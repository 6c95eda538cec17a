extension SandboxSchema {
    /// The indexes of version 1; each names the question it answers.
    static let indexes: [String] = [
        // Is this card here already? Holds "one live card per bytes and business number" whatever the program does.
        """
        CREATE UNIQUE INDEX card_content ON card (content_fingerprint, business_no) WHERE state <> 'erased'
        """,
        // Which cards are next? In the order of the claim, so that no backlog is ever sorted.
        """
        CREATE INDEX card_claim ON card (state, priority DESC, intake_order, due_at) WHERE lease_owner IS NULL
        """,
        "CREATE INDEX card_due ON card (state, due_at) WHERE lease_owner IS NULL",
        "CREATE INDEX card_lease ON card (lease_owner, lease_expires_at) WHERE lease_owner IS NOT NULL",
        // What do the rules of this business number look at? Which of them have work?
        "CREATE INDEX card_business ON card (business_no, intake_order)",
        "CREATE INDEX card_verified ON card (state, business_no) WHERE state = 'verified'",
        // Lists and counts.
        "CREATE INDEX card_order ON card (intake_order)",
        "CREATE INDEX card_state ON card (state, intake_order)",
        "CREATE INDEX card_delivery ON card (delivery) WHERE delivery IS NOT NULL",
        """
        CREATE INDEX delivery_claim ON delivery (state, priority DESC, number, due_at) WHERE lease_owner IS NULL
        """,
        "CREATE INDEX delivery_due ON delivery (state, due_at) WHERE lease_owner IS NULL",
        "CREATE INDEX delivery_lease ON delivery (lease_owner, lease_expires_at) WHERE lease_owner IS NOT NULL",
        "CREATE INDEX delivery_card_card ON delivery_card (card)",
        "CREATE INDEX reading_key ON reading (key_fingerprint, provider, parameters)",
        "CREATE UNIQUE INDEX attempt_card ON attempt (card, ordinal) WHERE card IS NOT NULL",
        "CREATE UNIQUE INDEX attempt_delivery ON attempt (delivery, ordinal) WHERE delivery IS NOT NULL",
        "CREATE INDEX event_card ON event (card, id)",
        "CREATE INDEX source_file_card ON source_file (card)",
    ]
}
