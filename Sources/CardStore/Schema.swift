import CardModel
import Crypto
import Foundation
import GRDB

/// The tables of a sandbox, version 1.
///
/// Until the first package, a changed schema means another kind of sandbox: earlier ones are refused by their digest. After
/// that the schema migrates, with a fixture per version.
enum Schema {
    /// Marks the file as a sandbox (`PRAGMA application_id`): "IDC2".
    static let applicationID = 0x4944_4332
    /// The version that this program writes (`PRAGMA user_version`).
    static let version = 1

    /// The SHA-256 of the schema's text in hexadecimal; a sandbox stores it, and opening compares it.
    static let digest = ContentDigest(of: Data("\(Self.tables.text)\n\(Self.indexes.text)".utf8)).bytes.hexadecimal

    /// Lays out an empty file, before its journal becomes a write-ahead log: after that the page size is fixed.
    static func layOut(_ connection: GRDB.Database) throws {
        // Both take effect only before the first table.
        try connection.execute(sql: "PRAGMA page_size = 8192")
        try connection.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL")
        try connection.execute(sql: "VACUUM")
    }

    /// Makes the tables within the transaction that makes the sandbox.
    static func createTables(on connection: GRDB.Database) throws {
        for sql in [Self.tables, Self.indexes] { try connection.execute(sql: sql.text) }
        try connection.execute(sql: "PRAGMA application_id = \(Self.applicationID)")
        try connection.execute(sql: "PRAGMA user_version = \(Self.version)")
    }

