extension SandboxSchema {
    /// What makes version 2 of version 1: keys of their own for cards and deliveries, the access log, and what is known
    /// of images that brought a process down.
    static let version2: [String] = [
        // The key-encryption key under which new keys are wrapped; none in a sandbox that is not encrypted.
        "ALTER TABLE sandbox ADD COLUMN key_id TEXT",
        "ALTER TABLE vault_key ADD COLUMN key_id TEXT",
        // Where the access log ends, as a code under the chain key: a log that was cut off at its end is found.
        "ALTER TABLE sandbox ADD COLUMN access_head BLOB",
        dataKeyTable, accessLogTable, decoderCrashTable, erasureTable,
        // A person accepted it: no rule between cards leaves it to a person again.
        acceptedColumn,
        // Of its members, `card.business_no` says it; here it would outlive them.
        "ALTER TABLE delivery DROP COLUMN business_no",
        // What is over is never sent again, and held its TOKEN in the clear.
        forgetSentParts,
        // The fingerprint now covers the business number; the files are recognised by their content once.
        "DROP TABLE source_file",
        sourceFileTable2,
        sourceFileIndex,
        // Which erasures are still to be finished?
        erasureIndex,
        "CREATE INDEX data_key_key ON data_key (key_id)",
        "CREATE INDEX access_log_card ON access_log (card)",
        // What has been in its state for longer than its retention?
        "CREATE INDEX card_age ON card (state, changed_at)",
    ]

    static let acceptedColumn =
        "ALTER TABLE card ADD COLUMN is_accepted INTEGER NOT NULL DEFAULT 0 CHECK (is_accepted IN (0, 1))"
    static let forgetSentParts =
        "UPDATE delivery SET parts = x'', boundary = '' WHERE state NOT IN ('open', 'held')"
    static let sourceFileIndex = "CREATE INDEX source_file_card ON source_file (card)"
    static let erasureIndex = "CREATE INDEX erasure_open ON erasure (card) WHERE is_scrubbed = 0 OR is_certified = 0"

    /// The purpose under which the key of the access log's chain is kept.
    static let chainKeyPurpose = "chain"

    /// `owner` is a card or a delivery; `bytes` is its data key, wrapped by the key-encryption key `key_id`. Destroying
    /// the row makes everything sealed for the owner unreadable for ever.
    private static let dataKeyTable = """
        CREATE TABLE data_key (
            owner TEXT NOT NULL PRIMARY KEY,
            key_id TEXT NOT NULL,
            bytes BLOB NOT NULL
        ) STRICT, WITHOUT ROWID
        """

    /// Every reveal of personal data: who, when, why, of which card, without the data. `mac` is the HMAC-SHA256, under
    /// the chain key, of the line and of the `mac` before it. Lines outlive their card.
    private static let accessLogTable = """
        CREATE TABLE access_log (
            number INTEGER PRIMARY KEY,
            at INTEGER NOT NULL,
            actor TEXT NOT NULL,
            action TEXT NOT NULL,
            purpose TEXT NOT NULL,
            card TEXT,
            mac BLOB NOT NULL
        ) STRICT
        """

    /// What every erasure came to, as JSON without personal data, and what of it is still to be done.
    static let erasureTable = """
        CREATE TABLE erasure (
            card TEXT NOT NULL PRIMARY KEY REFERENCES card (id) ON DELETE CASCADE,
            certificate TEXT NOT NULL,
            is_scrubbed INTEGER NOT NULL DEFAULT 0 CHECK (is_scrubbed IN (0, 1)),
            is_certified INTEGER NOT NULL DEFAULT 0 CHECK (is_certified IN (0, 1))
        ) STRICT, WITHOUT ROWID
        """

    /// Source bytes during whose preparation a process ended uncleanly, and how often.
    private static let decoderCrashTable = """
        CREATE TABLE decoder_crash (
            content_fingerprint BLOB NOT NULL PRIMARY KEY,
            count INTEGER NOT NULL CHECK (count >= 1)
        ) STRICT, WITHOUT ROWID
        """

    /// The fingerprint is that of path and business number: under one business number a path stands once, for what it
    /// held when it was last taken in. `content_fingerprint` is that of path, business number and bytes: by it a file that
    /// was touched or copied anew over itself does not bring an erased person back.
    static let sourceFileTable2 = """
        CREATE TABLE source_file (
            path_fingerprint BLOB NOT NULL PRIMARY KEY,
            device INTEGER NOT NULL,
            inode INTEGER NOT NULL,
            size INTEGER NOT NULL,
            modified_ns INTEGER NOT NULL,
            card TEXT NOT NULL REFERENCES card (id) ON DELETE CASCADE,
            content_fingerprint BLOB
        ) STRICT, WITHOUT ROWID
        """
}
