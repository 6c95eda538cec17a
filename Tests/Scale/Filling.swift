import CardModel
import CardStore
import Foundation
import GRDB

/// A sandbox that grows: cards in all states, in the shares of a year's use, most of them over and done with.
struct Filling {
    /// Out of a hundred cards.
    private static let shares: [(share: Int, fate: Fate)] = [
        (30, .erased), (20, .delivered), (10, .waiting), (10, .rejected), (5, .superseded), (5, .failed), (5, .held),
        (5, .fetching), (5, .received), (5, .prepared),
    ]
    private static let portion = 200
    private static let year = Duration.seconds(365 * 86_400)

    enum Fate { case erased, delivered, waiting, rejected, superseded, failed, held, fetching, received, prepared }

    let folder: String
    let store: CardStore
    let worker: Worker
    let terms = DecidingTerms(policy: CasePolicy(), rules: VerdictRules())
    private(set) var count = 0

    init(folder: String) async throws {
        self.folder = folder
        let now = Timestamp.now
        let ring = KeyRing(.random())
        self.store = try await CardStore.open(path: folder, kind: .real, ring: ring, creating: true, now: now)
        self.worker = try await self.store.startWorker(id: "scale", command: "run", now: now)
    }

    mutating func fill(to total: Int) async throws {
        for (share, fate) in Self.shares {
            let end = (total - self.start) * share / 100
            for first in stride(from: 0, to: end, by: Self.portion) {
                try await self.add(min(Self.portion, end - first), fate)
            }
        }
        self.start = total
        try await self.spread()
    }

    private var start = 0

    /// A photo whose every tenth neighbour shares its business number.
    mutating func photo(_ fate: Fate) -> NewCard {
        self.count += 1
        let bytes = Data("photo \(self.count) \(String(repeating: "SPECIMEN", count: 100))".utf8)
        let image = PreparedImage(jpeg: bytes, width: 10, height: 6, digest: ContentDigest(of: bytes))
        let host = "host-\(self.count % 50).example"
        let content: NewCard.Content =
            switch fate {
            case .fetching: .remote(Redacted("https://\(host)/\(self.count).jpg"), host: host)
            case .received: .received(bytes)
            case .rejected, .erased: .refused(CodedError(.sourceTooLarge, .input, Message("scale.large", "too large")))
            default: .prepared(image)
            }
        return NewCard(
            id: CardID(rawValue: UUID().uuidString.lowercased()),
            photo: Photo(
                .bytes(bytes, ContentDigest(of: bytes)),
                name: Redacted("\(self.count).jpg"),
                metadata: CardMetadata(
                    businessNumber: BusinessNumber(stored: "CASE-\(self.count / 2)"),
                    side: self.count.isMultiple(of: 2) ? .front : .back
                )
            ),
            // The two sides of a case come from one sender.
            submitter: "sender-\(self.count / 2 % 7)",
            source: fate == .fetching ? nil : ContentDigest(of: bytes),
            content: content,
            waitsUntil: .now
        )
    }

    private mutating func add(_ count: Int, _ fate: Fate) async throws {
        var photos: [NewCard] = []
        for _ in 0..<count { photos.append(self.photo(fate)) }
        let cards = try await self.store.admit(photos, now: .now).map(\.card)
        switch fate {
        case .erased:
            let origin = AccessOrigin(actor: "scale")
            try await self.store.erase(cards, because: ReasonCode(rawValue: "requested"), by: origin, now: .now)
        case .delivered:
            try await self.verify()
            try await self.deliver()
        case .waiting:
            try await self.verify()
            try await self.change(cards, "reason = 'front_missing'", state: "verified")
            try await self.undecide(cards)
        case .superseded, .failed, .held: try await self.change(cards, "reason = 'too_many_attempts'", state: "\(fate)")
        case .rejected, .fetching, .received, .prepared: break
        }
        // What is to be worked on is due in a year, so that the next portion is claimed in its place.
        if [.fetching, .received, .prepared].contains(fate) {
            let due = Timestamp.now.advanced(by: Self.year).millisecondsSinceEpoch
            try await self.change(cards, "due_from = 1, due_at = \(due), waits = 1", state: "\(fate)")
        }
    }

    // MARK: The way of a card

    func claim(limit: Int = 8) async throws -> [VerificationJob] {
        try await self.store.claimVerification(
            by: self.worker,
            provider: "scale",
            parameters: "",
            limit: limit,
            untriedFirst: false,
            now: .now
        )
    }

    func conclude(_ job: VerificationJob) async throws {
        let side = job.card.metadata.side ?? .front
        let fields =
            side == .front
            ? CardFields(name: "SPECIMEN", number: "11010519491231002X") : CardFields(issuer: "SPECIMEN")
        let key = ReadingKey(imageDigest: job.content.digest, provider: "scale", parameters: "")
        let reading = CardReading(side: side, fields: fields)
        let judgement = Judgement(.accepted, warnings: [])
        try await self.store.conclude(job, with: .judged(reading, key: key, judgement), now: .now)
    }

    func verify() async throws {
        while true {
            let jobs = try await self.claim(limit: Self.portion)
            if jobs.isEmpty { return }
            for job in jobs { try await self.conclude(job) }
        }
    }

    func propose(limit: Int = 8) async throws -> [DeliveryProposal] {
        try await self.store.proposeDeliveries(limit: limit, excluding: [], terms: self.terms, now: .now)
            .proposals.filter { !$0.groups.isEmpty }
    }

    func begin(_ proposal: DeliveryProposal) async throws -> DeliveryJob? {
        let members = proposal.groups[0]
        let material = try await self.store.material(for: members.map(\.card))
        let outbound = OutboundDelivery(
            idempotencyKey: UUID().uuidString,
            boundary: "boundary",
            parts: [.text("SPECIMEN", name: "TOKEN")],
            images: material.images,
            confidential: material.confidential
        )
        let id = DeliveryID(rawValue: UUID().uuidString.lowercased())
        let beginning = try await self.store
            .begin(id, of: members, proposed: [proposal], as: outbound, by: self.worker, now: .now)
        if case .begun(let job) = beginning { return job } else { return nil }
    }

    func conclude(_ job: DeliveryJob) async throws {
        let terms = DeliveryTerms(retry: RetryTerms(maxAttempts: 5, delay: .seconds(1)), onUnknown: .resend)
        let outcome = DeliveryOutcome.accepted(alreadyExisted: false, code: "000000")
        try await self.store.conclude(job, with: outcome, terms: terms, now: .now)
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

    /// Dates the new cards over the last year.
    private func spread() async throws {
        let (year, recent) = (365 * 86_400_000, Timestamp.now.millisecondsSinceEpoch - 600_000)
        try await self.database().write {
            try $0.execute(
                sql: """
                    UPDATE card SET changed_at = changed_at - (intake_order * 7919 % \(year)) WHERE changed_at > \(recent)
                    """
            )
        }
    }
}

extension Timestamp {
    static var now: Timestamp { Timestamp(millisecondsSinceEpoch: Int64(Date().timeIntervalSince1970 * 1000)) }
}