    /// Strict: a column holds its type or `NULL`, so that a row changed by hand cannot stop the work on all others. The sets of
    /// words are those of the enums.
    private static let tables: SQL = """
        CREATE TABLE store (
            number INTEGER PRIMARY KEY CHECK (number = 1),
            id TEXT NOT NULL,
            schema TEXT NOT NULL,
            kind TEXT NOT NULL CHECK (kind IN \(all: Sandbox.Kind.self)),
            key_id TEXT NOT NULL,
            sealed_keys BLOB NOT NULL,
            next_order INTEGER NOT NULL,
            seen_at INTEGER NOT NULL,
            tallied INTEGER NOT NULL DEFAULT 0,
            doubted_since INTEGER,
            doubted_until INTEGER,
            log_seal BLOB NOT NULL,
            scrubbed INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        CREATE TABLE worker (
            id TEXT PRIMARY KEY,
            command TEXT NOT NULL,
            process INTEGER NOT NULL,
            started_at INTEGER NOT NULL,
            seen_at INTEGER NOT NULL,
            staying INTEGER NOT NULL DEFAULT 0,
            barred TEXT NOT NULL DEFAULT '',
            shut INTEGER NOT NULL DEFAULT 0 CHECK (shut IN (0, 1)),
            boot TEXT NOT NULL DEFAULT '',
            stalled TEXT CHECK (stalled IN \(all: Stage.self)),
            stalled_since INTEGER,
            CHECK ((stalled IS NULL) = (stalled_since IS NULL))
        ) STRICT;
        CREATE TABLE cases (
            number TEXT PRIMARY KEY,
            key TEXT NOT NULL UNIQUE,
            submitter TEXT NOT NULL,
            holder BLOB,
            disputed INTEGER NOT NULL DEFAULT 0 CHECK (disputed IN (0, 1)),
            front_delivered INTEGER,
            front_taken INTEGER,
            back_delivered INTEGER,
            back_taken INTEGER,
            priority INTEGER NOT NULL DEFAULT 0,
            revision INTEGER NOT NULL DEFAULT 0,
            decide_from INTEGER,
            decide_at INTEGER,
            state TEXT CHECK (state IN \(all: CaseState.self)),
            cause TEXT,
            cause_card TEXT,
            since INTEGER,
            foreign_since INTEGER,
            ended INTEGER NOT NULL DEFAULT 0 CHECK (ended IN (0, 1)),
            rejected_order INTEGER,
            personal INTEGER NOT NULL DEFAULT 0 CHECK (personal BETWEEN 0 AND 2),
            claimed_by TEXT,
            claimed_tab TEXT,
            claimed_until INTEGER,
            CHECK ((state IS NULL) = (since IS NULL)),
            CHECK ((claimed_by IS NULL) = (claimed_until IS NULL) AND (claimed_by IS NULL) = (claimed_tab IS NULL)),
            CHECK (disputed = 0 OR holder IS NOT NULL),
            CHECK (decide_at IS NULL OR decide_from IS NOT NULL)
        ) STRICT;
        CREATE TABLE delivery (
            id TEXT PRIMARY KEY,
            key TEXT NOT NULL UNIQUE,
            layout TEXT NOT NULL,
            body TEXT NOT NULL,
            boundary TEXT NOT NULL,
            parts BLOB,
            state TEXT NOT NULL CHECK (state IN \(all: DeliveryState.self)),
            may_be_applied INTEGER NOT NULL DEFAULT 0 CHECK (may_be_applied IN (0, 1)),
            worker TEXT REFERENCES worker (id),
            failures INTEGER NOT NULL DEFAULT 0,
            tries INTEGER NOT NULL DEFAULT 0,
            failed_at INTEGER,
            counts_from INTEGER,
            due_from INTEGER,
            due_at INTEGER,
            unreadable INTEGER NOT NULL DEFAULT 0 CHECK (unreadable IN (0, 1)),
            priority INTEGER NOT NULL,
            formed_at INTEGER NOT NULL,
            changed_at INTEGER NOT NULL,
            CHECK ((parts IS NOT NULL) = (state IN \(deliveries: .open, .kept))),
            CHECK (worker IS NULL OR state = \(delivery: .open)),
            CHECK (due_at IS NULL OR due_from IS NOT NULL)
        ) STRICT;
        CREATE TABLE card (
            id TEXT PRIMARY KEY,
            state TEXT NOT NULL CHECK (state IN \(all: CardState.self)),
            number TEXT NOT NULL REFERENCES cases (number) ON UPDATE CASCADE,
            submitter TEXT NOT NULL,
            sent_by TEXT NOT NULL,
            side TEXT CHECK (side IN \(all: CardSide.self)),
            expected_side TEXT CHECK (expected_side IN \(all: CardSide.self)),
            intake_order INTEGER NOT NULL UNIQUE,
            taken INTEGER,
            priority INTEGER NOT NULL,
            beside TEXT,
            part INTEGER NOT NULL DEFAULT 0,
            source BLOB,
            prepared BLOB,
            host TEXT,
            holder BLOB,
            reason TEXT,
            remote_code TEXT,
            message BLOB,
            metadata BLOB,
            waits_until INTEGER NOT NULL,
            due_from INTEGER,
            due_at INTEGER,
            waits INTEGER NOT NULL DEFAULT 0 CHECK (waits IN (0, 1)),
            worker TEXT REFERENCES worker (id),
            failures INTEGER NOT NULL DEFAULT 0,
            tries INTEGER NOT NULL DEFAULT 0,
            failed_at INTEGER,
            counts_from INTEGER,
            unreadable INTEGER NOT NULL DEFAULT 0 CHECK (unreadable IN (0, 1)),
            shrunk INTEGER NOT NULL DEFAULT 0 CHECK (shrunk IN (0, 1)),
            accepted INTEGER NOT NULL DEFAULT 0 CHECK (accepted IN (0, 1)),
            without_front INTEGER NOT NULL DEFAULT 0 CHECK (without_front IN (0, 1)),
            split INTEGER NOT NULL DEFAULT 0 CHECK (split IN (0, 1)),
            seen INTEGER NOT NULL DEFAULT 0 CHECK (seen IN (0, 1)),
            compared_with TEXT,
            delivery TEXT REFERENCES delivery (id),
            created_at INTEGER NOT NULL,
            changed_at INTEGER NOT NULL,
            was_delivered INTEGER CHECK (was_delivered IN (0, 1)),
            remains BLOB,
            image_dropped_at INTEGER,
            CHECK (reason IS NOT NULL OR state NOT IN \(literals: .rejected, .failed, .held)),
            CHECK (worker IS NULL OR waits = 0 AND state IN \(literals: .fetching, .received, .prepared)),
            CHECK (waits = 0 OR due_at IS NOT NULL AND state IN \(literals: .fetching, .received, .prepared)),
            CHECK (due_at IS NULL OR due_from IS NOT NULL)
        ) STRICT;
        CREATE TABLE state_total (
            state TEXT PRIMARY KEY CHECK (state IN \(all: CardState.self)),
            entered INTEGER NOT NULL,
            departed INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE tally (
            minute INTEGER NOT NULL,
            state TEXT NOT NULL,
            reason TEXT NOT NULL DEFAULT '',
            cards INTEGER NOT NULL,
            PRIMARY KEY (minute, state, reason)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE delivery_card (
            delivery TEXT NOT NULL REFERENCES delivery (id),
            position INTEGER NOT NULL,
            card TEXT NOT NULL REFERENCES card (id),
            outcome_unknown INTEGER NOT NULL DEFAULT 1 CHECK (outcome_unknown IN (0, 1)),
            answer BLOB,
            PRIMARY KEY (delivery, position)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE card_key (
            card TEXT PRIMARY KEY REFERENCES card (id),
            key_id TEXT NOT NULL,
            wrapped BLOB NOT NULL
        ) STRICT;
        CREATE TABLE blob (
            card TEXT NOT NULL REFERENCES card (id),
            kind TEXT NOT NULL CHECK (kind IN \(all: BlobKind.self)),
            start INTEGER NOT NULL,
            bytes BLOB NOT NULL,
            PRIMARY KEY (card, kind, start)
        ) STRICT;
        CREATE TABLE reading (
            id INTEGER PRIMARY KEY,
            card TEXT NOT NULL REFERENCES card (id),
            provider TEXT NOT NULL,
            parameters TEXT NOT NULL,
            bytes BLOB NOT NULL,
            UNIQUE (card, provider, parameters)
        ) STRICT;
        CREATE TABLE input (
            location BLOB NOT NULL,
            number TEXT NOT NULL,
            part INTEGER NOT NULL DEFAULT 0,
            card TEXT NOT NULL REFERENCES card (id),
            device INTEGER,
            inode INTEGER,
            size INTEGER,
            modified INTEGER,
            changed INTEGER,
            request BLOB,
            PRIMARY KEY (location, number, part)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE attempt (
            id INTEGER PRIMARY KEY,
            stage TEXT NOT NULL CHECK (stage IN \(all: Stage.self)),
            subject TEXT NOT NULL,
            worker TEXT NOT NULL,
            started_at INTEGER NOT NULL,
            ended_at INTEGER,
            class TEXT CHECK (class IN \(all: FailureClass.self)),
            code TEXT
        ) STRICT;
        CREATE TABLE event (
            id INTEGER PRIMARY KEY,
            card TEXT NOT NULL REFERENCES card (id),
            at INTEGER NOT NULL,
            was TEXT CHECK (was IN \(all: CardState.self)),
            state TEXT NOT NULL CHECK (state IN \(all: CardState.self)),
            reason TEXT,
            remote_code TEXT,
            message BLOB
        ) STRICT;
        CREATE TABLE pause (
            stage TEXT NOT NULL CHECK (stage IN \(all: Stage.self)),
            host TEXT NOT NULL,
            class TEXT NOT NULL CHECK (class IN \(all: FailureClass.self)),
            code TEXT NOT NULL,
            message TEXT NOT NULL,
            since INTEGER NOT NULL,
            set_at INTEGER NOT NULL,
            until INTEGER NOT NULL,
            terms TEXT,
            PRIMARY KEY (stage, host)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE run (
            id TEXT PRIMARY KEY,
            state TEXT NOT NULL CHECK (state IN \(all: RunState.self)),
            submitter TEXT NOT NULL,
            source TEXT NOT NULL,
            worker TEXT REFERENCES worker (id),
            report BLOB,
            created_at INTEGER NOT NULL,
            ended_at INTEGER
        ) STRICT;
        CREATE TABLE decision (
            card TEXT NOT NULL REFERENCES card (id),
            action TEXT NOT NULL CHECK (action IN \(all: DecisionAction.self)),
            reason TEXT CHECK (reason IN \(all: RetakeReason.self)),
            effect INTEGER CHECK (effect BETWEEN 0 AND 2),
            subject TEXT NOT NULL,
            purpose TEXT NOT NULL,
            needs_second INTEGER NOT NULL CHECK (needs_second IN (0, 1)),
            second TEXT,
            second_purpose TEXT,
            until INTEGER NOT NULL,
            worker TEXT,
            seen INTEGER NOT NULL,
            message BLOB,
            dropped INTEGER NOT NULL DEFAULT 0 CHECK (dropped IN (0, 1)),
            PRIMARY KEY (card, dropped, subject),
            CHECK ((action = \(action: .retake)) = (reason IS NOT NULL)),
            CHECK ((action = \(action: .reject)) = (effect IS NOT NULL)),
            CHECK (dropped = 0 OR worker IS NULL),
            CHECK (worker IS NOT NULL OR needs_second = 1 AND second IS NULL OR dropped = 1)
        ) STRICT;
        CREATE TABLE four_eyes (
            action TEXT PRIMARY KEY CHECK (action IN \(all: DecisionAction.self)),
            dropped_by TEXT,
            dropped_at INTEGER,
            CHECK ((dropped_by IS NULL) = (dropped_at IS NULL))
        ) STRICT;
        CREATE TABLE access_log (
            number INTEGER PRIMARY KEY,
            at INTEGER NOT NULL,
            actor TEXT NOT NULL,
            subject TEXT,
            action TEXT NOT NULL,
            detail TEXT,
            purpose TEXT NOT NULL,
            card TEXT,
            event INTEGER,
            mac BLOB NOT NULL
        ) STRICT;
        """

