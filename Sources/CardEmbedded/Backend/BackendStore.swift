import Crypto
import FoundationEssentials
import GRDB
import Logging
import Synchronization

/// What the backend keeps: images and answers in one SQLite file, `backend.sqlite3`.
///
/// An upload is one transaction: its key, its answer, its documents with their images. That a key is answered once and
/// a document stored once are constraints of the database. The files beside it are an export (``LedgerExport``) and
/// follow the database. One backend at a time: SQLite's exclusive lock refuses a second one.
final class BackendStore: Sendable {
    /// An upload whose content was read.
    struct Upload: Sendable {
        let key: String
        /// SHA-256 of the content.
        let digest: String
        let parts: [ReceivedForm.Part]
    }

    enum Outcome: Sendable {
        /// A business answer, fresh or repeated.
        case answered(UploadAnswer, isReplay: Bool)
        /// The key came before with other content.
        case keyReused
    }

    /// Adds a document. Erased ones have no business number, so that only living ones are looked at, by index. The file
    /// gets the next free number of its kind: not by count, since an erased document leaves a gap.
    static let insertion = """
        INSERT INTO document
            (upload, position, business_no, doctype, user_no, image_sha256, number, out_of_order, image)
        VALUES (
            (SELECT id FROM upload WHERE idempotency_key = :key), :position, :number, :kind, :user, :digest,
            (SELECT coalesce(max(number), 0) + 1 FROM document
                WHERE business_no = :number AND doctype = :kind AND image IS NOT NULL),
            :isBack AND NOT EXISTS
                (SELECT 1 FROM document WHERE business_no = :number AND doctype = :front AND image IS NOT NULL),
            :image)
        """

    private let database: DatabaseQueue
    private let tokens: Mutex<TokenRegister>
    private let export: Mutex<LedgerExport>
    private let logger: Logger

    /// Opens the folder, or makes it, and brings its export up to date.
    ///
    /// - Throws: ``EmbeddedError``: `folderUnusable` or `folderInUse`.
    init(_ configuration: EmbeddedBackend.Configuration, logger: Logger) throws(EmbeddedError) {
        self.logger = logger
        self.tokens = Mutex(TokenRegister(configuration))
        let database = try BackendSchema.open(configuration.folder)
        var export = LedgerExport(folder: configuration.folder)
        do {
            try database.inDatabase { try export.rebuild(from: $0) }
        } catch {
            try? database.close()
            throw BackendSchema.failure("cannot hold the export of the database", error)
        }
        self.database = database
        self.export = Mutex(export)
    }

    /// Lets another backend have the folder; nothing is answered any more.
    func close() {
        // What fails here ends with the process; the next start finds a whole database.
        try? self.database.close()
    }

    /// How many documents were ever accepted.
    func documentCount() async throws -> Int {
        try await self.database.read { db in
            try Int.fetchOne(db, sql: "SELECT coalesce(max(sequence), 0) FROM document") ?? 0
        }
    }

    /// Why an error was thrown, without a value.
    static func reason(of error: any Error) -> String {
        (error as? DatabaseError)?.extendedResultCode.description ?? "\(type(of: error))"
    }

    /// Answers an upload; what it comes to is durable when this returns.
    ///
    /// - Throws: the database's error when nothing was stored.
    func answer(_ upload: Upload) async throws -> Outcome {
        try await self.database.writeWithoutTransaction { db in
            var outcome = Outcome.keyReused
            // Changed only if the transaction is.
            var tokens = self.tokens.withLock { $0 }
            try db.inTransaction(.immediate) {
                if let known = try Self.knownAnswer(to: upload, in: db) {
                    outcome = known
                } else {
                    outcome = .answered(try self.judge(upload, tokens: &tokens, in: db), isReplay: false)
                }
                return .commit
            }
            self.tokens.withLock { $0 = tokens }
            self.bringExportUpToDate(from: db)
            return outcome
        }
    }

