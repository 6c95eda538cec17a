import CardModel
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import CardStore

/// A sandbox in a folder of its own, with a worker and a clock that the test moves.
final class StoreHarness {
    let folder: String
    let key = VaultKey.random()
    var store: Sandbox
    var worker: Worker
    var now = Timestamp(millisecondsSinceEpoch: 1_700_000_000_000)
    private var count = 0

    /// - Parameter inMemory: whether its files lie in memory where there is room for that: thousands of commits wait for no disk.
    init(inMemory: Bool = false) async throws {
        let (shared, disk) = (URL(filePath: "/dev/shm"), FileManager.default.temporaryDirectory)
        let isThere = inMemory && FileManager.default.isWritableFile(atPath: shared.path)
        self.folder = (isThere ? shared : disk).appending(path: "store-\(UUID().uuidString)").path
        self.store = try await Sandbox.open(
            path: self.folder,
            kind: .real,
            ring: KeyRing(self.key),
            creating: true,
            now: self.now
        )
        self.worker = try await self.store.upkeep.startWorker(id: "w1", command: "run", now: self.now)
    }

    deinit {
        try? self.store.close()
        try? FileManager.default.removeItem(atPath: self.folder)
    }

    /// Opens the same sandbox once more, as another process would.
    func another(
        _ ring: KeyRing? = nil,
        retcodes: RetcodeTable = RetcodeTable()
    ) async throws -> Sandbox {
        try await Sandbox.open(
            path: self.folder,
            kind: nil,
            ring: ring ?? KeyRing(self.key),
            retcodes: retcodes,
            creating: false,
            now: self.now
        )
    }

    /// Ends the worker as a kill would: its lock is gone, what it claimed is not given back. Another one takes over.
    func killWorker() async throws {
        self.count += 1
        // What has just ended may hold on to it for a moment.
        self.worker.release()
        self.worker = try await self.store.upkeep.startWorker(id: "w\(self.count)", command: "run", now: self.now)
        try await self.store.upkeep.heartbeat(of: self.worker, now: self.now)
    }

    func pass(_ duration: Duration) { self.now = self.now.advanced(by: duration) }

    func value<Value: Readable & Sendable>(_ sql: SQL, as type: Value.Type = Value.self) async throws -> Value? {
        try await self.store.database.read { tx in try tx.value(sql) }
    }

    @discardableResult
    func erase(_ ids: CardID...) async throws -> [ErasureCertificate] {
        try await self.store.upkeep.erase(ids, because: .requested, by: Self.person, now: self.now).certificates
    }

    func eraseExpired(_ terms: RetentionTerms, clockIsRight: Bool = false, limit: Int = 500) async throws -> [CardID] {
        if clockIsRight { try await self.store.upkeep.recordClock(self.now, isConfirmed: true) }
        return try await self.store.upkeep.eraseExpired(terms, limit: limit, by: Self.person, now: self.now).map(\.card)
    }

    static let person = AccessOrigin(actor: "test")

    @discardableResult
    func backUp(to path: String) async throws -> BackupReport {
        try await self.store.upkeep.backUp(to: path, by: Self.person, now: Timestamp(Date()))
    }

    func reopen(
        _ ring: KeyRing? = nil,
        fourEyes: Set<DecisionAction> = [],
        retcodes: RetcodeTable = RetcodeTable()
    ) async throws {
        try self.store.close()
        self.store = try await self.another(ring, retcodes: retcodes)
        try await self.store.decisions.requireSecond(for: fourEyes, by: Self.person, now: self.now)
    }

    static let tooLarge = CodedError(.sourceTooLarge, .input, "too large")

    func resolve(_ id: CardID, _ resolution: Resolution) async throws {
        let reason: RetakeReason? = resolution == .retake ? .blurred : nil
        let words: Redacted<String>? = resolution == .disagree ? Redacted("it is sharp") : nil
        try await self.store.decisions.resolve(
            id,
            as: resolution,
            because: reason,
            saying: words,
            by: Self.person,
            now: self.now
        )
    }

