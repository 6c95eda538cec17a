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
        case answered(Answer, isReplay: Bool)
        /// The key came before with other content.
        case keyReused
    }

    /// A business answer.
    struct Answer: Equatable {
        let code: String
        let message: String
    }

    private struct Remembered {
        let contentDigest: String
        let answer: Answer
    }

    private struct DocumentIdentity: Hashable {
        let businessNumber: String
        let documentType: String
        let imageDigest: String
    }

    private struct State: ~Copyable {
        var ledger: Journal<LedgerEntry>
        var refusals: Journal<RefusalEntry>
        var entries: [LedgerEntry]
        var refusalEntries: [RefusalEntry]
        var answers: [String: Remembered] = [:]
        var documents: Set<DocumentIdentity> = []
        var tokens: TokenRegister
    }

    private let configuration: EmbeddedBackend.Configuration
    private let now: @Sendable () -> Date
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
    ///   - body: The request's body.
    ///   - contentType: The request's content type.
    ///   - contentLength: The request's declared length.
    /// - Throws: ``EmbeddedError``: `formMalformed` or `formTooLarge`, or `folderUnusable` when nothing could be kept.
    func answer(
        key: String,
        body: [UInt8],
        contentType: String?,
        contentLength: String?
    ) throws(EmbeddedError) -> Outcome {
        let contentDigest = Hexadecimal.text(SHA256.hash(data: body))
        if let known = self.state.withLock({ $0.answers[key] }) {
            return known.contentDigest == contentDigest ? .answered(known.answer, isReplay: true) : .keyReused
        }
        let form = try ReceivedForm(
            parsing: body,
            contentType: contentType,
            contentLength: contentLength,
            limits: self.configuration.formLimits
        )
        let result: Result<Outcome, EmbeddedError> = self.state.withLock { state in
            Result { () throws(EmbeddedError) in
                let answer = try self.judge(form, key: key, contentDigest: contentDigest, state: &state)
                return .answered(answer, isReplay: false)
            }
        }
        return try result.get()
    }

    private func judge(
        _ form: ReceivedForm,
        key: String,
        contentDigest: String,
        state: inout State
    ) throws(EmbeddedError) -> Answer {
        let codes = self.configuration.replyCodes
        func refuse(_ code: String, _ text: String, _ state: inout State) throws(EmbeddedError) -> Answer {
            let entry = RefusalEntry(
                time: self.now().formatted(.iso8601),
                idempotencyKey: key,
                contentDigest: contentDigest,
                replyCode: code,
                replyMessage: text
            )
            try state.refusals.append(entry)
            state.refusalEntries.append(entry)
            Self.remember(entry, in: &state)
            return Answer(code: code, message: text)
        }
        let submission: Submission
        do {
            submission = try Submission(checking: form, businessTypes: self.configuration.businessTypes)
        } catch {
            return try refuse(codes.code(for: error.reason), error.text, &state)
        }
        switch state.tokens.judge(submission.token) {
        case .good: break
        case .expired: return try refuse(codes.tokenExpired, "TOKEN has expired", &state)
        case .unknown: return try refuse(codes.tokenUnknown, "TOKEN is unknown", &state)
        }
        let imageDigest = Hexadecimal.text(SHA256.hash(data: submission.image))
        let identity = DocumentIdentity(
            businessNumber: submission.businessNumber,
            documentType: submission.documentType.rawValue,
            imageDigest: imageDigest
        )
        if state.documents.contains(identity) {
            return try refuse(codes.alreadyExists, "this document is stored already", &state)
        }
        return try self.keep(submission, identity: identity, key: key, contentDigest: contentDigest, state: &state)
    }

    private func keep(
        _ submission: Submission,
        identity: DocumentIdentity,
        key: String,
        contentDigest: String,
        state: inout State
    ) throws(EmbeddedError) -> Answer {
        let ofNumber = state.entries.filter { $0.businessNumber == submission.businessNumber }
        let number = ofNumber.count { $0.documentType == identity.documentType } + 1
        let folder = "documents/" + FolderName.sanitized(submission.businessNumber)
        let file = "\(folder)/\(identity.documentType)-\(number).jpg"
        try DurableFile.makeFolder("\(self.configuration.folder)/\(folder)")
        try DurableFile.write(submission.image, to: "\(self.configuration.folder)/\(file)")
        let hasFront = ofNumber.contains { $0.documentType == Submission.DocumentType.front.rawValue }
        let entry = LedgerEntry(
            sequence: state.entries.count + 1,
            time: self.now().formatted(.iso8601),
            idempotencyKey: key,
            businessNumber: submission.businessNumber,
            documentType: identity.documentType,
            userNumber: submission.userNumber,
            imageDigest: identity.imageDigest,
            contentDigest: contentDigest,
            file: file,
            isOutOfOrder: submission.documentType == .back && !hasFront,
            replyCode: self.configuration.replyCodes.success,
            replyMessage: "success"
        )
        try state.ledger.append(entry)
        state.entries.append(entry)
        Self.remember(entry, in: &state)
        state.tokens.noteAcceptance(with: submission.token)
        return Answer(code: entry.replyCode, message: entry.replyMessage)
    }

    private static func remember(_ entry: LedgerEntry, in state: inout State) {
        state.answers[entry.idempotencyKey] = Remembered(
            contentDigest: entry.contentDigest,
            answer: Answer(code: entry.replyCode, message: entry.replyMessage)
        )
        state.documents.insert(
            DocumentIdentity(
                businessNumber: entry.businessNumber,
                documentType: entry.documentType,
                imageDigest: entry.imageDigest
            )
        )
    }

    private static func remember(_ entry: RefusalEntry, in state: inout State) {
        state.answers[entry.idempotencyKey] = Remembered(
            contentDigest: entry.contentDigest,
            answer: Answer(code: entry.replyCode, message: entry.replyMessage)
        )
    }
}

extension EmbeddedBackend.ReplyCodes {
    /// The code for a form that is refused for what it holds.
    func code(for reason: Submission.Refusal.Reason) -> String {
        switch reason {
        case .layout: self.layoutInvalid
        case .field: self.fieldInvalid
        case .image: self.imageInvalid
        }
    }
}