    private static let indexes: SQL = """
        CREATE INDEX cases_due ON cases (decide_at, priority DESC) WHERE decide_at IS NOT NULL;
        CREATE INDEX cases_ahead ON cases (decide_from) WHERE decide_at IS NOT NULL;
        CREATE INDEX cases_standing ON cases (state, since, number, cause) WHERE state IS NOT NULL;
        CREATE INDEX cases_claimed ON cases (claimed_by, claimed_tab) WHERE claimed_by IS NOT NULL;
        CREATE INDEX cases_submitter ON cases (submitter, state, since, number) WHERE state IS NOT NULL;
        CREATE INDEX cases_foreign ON cases (foreign_since, number) WHERE foreign_since IS NOT NULL;
        CREATE INDEX card_end ON card (\(SandboxListings.end));
        CREATE INDEX card_number ON card (number, state, intake_order);
        CREATE INDEX card_submitter ON card (submitter, state, intake_order);
        CREATE INDEX card_reason ON card (reason, intake_order) WHERE reason IS NOT NULL;
        CREATE INDEX card_remote_code ON card (remote_code, intake_order) WHERE remote_code IS NOT NULL;
        CREATE UNIQUE INDEX card_source ON card (number, source, part) WHERE source IS NOT NULL;
        CREATE INDEX card_prepared ON card (number, prepared) WHERE prepared IS NOT NULL;
        CREATE INDEX card_work ON card (state, waits, priority DESC, intake_order)
            WHERE worker IS NULL AND state IN \(literals: .fetching, .received, .prepared);
        CREATE INDEX card_waits ON card (state, due_at) WHERE waits = 1;
        CREATE INDEX card_ahead ON card (state, due_from) WHERE waits = 1;
        CREATE INDEX card_failed ON card (state, failed_at) WHERE worker IS NULL AND waits = 0
            AND failed_at IS NOT NULL AND state IN \(literals: .fetching, .received, .prepared);
        CREATE INDEX card_host ON card (state, host, priority DESC, intake_order)
            WHERE worker IS NULL AND waits = 0 AND state = \(literal: .fetching);
        CREATE INDEX card_fetching ON card (host, state) WHERE state = \(literal: .fetching);
        CREATE INDEX card_clock ON card (reason, due_at) WHERE state = \(literal: .held) AND due_at IS NOT NULL;
        CREATE INDEX card_by_state ON card (state, intake_order);
        CREATE INDEX card_age ON card (state, changed_at);
        CREATE INDEX card_image_age ON card (state, changed_at)
            WHERE state = \(literal: .delivered) AND image_dropped_at IS NULL;
        CREATE INDEX card_unreadable ON card (state, number) WHERE unreadable = 1;
        CREATE INDEX card_worker ON card (worker) WHERE worker IS NOT NULL;
        CREATE INDEX card_delivery ON card (delivery) WHERE delivery IS NOT NULL;
        CREATE INDEX delivery_open ON delivery (state, priority DESC, tries, formed_at) WHERE state = \(delivery: .open);
        CREATE INDEX delivery_worker ON delivery (worker) WHERE worker IS NOT NULL;
        CREATE INDEX delivery_member ON delivery_card (card);
        CREATE INDEX input_card ON input (card);
        CREATE INDEX attempt_subject ON attempt (subject);
        CREATE INDEX attempt_open ON attempt (worker) WHERE ended_at IS NULL;
        CREATE INDEX attempt_understood ON attempt (stage, ended_at) WHERE \(Unreadable.isUnderstood);
        CREATE INDEX event_card ON event (card);
        CREATE INDEX decision_undo ON decision (until) WHERE worker IS NOT NULL;
        CREATE INDEX decision_second ON decision (until) WHERE needs_second = 1 AND second IS NULL AND dropped = 0;
        CREATE INDEX decision_dropped ON decision (until) WHERE dropped = 1;
        CREATE INDEX access_subject ON access_log (subject, action, at, number) WHERE subject IS NOT NULL;
        CREATE INDEX access_action ON access_log (action, at, number) WHERE subject IS NOT NULL;
        CREATE INDEX access_card ON access_log (card, at, number);
        """
}