    func retry(_ id: CardID) async throws {
        try await self.store.decisions.decide(id, .retry, by: Self.person, now: self.now)
    }

    /// Decides on a page of the worker's process, as the card stands now.
    @discardableResult
    func decideOnPage(
        _ card: CardID,
        _ action: DecisionAction,
        message: String? = nil,
        by origin: AccessOrigin
    ) async throws -> DecisionOutcome {
        let seen = try await self.store.listings.details(of: card, for: .process).lastEvent
        let outcome = try await self.store.decisions.decide(
            card,
            action,
            because: action == .retake ? .blurred : nil,
            seen: seen,
            message: message.map { Redacted($0) },
            undoableIn: self.worker.id,
            by: origin,
            now: self.now
        )
        // The process knows of it.
        try await self.carryOut()
        return outcome
    }

    @discardableResult
    func carryOut() async throws -> [CardChange] {
        let steady = Duration.milliseconds(self.now.millisecondsSinceEpoch)
        return try await self.store.decisions.carryOutDecisions(by: self.worker, steady: steady, now: self.now)
    }

    func findings() async throws -> [String] {
        try await self.store.upkeep.check().map(\.code)
    }

    static let terms = DecidingTerms(policy: CasePolicy(), rules: VerdictRules())
    /// Front and back in one form.
    static let together = DecidingTerms(policy: CasePolicy(layout: .application), rules: VerdictRules())

    func id() -> CardID {
        self.count += 1
        return CardID(rawValue: "card-\(self.count)")
    }

    /// Takes a photo in, made of a few bytes that tell it apart.
    @discardableResult
    func admit(
        _ bytes: String,
        number: String,
        submitter: String = "local",
        priority: Int = 0,
        file: FileIdentity? = nil,
        metadata change: (inout CardMetadata) -> Void = { _ in }
    ) async throws -> Admitted {
        try await self.admit(
            self.photo(bytes, number: number, submitter: submitter, priority: priority, file: file, metadata: change)
        )
    }

    @discardableResult
    func admit(_ photo: NewCard) async throws -> Admitted {
        try await self.store.intake.admit([photo], now: self.now)[0]
    }

    func admitTwo() async throws -> [CardID] {
        [try await self.admit("front", number: "N").card, try await self.admit("other", number: "M").card]
    }

