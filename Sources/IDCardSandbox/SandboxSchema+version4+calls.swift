import IDCardPipeline

extension SandboxSchema {
    /// What is known of the calls to the endpoints beside their attempts.
    static let calls: [String] = [
        callFailureTable, endpointTable,
        "CREATE INDEX call_failure_card ON call_failure (card)",
        "INSERT INTO endpoint (stage) VALUES \(Stage.allCases.map { "('\($0.rawValue)')" }.joined(separator: ", "))",
    ]

    /// A row per card and stage whose calls have failed since the endpoint last took it; most cards never have one.
    /// `number` is the order of the last failures, `code` that of the last `stop`. A row whose card has ended is kept until the endpoint takes a call.
    private static let callFailureTable = """
        CREATE TABLE call_failure (
            number INTEGER PRIMARY KEY,
            stage TEXT NOT NULL CHECK (stage IN (\(list(Stage.allCases)))),
            card TEXT NOT NULL REFERENCES card (id) ON DELETE CASCADE,
            failures INTEGER NOT NULL CHECK (failures >= 1),
            first_at INTEGER NOT NULL,
            last_at INTEGER NOT NULL,
            stopped_at INTEGER,
            code TEXT,
            CHECK ((stopped_at IS NULL) = (code IS NULL)),
            UNIQUE (stage, card)
        ) STRICT
        """

    /// `succeeded_from` is when the latest call began that the endpoint took, while any card had failed there; 0 for none.
    private static let endpointTable = """
        CREATE TABLE endpoint (
            stage TEXT NOT NULL PRIMARY KEY CHECK (stage IN (\(list(Stage.allCases)))),
            succeeded_from INTEGER NOT NULL DEFAULT 0
        ) STRICT, WITHOUT ROWID
        """
}
