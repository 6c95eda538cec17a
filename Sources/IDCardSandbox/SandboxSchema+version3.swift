import IDCardCore
import IDCardPipeline

extension SandboxSchema {
    /// What makes version 3 of version 2: cards whose image is not decoded, or not even here yet, and what tells repeated
    /// requests and runs on demand apart.
    static let version3: [String] = [
        sourcePieceTable, fetchTable, fetchAttemptTable, receiptTable, sourceRunTable,
        "CREATE INDEX receipt_card ON receipt (card)",
        // Which receipts are old enough to be forgotten?
        "CREATE INDEX receipt_age ON receipt (created_at)",
        // Which runs go on, and of which source?
        "CREATE INDEX source_run_state ON source_run (state, started_at)",
    ]

    /// The most bytes of one piece, before they are sealed: what is read or written at a time stays small.
    static let largestPiece = 1 << 20

    /// The source bytes of a card that has no image yet, in pieces that never overlap. Sealed: `bytes`, for its offset.
    private static let sourcePieceTable = """
        CREATE TABLE source_piece (
            card TEXT NOT NULL REFERENCES card (id) ON DELETE CASCADE,
            start INTEGER NOT NULL CHECK (start >= 0),
            byte_count INTEGER NOT NULL CHECK (byte_count BETWEEN 1 AND \(largestPiece)),
            bytes BLOB NOT NULL,
            PRIMARY KEY (card, start)
        ) STRICT
        """

    /// There as long as an image is still to be fetched. Sealed: `url`, `validator`.
    private static let fetchTable = """
        CREATE TABLE fetch (
            card TEXT NOT NULL PRIMARY KEY REFERENCES card (id) ON DELETE CASCADE,
            url BLOB NOT NULL,
            validator BLOB,
            byte_count INTEGER CHECK (byte_count >= 0)
        ) STRICT, WITHOUT ROWID
        """

    /// Apart from `attempt`, whose rows of a card say what the verification service may have seen.
    private static let fetchAttemptTable = """
        CREATE TABLE fetch_attempt (
            card TEXT NOT NULL REFERENCES card (id) ON DELETE CASCADE,
            ordinal INTEGER NOT NULL CHECK (ordinal >= 1),
            started_at INTEGER NOT NULL,
            ended_at INTEGER NOT NULL,
            class TEXT NOT NULL CHECK (class IN (\(list(FailureClass.allCases)))),
            code TEXT NOT NULL,
            http_status INTEGER,
            PRIMARY KEY (card, ordinal)
        ) STRICT, WITHOUT ROWID
        """

    /// `name_fingerprint` is that of scope and name, `request_fingerprint` that of all that the request said. It outlives
    /// what its card holds: a repeated request does not bring an erased person back.
    private static let receiptTable = """
        CREATE TABLE receipt (
            name_fingerprint BLOB NOT NULL PRIMARY KEY,
            request_fingerprint BLOB NOT NULL,
            card TEXT NOT NULL REFERENCES card (id) ON DELETE CASCADE,
            created_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID
        """

    /// `counts` is a JSON object; refusals by their code stand in it as `refused:CODE`.
    private static let sourceRunTable = """
        CREATE TABLE source_run (
            id TEXT NOT NULL PRIMARY KEY,
            source TEXT NOT NULL,
            state TEXT NOT NULL CHECK (state IN (\(list(SourceRun.State.allCases)))),
            reason TEXT,
            counts TEXT NOT NULL,
            started_at INTEGER NOT NULL,
            ended_at INTEGER,
            CHECK ((state = 'running') = (ended_at IS NULL))
        ) STRICT, WITHOUT ROWID
        """
}
