import CardModel
import CardStore
import Foundation
import GRDB

/// A sandbox that grows: cards in all states, in the shares of a year's use, most of them over and done with.
struct Filling {
    /// Out of a hundred cards.
    private static let shares: [(share: Int, fate: Fate)] = [
        (29, .erased), (20, .delivered), (10, .waiting), (10, .rejected), (5, .superseded), (5, .failed), (5, .held),
        (5, .fetching), (5, .received), (5, .prepared), (1, .foreign),
    ]
    private static let portion = 200
    private static let year = Duration.seconds(365 * 86_400)

    /// Of these many photos are due, and of each host that many.
    private static let (hosts, imagesPerHost) = (1_000, 10)
    /// A number with as many delivered cards as there are images due.
    static let busy = "CASE-BUSY"

    /// `foreign` is a photo of another submitter than its number's, `due` an image that may be fetched now.
    enum Fate {
        case erased, delivered, waiting, rejected, superseded, failed, held, fetching, received, prepared, foreign, due
    }

    let folder: String
    let store: Sandbox
    let worker: Worker
    let terms = DecidingTerms(policy: CasePolicy(), rules: VerdictRules())
    private(set) var count = 0

    init(folder: String) async throws {
        self.folder = folder
        let now = Timestamp.now
        let ring = KeyRing(.random())
        self.store = try await Sandbox.open(path: folder, kind: .real, ring: ring, creating: true, now: now)
        self.worker = try await self.store.upkeep.startWorker(id: "scale", command: "run", now: now)
    }

    mutating func fill(to total: Int) async throws {
        let now = Timestamp.now
        for (share, fate) in Self.shares {
            let end = (total - self.start) * share / 100
            for first in stride(from: 0, to: end, by: Self.portion) {
                try await self.add(min(Self.portion, end - first), fate)
            }
        }
        self.start = total
        try await self.fillAside(min(total / 100, Self.hosts * Self.imagesPerHost))
        while try await self.store.upkeep.foldTally(now: .now) {}
        // Corrects what depends on the cards that were changed by hand.
        let left = try await self.store.upkeep.repair(by: AccessOrigin(actor: "scale"), now: .now).left
        guard left.isEmpty else { throw left[0].message }
        try await self.spread(since: now)
    }

    private var (start, aside) = (0, 0)

    /// Adds images that may be fetched now, and as many delivered cards of the busy number, one by one as in use.
    private mutating func fillAside(_ total: Int) async throws {
        try await self.add(total - self.aside, .due)
        while self.aside < total {
            _ = try await self.store.intake.admit([self.photo(.delivered, of: Self.busy)], now: .now)
            try await self.verify()
            try await self.deliver()
            self.aside += 1
        }
    }

    /// A photo that shares its business number with its neighbour, or the front of a number.
    mutating func photo(_ fate: Fate, of number: String? = nil) -> NewCard {
        self.count += 1
        let bytes = Data("photo \(self.count) \(String(repeating: "SPECIMEN", count: 100))".utf8)
        let digest = ContentDigest(of: bytes)
        let address = Redacted("https://host-\(self.count % Self.hosts).example/\(self.count).jpg")
        let isRemote = [.fetching, .due].contains(fate)
        let content: NewCard.Content =
            switch fate {
            case .fetching, .due: .remote(address, host: "host-\(self.count % Self.hosts).example")
            case .received: .received(bytes)
            case .rejected, .erased: .refused(CodedError(.sourceTooLarge, .input, Message("scale.large", "too large")))
            default: .prepared(PreparedImage(jpeg: bytes, width: 10, height: 6, digest: digest))
            }
        // The two sides of a case come from one sender.
        let (pair, side): (Int, CardSide) = (self.count / 2, self.count.isMultiple(of: 2) ? .front : .back)
        let metadata = CardMetadata(
            businessNumber: BusinessNumber(stored: number ?? "CASE-\(fate == .foreign ? pair / 2 : pair)"),
            side: number == nil ? side : .front
        )
        let location: Photo.Location = isRemote ? .address(address) : .bytes(bytes, digest)
        return NewCard(
            id: CardID(rawValue: UUID().uuidString.lowercased()),
            photo: Photo(location, name: Redacted("\(self.count).jpg"), metadata: metadata),
            submitter: fate == .foreign ? "sender-foreign" : "sender-\(number == nil ? pair % 7 : 7)",
            source: isRemote ? nil : digest,
            content: content,
            waitsUntil: .now
        )
    }

    private mutating func add(_ count: Int, _ fate: Fate) async throws {
        guard count > 0 else { return }
        var photos: [NewCard] = []
        for _ in 0..<count { photos.append(self.photo(fate)) }
        let cards = try await self.store.intake.admit(photos, now: .now).map(\.card)
        switch fate {
        case .erased:
            let person = Caller(subject: "person-\(self.count / Self.portion % 7)", scopes: [.operate])
            let origin = try AccessOrigin(person, actor: "scale", purpose: nil)
            try await self.store.upkeep.erase(cards, because: ReasonCode(rawValue: "requested"), by: origin, now: .now)
        case .delivered:
            try await self.verify()
            try await self.deliver()
        case .waiting:
            try await self.verify()
            try await self.change(cards, "reason = 'front_missing'", state: "verified")
            try await self.undecide(cards)
        case .superseded, .failed, .held: try await self.change(cards, "reason = 'too_many_attempts'", state: "\(fate)")
        case .rejected, .fetching, .received, .prepared, .foreign, .due: break
        }
        // What is to be worked on is due in a year, so that the next portion is claimed in its place.
        if [.fetching, .received, .prepared].contains(fate) {
            let due = Timestamp.now.advanced(by: Self.year).millisecondsSinceEpoch
            try await self.change(cards, "due_from = 1, due_at = \(due), waits = 1", state: "\(fate)")
        }
    }

