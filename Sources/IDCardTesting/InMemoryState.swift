import Foundation
import IDCardCore
import IDCardPipeline

/// Everything an in-memory store holds; a value, so that a change can be thrown away.
struct InMemoryState: Sendable {
    struct Lease: Sendable {
        var owner: Int
        var expiry: Timestamp
    }

    struct CardEntry: Sendable {
        var card: Card
        var sourceDigest: ContentDigest
        var image: PreparedImage?
        var reading: CardReading?
        var readingKey: ReadingKey?
        var readingOrder = 0
        var holder: Data?
        var lease: Lease?
        var events: [CardEvent] = []
        var attempts: [AttemptRecord] = []
        var isAccepted = false
        var goesAlone = false
        /// The source bytes by their offsets, as long as there is no image of them.
        var pieces: [Int: Data] = [:]
        var fetch: Fetch?
        var fetchAttempts: [AttemptRecord] = []

        /// The pieces that are there, in order.
        var ranges: [Range<Int>] {
            self.pieces.map { $0.key..<($0.key + $0.value.count) }.sorted { $0.lowerBound < $1.lowerBound }
        }
    }

    /// From where an image is still to be fetched.
    struct Fetch: Sendable {
        var address: ImageAddress
        var version: FetchedVersion?
    }

    struct ReceiptName: Hashable, Sendable {
        var scope: Receipt.Scope
        var name: String
    }

    struct KeptReceipt: Sendable {
        var request: ContentDigest
        var card: CardID
        var createdAt: Timestamp
    }

    enum DeliveryPhase: Sendable {
        case open, delivered, rejected, held, dissolved
    }

    struct DeliveryEntry: Sendable {
        var delivery: Delivery
        var phase = DeliveryPhase.open
        var number: Int
        var priority: Int
        var nextAttemptAt: Timestamp?
        var createdAt: Timestamp
        var lease: Lease?
        var ended: [AttemptRecord] = []
        var hasOpenAttempt = false
        /// How many attempts had ended when a person last had it sent again.
        var decidedAttempts = 0
        /// How often a person had it sent again; each counts among the attempts.
        var resendOrders = 0

        /// The number of the last attempt, open or ended.
        var lastAttempt: Int { self.ended.count + self.resendOrders + (self.hasOpenAttempt ? 1 : 0) }
        /// Whether the backend may hold the documents.
        var mayHaveBeenReceived: Bool { self.hasOpenAttempt || self.ended.contains { $0.failureClass == .unknown } }
        /// Whether that has happened since a person decided.
        var awaitsDecision: Bool {
            self.hasOpenAttempt || self.ended.dropFirst(self.decidedAttempts).contains { $0.failureClass == .unknown }
        }
    }

    struct FilePlace: Hashable, Sendable {
        var path: Redacted<String>
        var businessNumber: BusinessNumber
    }

    /// An input that is expected or, as the value says, refused.
    struct AwaitedKey: Hashable, Sendable {
        var place: FilePlace
        var source: InputSource
        var owner: Int
    }

    struct KnownFile: Sendable {
        var file: FileIdentity
        var card: CardID
        /// Whether another card was taken in from there before.
        var isReused = false
    }

    /// A card at an endpoint.
    struct CallPlace: Hashable, Sendable {
        var stage: Stage
        var card: CardID
    }

    var lastOwner = 0
    var livingOwners: Set<Int> = []
    var nextIntakeOrder: Int64 = 1
    var readingCount = 0
    var cards: [CardID: CardEntry] = [:]
    var deliveries: [DeliveryID: DeliveryEntry] = [:]
    var files: [FilePlace: KnownFile] = [:]
    var awaited: [AwaitedKey: Bool] = [:]
    /// When each owner last said that it lives.
    var heartbeats: [Int: Timestamp] = [:]
    var receipts: [ReceiptName: KeptReceipt] = [:]
    var runs: [String: SourceRun] = [:]
    /// The watched folders that have held a sidecar or a manifest.
    var watchedFolders: Set<Redacted<String>> = []
    /// By stage and owner.
    var pauses: [Stage: [Int: StagePause]] = [:]
    var waits: [String: Timestamp] = [:]
    var callFailures: [CallPlace: CallFailure] = [:]
    /// The calls that have ended, in their order.
    var calls: [Stage: [AttemptRecord]] = [:]
    var callFailureOrder: [CallPlace: Int] = [:]
    var lastCallFailure = 0
    /// When the latest call began that the endpoint of a stage took, while any card had failed there.
    var succeededFrom: [Stage: Timestamp] = [:]
    var accessLog: [AccessLine] = []
    var certificates: [CardID: ErasureCertificate] = [:]
    /// The last time that was seen; `nil` before the first.
    var seen: SeenTime?
    var space = StoreSpace.ample
    /// What admissions fail with.
    var admissionError: StoreError?
    /// What looks for expired cards fail with.
    var retentionError: StoreError?
    var hasLookedForExpired = false
    var finishedErasures = 0
    /// What each owner has under preparation, by slot.
    var preparing: [Int: [Int: ContentDigest]] = [:]
    var crashes: [ContentDigest: Int] = [:]
    /// The business numbers of which a front was erased undelivered.
    var erasedFronts: Set<BusinessNumber> = []
    /// When each business number last changed, counted in changes, but for what the rules write about waits.
    var changes: [BusinessNumber: Int64] = [:]
    var lastChange: Int64 = 0
    /// How many cards all snapshots together held.
    var cardsLookedAt = 0

    /// - Throws: `StoreError.notFound` if there is no card of this name.
    func entry(of card: CardID) throws -> CardEntry {
        guard let entry = self.cards[card] else { throw StoreError(.notFound, "there is no card \(card)") }
        return entry
    }

    /// Changes the state of a card and writes its event; the lease, if any, is given back.
    mutating func move(
        _ card: CardID,
        from expected: CardState,
        to state: CardState,
        leasedBy owner: Int? = nil,
        reason: ReasonCode? = nil,
        message: String? = nil,
        code: String? = nil,
        kind: String? = nil,
        now: Timestamp
    ) throws {
        var entry = try self.entry(of: card)
        guard entry.card.state == expected, entry.lease?.owner == owner else {
            throw StoreError(.conflict, "card \(card) is not \(expected) any more; nothing was changed")
        }
        entry.card.state = state
        entry.card.reason = reason
        entry.card.message = message
        entry.card.attempts = 0
        entry.card.nextAttemptAt = nil
        entry.card.changedAt = now
        entry.lease = nil
        entry.events.append(
            CardEvent(at: now, kind: kind ?? state.rawValue, state: state, code: reason?.rawValue ?? code)
        )
        self.cards[card] = entry
        self.noteChange(of: card)
        if state == .delivered { try self.noteDelivered(entry, now: now) }
        let delivery: Set<CardState> = [.verified, .delivering]
        if !delivery.isSuperset(of: [expected, state]) { self.forgetFailures(of: card) }
    }

    mutating func append(_ event: CardEvent, to card: CardID) {
        self.cards[card]?.events.append(event)
        if event.kind != "waiting" || event.code == nil { self.noteChange(of: card) }
    }

    private mutating func noteChange(of card: CardID) {
        self.lastChange += 1
        if let number = self.cards[card]?.card.metadata.businessNumber { self.changes[number] = self.lastChange }
    }
}
