import Crypto
import FoundationEssentials
import Synchronization

/// What the backend keeps: the documents, the ledger, the refusals, and the answer to every key it has seen.
///
/// A document is durable before its ledger line, and the line before the answer: a crash leaves at most a file without
/// a line, which the sender's next attempt writes again under the same name. All calls block on the disk;
/// ``BlockingQueue`` runs them.
final class Archive: Sendable {
    /// What an upload comes to.
    enum Outcome {
        /// A business answer, fresh or repeated.
        case answered(UploadAnswer, isReplay: Bool)
        /// The key came before with other content.
        case keyReused
    }

    /// An answer that was given.
    struct Remembered {
        let contentDigest: String
        let answer: UploadAnswer
    }

    /// What makes two documents the same.
    struct DocumentIdentity: Hashable {
        let businessNumber: String
        let documentType: String
        let imageDigest: String
    }

    /// What is known of everything kept.
    struct State: ~Copyable {
        var ledger: Journal<LedgerEntry>
        var refusals: Journal<RefusalEntry>
        var entries: [LedgerEntry]
        var refusalEntries: [RefusalEntry]
        var answers: [String: Remembered] = [:]
        var documents: Set<DocumentIdentity> = []
        var tokens: TokenRegister
    }

    let configuration: EmbeddedBackend.Configuration
    let now: @Sendable () -> Date
    private let state: Mutex<State>

    /// Opens the folder and reads what it holds.
    ///
    /// - Throws: ``EmbeddedError``: `folderUnusable`, `folderInUse` or `ledgerDamaged`.
    init(configuration: EmbeddedBackend.Configuration, now: @escaping @Sendable () -> Date) throws(EmbeddedError) {
        let folder = configuration.folder
        try DurableFile.makeFolder(folder + "/documents")
        var entries: [LedgerEntry] = []
        let ledger = try Journal(path: folder + "/ledger.jsonl", folder: folder, entries: &entries)
        var refusalEntries: [RefusalEntry] = []
        let refusals = try Journal(path: folder + "/refusals.jsonl", folder: folder, entries: &refusalEntries)
        var state = State(
            ledger: ledger,
            refusals: refusals,
            entries: entries,
            refusalEntries: refusalEntries,
            tokens: TokenRegister(
                known: configuration.tokens,
                requiresNewTokenAfter: configuration.requiresNewTokenAfter
            )
        )
        for entry in refusalEntries { Self.remember(entry, in: &state) }
        for entry in entries { Self.remember(entry, in: &state) }
        self.configuration = configuration
        self.now = now
        self.state = Mutex(state)
    }

    /// The accepted documents, in order.
    var entries: [LedgerEntry] { self.state.withLock { $0.entries } }

    /// The refused uploads, in order.
    var refusals: [RefusalEntry] { self.state.withLock { $0.refusalEntries } }

    /// Expires the tokens in use and makes another one good.
    ///
    /// - Returns: How many expired.
    func expireTokens(accepting replacement: String?) -> Int {
        self.state.withLock { state in
            let count = state.tokens.expire()
            if let replacement { state.tokens.accept(replacement) }
            return count
        }
    }

    /// Keeps nothing more and lets another backend have the folder.
    func end() {
        self.state.withLock { state in
            state.ledger.end()
            state.refusals.end()
        }
    }

    /// Answers an upload and keeps what must be kept before it returns.
    ///
    /// - Parameters:
    ///   - key: The idempotency key.
    ///   - content: The request's content.
    /// - Throws: ``EmbeddedError``: `formMalformed` or `formTooLarge`, or `folderUnusable` when nothing could be kept.
    func answer(key: String, content: UploadContent) throws(EmbeddedError) -> Outcome {
        let contentDigest = content.digest
        if let known = self.state.withLock({ $0.answers[key] }) {
            return known.contentDigest == contentDigest ? .answered(known.answer, isReplay: true) : .keyReused
        }
        let parts = try content.parts(limits: self.configuration.formLimits)
        let result: Result<Outcome, EmbeddedError> = self.state.withLock { state in
            Result { () throws(EmbeddedError) in
                let upload = Upload(key: key, contentDigest: contentDigest)
                return .answered(try self.judge(parts, of: upload, state: &state), isReplay: false)
            }
        }
        return try result.get()
    }

    static func remember(_ entry: LedgerEntry, in state: inout State) {
        state.answers[entry.idempotencyKey] = Remembered(contentDigest: entry.contentDigest, answer: entry.answer)
        // An erased document is none of any case.
        guard !entry.imageDigest.isEmpty else { return }
        state.documents.insert(
            DocumentIdentity(
                businessNumber: entry.businessNumber,
                documentType: entry.documentType,
                imageDigest: entry.imageDigest
            )
        )
    }

    static func remember(_ entry: RefusalEntry, in state: inout State) {
        state.answers[entry.idempotencyKey] = Remembered(contentDigest: entry.contentDigest, answer: entry.answer)
    }
}