    // MARK: The way of a card

    func claim(limit: Int = 8) async throws -> [VerificationJob] {
        try await self.store.stages.claimVerification(
            by: self.worker,
            provider: "scale",
            parameters: "",
            limit: limit,
            untriedFirst: false,
            now: .now
        ).jobs
    }

    func conclude(_ job: VerificationJob) async throws {
        let side = job.card.metadata.side ?? .front
        let fields =
            side == .front
            ? CardFields(name: "SPECIMEN", number: "11010519491231002X") : CardFields(issuer: "SPECIMEN")
        let key = ReadingKey(imageDigest: job.content.digest, provider: "scale", parameters: "")
        let reading = CardReading(side: side, fields: fields)
        let judgement = Judgement(.accepted, warnings: [])
        try await self.store.stages.conclude(
            job,
            with: .read(reading),
            key: key,
            retry: RetryTerms(maxAttempts: 1, delay: .zero),
            judging: { _, _, _ in judgement },
            now: .now
        )
    }

    func verify() async throws {
        while true {
            let jobs = try await self.claim(limit: Self.portion)
            if jobs.isEmpty { return }
            for job in jobs { try await self.conclude(job) }
        }
    }

    func propose(limit: Int = 8) async throws -> [DeliveryProposal] {
        try await self.store.deliveries.proposeDeliveries(limit: limit, excluding: [], terms: self.terms, now: .now)
            .proposals.filter { !$0.groups.isEmpty }
    }

    func begin(_ proposal: DeliveryProposal) async throws -> DeliveryJob? {
        let members = proposal.groups[0]
        let material = try await self.store.deliveries.material(for: members.map(\.card))
        let outbound = OutboundDelivery(
            idempotencyKey: UUID().uuidString,
            boundary: "boundary",
            parts: [.text("SPECIMEN", name: "TOKEN")],
            images: material.images,
            confidential: material.confidential
        )
        let id = DeliveryID(rawValue: UUID().uuidString.lowercased())
        let beginning = try await self.store
            .deliveries.begin(id, of: members, proposed: [proposal], as: outbound, by: self.worker, now: .now)
        if case .begun(let job) = beginning { return job } else { return nil }
    }

    func conclude(_ job: DeliveryJob) async throws {
        let terms = DeliveryTerms(retry: RetryTerms(maxAttempts: 5, delay: .seconds(1)), onUnknown: .resend)
        let outcome = DeliveryOutcome.accepted(alreadyExisted: false, code: "000000")
        try await self.store.deliveries.conclude(job, with: outcome, terms: terms, now: .now)
    }

    func deliver() async throws {
        while true {
            let proposals = try await self.propose(limit: Self.portion)
            if proposals.isEmpty { return }
            for one in proposals { if let job = try await self.begin(one) { try await self.conclude(job) } }
        }
    }

    // MARK: By hand

    private func database() throws -> DatabaseQueue { try DatabaseQueue(path: "\(self.folder)/sandbox.sqlite3") }

    /// Moves cards to where many transactions would bring them.
    private func change(_ cards: [CardID], _ assignment: String, state: String) async throws {
        let list = cards.map { "'\($0.rawValue)'" }.joined(separator: ",")
        try await self.database().write {
            try $0.execute(sql: "UPDATE card SET state = '\(state)', \(assignment) WHERE id IN (\(list))")
        }
    }

    private func undecide(_ cards: [CardID]) async throws {
        let list = cards.map { "'\($0.rawValue)'" }.joined(separator: ",")
        let due = Timestamp.now.advanced(by: Self.year).millisecondsSinceEpoch
        try await self.database().write {
            try $0.execute(
                sql: """
                    UPDATE cases SET decide_from = 1, decide_at = \(due)
                    WHERE number IN (SELECT number FROM card WHERE id IN (\(list)))
                    """
            )
        }
    }

    /// Dates new cards and cases over the last year.
    private func spread(since start: Timestamp) async throws {
        let (year, start) = (365 * 86_400_000, start.millisecondsSinceEpoch)
        try await self.database().write {
            try $0.execute(
                sql: """
                    UPDATE card SET changed_at = changed_at - intake_order * 1000003 % \(year)
                    WHERE changed_at >= \(start);
                    UPDATE cases SET since = since - rowid * 1000003 % \(year) WHERE since >= \(start)
                    """
            )
        }
    }
}

extension Timestamp {
    static var now: Timestamp { Timestamp(millisecondsSinceEpoch: Int64(Date().timeIntervalSince1970 * 1000)) }
}