    /// Erases documents: their images go, their rows keep neither a person's nor a case's data.
    func erase(_ documents: [(key: String, position: Int)]) throws {
        try self.database.writeWithoutTransaction { db in
            try db.inTransaction(.immediate) {
                for document in documents {
                    try db.execute(
                        sql: """
                            UPDATE document SET business_no = '', user_no = '', image_sha256 = '', image = NULL
                            WHERE position = ? AND upload = (SELECT id FROM upload WHERE idempotency_key = ?)
                            """,
                        arguments: [document.position, document.key]
                    )
                }
                try db.execute(
                    sql: """
                        UPDATE upload SET content_sha256 = '' WHERE NOT is_refusal AND NOT EXISTS
                        (SELECT 1 FROM document WHERE document.upload = upload.id AND image IS NOT NULL)
                        """
                )
                return .commit
            }
            // Or the image would stay in the log until it is overwritten.
            try db.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
            try self.export.withLock { try $0.rebuild(from: db) }
        }
    }

    private func bringExportUpToDate(from db: Database) {
        do {
            try self.export.withLock { try $0.append(from: db) }
        } catch {
            // The upload is stored all the same; the next one, or the next start, exports it too.
            self.logger.error("ledger not exported", metadata: ["backend.error": "\(Self.reason(of: error))"])
        }
    }

    private static func knownAnswer(to upload: Upload, in db: Database) throws -> Outcome? {
        guard
            let row = try Row.fetchOne(
                db,
                sql: "SELECT content_sha256, retcode, retmsg, items FROM upload WHERE idempotency_key = ?",
                arguments: [upload.key]
            )
        else { return nil }
        guard row["content_sha256"] == upload.digest else { return .keyReused }
        return .answered(try UploadAnswer(row: row), isReplay: true)
    }

    /// Judges an upload and writes what it comes to.
    private func judge(_ upload: Upload, tokens: inout TokenRegister, in db: Database) throws -> UploadAnswer {
        let submission: Submission
        do throws(UploadAnswer) {
            submission = try Submission(checking: upload.parts)
            try tokens.check(submission.token)
        } catch {
            return try self.insert(upload, error, in: db)
        }
        let judgements = try Self.judgements(of: submission, in: db)
        let items = judgements.map(\.answer)
        if submission.isApplication, let refusal = UploadAnswer(toRefusedApplication: items) {
            return try self.insert(upload, refusal, in: db)
        }
        let count = judgements.count { $0.stored != nil }
        let answer = try self.insert(upload, UploadAnswer(to: items), isRefusal: count == 0, in: db)
        for (index, judgement) in judgements.enumerated() {
            guard var values = judgement.stored else { continue }
            values += ["key": upload.key, "position": index + 1, "user": submission.userNumber]
            try db.execute(sql: Self.insertion, arguments: values)
        }
        if count > 0 { tokens.noteAcceptance(of: count, with: submission.token) }
        return answer
    }

    /// The answer to each document, and the values of its row if it is to be stored.
    private static func judgements(
        of submission: Submission,
        in db: Database
    ) throws -> [(answer: UploadAnswer, stored: StatementArguments?)] {
        var fresh: Set<[String]> = []
        return try submission.documents.map { document in
            switch document {
            case .failure(let refusal): return (refusal, nil)
            case .success(let document):
                let digest = Hexadecimal.text(SHA256.hash(data: document.image))
                let identity = [document.businessNumber, document.kind.rawValue, digest]
                let isKnown = try Bool.fetchOne(
                    db,
                    sql: """
                        SELECT EXISTS (SELECT 1 FROM document
                        WHERE business_no = ? AND doctype = ? AND image_sha256 = ? AND image IS NOT NULL)
                        """,
                    arguments: StatementArguments(identity)
                )
                guard isKnown == false, fresh.insert(identity).inserted else {
                    return (UploadAnswer(.alreadyExists, "this document is stored already"), nil)
                }
                let values: StatementArguments = [
                    "number": document.businessNumber, "kind": document.kind.rawValue, "digest": digest,
                    "isBack": document.kind == .back, "front": SubmittedDocument.Kind.front.rawValue,
                    "image": document.image,
                ]
                return (UploadAnswer(.success, "success"), values)
            }
        }
    }

    private func insert(
        _ upload: Upload,
        _ answer: UploadAnswer,
        isRefusal: Bool = true,
        in db: Database
    ) throws -> UploadAnswer {
        try db.execute(
            sql: """
                INSERT INTO upload (idempotency_key, content_sha256, time, retcode, retmsg, items, is_refusal)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                upload.key, upload.digest, Date().formatted(.iso8601), answer.code.rawValue, answer.message,
                try answer.itemsJSON.map { String(decoding: try $0.bytes(), as: UTF8.self) }, isRefusal,
            ]
        )
        return answer
    }
}