    /// Takes photos in, all at once and by two processes in turn.
    func admitAtOnce(_ photos: [NewCard]) async throws -> [Admitted] {
        let (store, other, now) = (self.store, try await self.another(), self.now)
        let outcomes = try await withThrowingTaskGroup(of: Admitted.self) { group in
            for (index, photo) in photos.enumerated() {
                let process = index.isMultiple(of: 2) ? store : other
                group.addTask { try await process.intake.admit([photo], now: now)[0] }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        try other.close()
        return outcomes
    }

    static func image(_ bytes: String) -> PreparedImage {
        let jpeg = Data(bytes.utf8)
        return PreparedImage(jpeg: jpeg, width: 10, height: 6, digest: ContentDigest(of: jpeg))
    }

    /// A photo as a request brings it: still to be prepared.
    func received(_ bytes: String, number: String = "N", submitter: String = "local") -> NewCard {
        var photo = self.photo(bytes, number: number, submitter: submitter)
        photo.content = .received(Data(bytes.utf8))
        return photo
    }

    func photo(
        _ bytes: String,
        number: String,
        side: CardSide? = nil,
        submitter: String = "local",
        priority: Int = 0,
        wait: Duration = .zero,
        file: FileIdentity? = nil,
        refused: CodedError? = nil,
        metadata change: (inout CardMetadata) -> Void = { _ in }
    ) -> NewCard {
        var metadata = CardMetadata(businessNumber: BusinessNumber(stored: number), side: side, priority: priority)
        change(&metadata)
        let source = Data(bytes.utf8)
        let location = file.map(Photo.Location.file) ?? .bytes(source, ContentDigest(of: source))
        return NewCard(
            id: self.id(),
            photo: Photo(location, name: Redacted("\(bytes).jpg"), metadata: metadata),
            submitter: submitter,
            source: ContentDigest(of: Data(bytes.utf8)),
            content: refused.map(NewCard.Content.refused) ?? .prepared(Self.image("jpeg of \(bytes)")),
            waitsUntil: self.now.advanced(by: wait)
        )
    }

    /// Looks files up that a list names with nothing but a number, or with more.
    func known(
        _ files: [FileIdentity],
        number: String = "N",
        metadata: CardMetadata? = nil
    ) async throws -> [Admitted?] {
        let listed = files.map { file in
            Photo(
                .file(file),
                name: file.path,
                metadata: metadata ?? CardMetadata(businessNumber: BusinessNumber(stored: number))
            )
        }
        return try await self.store.intake.known(listed, of: "local", now: self.now).cards
    }

    func claim(
        _ limit: Int = 100,
        untriedFirst: Bool = false,
        provider: String = "test",
        parameters: String = ""
    ) async throws -> [VerificationJob] {
        try await self.claimed(limit, untriedFirst: untriedFirst, provider: provider, parameters: parameters).jobs
    }

    func claimed(
        _ limit: Int = 100,
        untriedFirst: Bool = false,
        provider: String = "test",
        parameters: String = ""
    ) async throws -> Claimed<VerificationJob> {
        try await self.store.stages.claimVerification(
            by: self.worker,
            provider: provider,
            parameters: parameters,
            limit: limit,
            untriedFirst: untriedFirst,
            now: self.now
        )
    }

    func verifying(_ bytes: String, number: String) async throws -> (CardID, VerificationJob) {
        let card = try await self.admit(bytes, number: number).card
        return (card, try #require(try await self.claim().first))
    }

    /// Verifies every prepared card; `sides` names the side and number that the verifier reads on each.
    func verify(_ readings: [CardID: (CardSide, String?)]) async throws {
        for job in try await self.claim() {
            let (side, number) = readings[job.card.id] ?? (.front, "11010519491231002X")
            try await self.conclude(job, side: side, number: number)
        }
    }

    @discardableResult
    func conclude(_ job: VerificationJob, side: CardSide, number: String?) async throws -> CardChange {
        let fields = side == .front ? CardFields(name: "SPECIMEN", number: number) : CardFields(issuer: "SPECIMEN")
        return try await self.conclude(job, CardReading(side: side, fields: fields))
    }

    /// The verifier reads a card, and it is judged so.
    @discardableResult
    func conclude(
        _ job: VerificationJob,
        _ reading: CardReading,
        _ verdict: Verdict = .accepted,
        warnings: [VerdictFinding] = [],
        provider: String = "test"
    ) async throws -> CardChange {
        let key = ReadingKey(imageDigest: job.content.digest, provider: provider, parameters: "")
        let judgement = Judgement(verdict, warnings: warnings)
        return try await self.conclude(job, .read(reading), key: key) { _, _, _ in judgement }
    }

    @discardableResult
    func conclude(
        _ job: VerificationJob,
        _ outcome: VerificationOutcome,
        shrunk: Result<PreparedImage, CodedError>? = nil,
        key: ReadingKey? = nil,
        retry: RetryTerms = RetryTerms(maxAttempts: 5, delay: .seconds(1)),
        judging judge: @escaping SandboxStages.Judge = { _, _, _ in Judgement(.accepted, warnings: []) }
    ) async throws -> CardChange {
        try await self.store.stages.conclude(
            job,
            with: outcome,
            shrunk: shrunk,
            key: key ?? ReadingKey(imageDigest: job.content.digest, provider: "test", parameters: ""),
            retry: retry,
            judging: judge,
            now: self.now
        )
    }

    /// The image of a received card is prepared, or not.
    @discardableResult
    func conclude(_ job: PreparationJob, _ result: Result<PreparedImage, CodedError>) async throws -> CardChange {
        try await self.store.stages.conclude(job, with: result, retryDelay: .seconds(5), now: self.now)
    }

    @discardableResult
    func fail(
        _ job: VerificationJob,
        _ failureClass: FailureClass = .transient,
        scope: RemoteFailure.StopScope = .account,
        maxAttempts: Int = 5,
        delay: Duration = .seconds(1)
    ) async throws -> CardChange {
        let terms = RetryTerms(maxAttempts: maxAttempts, delay: delay)
        let failure = RemoteFailure.specimen(failureClass, scope: scope)
        return try await self.conclude(job, .failed(failure), retry: terms)
    }

    func verified(
        _ bytes: String,
        number: String,
        _ side: CardSide,
        holder: String? = "11010519491231002X",
        wait: Duration = .zero
    ) async throws -> CardID {
        let outcome = try await self.admit(self.photo(bytes, number: number, wait: wait))
        try await self.verify([outcome.card: (side, holder)])
        return outcome.card
    }

    func proposals(_ terms: DecidingTerms = StoreHarness.terms) async throws -> [[CardID]] {
        try await self.groups(terms).map { $0.map(\.card) }
    }

    func groups(
        _ terms: DecidingTerms = StoreHarness.terms,
        untriedOnly: Bool = false
    ) async throws -> [[DeliveryMember]] {
        try await self.proposed(terms, untriedOnly: untriedOnly).flatMap(\.groups)
    }

    func proposed(_ terms: DecidingTerms = StoreHarness.terms, untriedOnly: Bool = false) async throws
        -> [DeliveryProposal]
    {
        try await self.store.deliveries.proposeDeliveries(
            limit: 100,
            excluding: [],
            untriedOnly: untriedOnly,
            terms: terms,
            now: self.now
        ).proposals
    }

    /// Decides the cards of the number `N`.
    func decide(_ terms: DecidingTerms = StoreHarness.terms) async throws {
        let proposal = try await self.store.read(at: self.now) { [store = self.store] tx in
            try DeliveryProposal(BusinessNumber(stored: "N"), terms: terms, store: store, in: tx)
        }
        _ = try await self.store.deliveries.decide([proposal], now: self.now)
    }

    /// Forms the delivery of each group that may go.
    func begin(_ terms: DecidingTerms = StoreHarness.terms) async throws -> [DeliveryJob] {
        var jobs: [DeliveryJob] = []
        let proposals = try await self.proposed(terms)
        let waiting = proposals.filter(\.groups.isEmpty)
        if !waiting.isEmpty { try await self.store.deliveries.decide(waiting, now: self.now) }
        for proposal in proposals where !proposal.groups.isEmpty {
            // One delivery of a number at a time.
            let group = proposal.groups[0]
            self.count += 1
            let parts: [DeliveryPart] = [.text("SECRET-TOKEN", name: "TOKEN")]
            let id = DeliveryID(rawValue: "delivery-\(self.count)")
            let outbound = try await self.outbound("key-\(self.count)", parts, of: group)
            let beginning = try await self.store
                .deliveries.begin(id, of: group, proposed: [proposal], as: outbound, by: self.worker, now: self.now)
            if case .begun(let job) = beginning { jobs.append(job) }
        }
        return jobs
    }

    func outbound(
        _ key: String,
        _ parts: [DeliveryPart],
        of members: [DeliveryMember]
    ) async throws -> OutboundDelivery {
        let material = try await self.store.deliveries.material(for: members.map(\.card))
        return OutboundDelivery(
            idempotencyKey: key,
            boundary: "boundary",
            parts: parts,
            images: material.images,
            confidential: material.confidential
        )
    }

    @discardableResult
    func conclude(
        _ job: DeliveryJob,
        _ outcome: DeliveryOutcome,
        maxAttempts: Int = 5,
        onUnknown: UnknownPolicy = .resend,
        isOutdated: Bool = false
    ) async throws -> [CardChange] {
        let retry = RetryTerms(maxAttempts: maxAttempts, delay: .seconds(1))
        let terms = DeliveryTerms(retry: retry, onUnknown: onUnknown, isOutdated: isOutdated)
        return try await self.store.deliveries.conclude(job, with: outcome, terms: terms, now: self.now)
    }

    /// Takes a card in, verifies it and begins to deliver it.
    func delivering(_ bytes: String, number: String, _ side: CardSide = .front) async throws -> (CardID, DeliveryJob) {
        let id = try await self.verified(bytes, number: number, side)
        return (id, try #require(try await self.begin().first { $0.members == [id] }))
    }

    /// Takes a card in, verifies it, and has its delivery end so.
    @discardableResult
    func sent(
        _ bytes: String,
        number: String,
        _ outcome: DeliveryOutcome,
        maxAttempts: Int = 5,
        onUnknown: UnknownPolicy = .resend
    ) async throws -> CardID {
        let (card, job) = try await self.delivering(bytes, number: number)
        try await self.conclude(job, outcome, maxAttempts: maxAttempts, onUnknown: onUnknown)
        return card
    }

    /// Claims the first delivery that is due again in a second.
    func repeated() async throws -> DeliveryJob {
        self.pass(.seconds(1))
        return try #require(try await self.claimDeliveries().first)
    }

    func claimDeliveries(_ limit: Int = 10) async throws -> [DeliveryJob] {
        try await self.store.deliveries.claimDeliveries(by: self.worker, limit: limit, now: self.now).jobs
    }

    /// Delivers whatever may go, until nothing does.
    func deliverAll(_ terms: DecidingTerms = StoreHarness.terms) async throws {
        while true {
            let jobs = try await self.begin(terms)
            if jobs.isEmpty { return }
            for job in jobs { try await self.conclude(job, .accepted(alreadyExisted: false, code: "000000")) }
        }
    }

    func card(_ id: CardID) async throws -> Card {
        try await self.store.listings.cards([id], for: .process)[0]
    }

    func state(_ id: CardID) async throws -> String {
        let card = try await self.card(id)
        return card.state.rawValue + (card.reason.map { " \($0.rawValue)" } ?? "")
    }

}

/// How many commits a store has made since the counting began; each waits for the disk once.
final class CommitCount: Sendable {
    private let commits = Mutex(0)

    init(of store: Sandbox) async throws {
        try await store.write { tx in
            // Also of a change that is rolled back.
            tx.trace { statement in if statement == "BEGIN IMMEDIATE" { self.commits.withLock { $0 += 1 } } }
        }
    }

    var value: Int { self.commits.withLock { $0 } }
}

/// A suite whose tests have a sandbox each.
class StoreSuite {
    let harness: StoreHarness

    init() async throws { self.harness = try await StoreHarness() }
}

extension DeliveryOutcome {
    static let accepted = DeliveryOutcome.accepted(alreadyExisted: false, code: "000000")
    static let tokenExpired = DeliveryOutcome.tokenExpired(.specimen(.stop))
    static func failure(
        _ failureClass: FailureClass,
        scope: RemoteFailure.StopScope = .account,
        isUnlisted: Bool = false,
        mayBeApplied: Bool? = nil
    ) -> DeliveryOutcome {
        .failed(.specimen(failureClass, scope: scope, isUnlisted: isUnlisted, mayBeApplied: mayBeApplied))
    }
}

/// The code of the error in which something ends.
func code<Value>(_ body: () async throws -> Value) async -> ReasonCode? {
    do { _ = try await body() } catch { return (error as? CodedError)?.code }
    return nil
}

extension CardDetails {
    /// What happened to the card itself.
    var steps: [HistoryEntry] { self.events.filter { $0.state != nil } }
    /// The calls to outside services.
    var calls: [HistoryEntry] { self.events.filter { $0.stage != nil } }
}
