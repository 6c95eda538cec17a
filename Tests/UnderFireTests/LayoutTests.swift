import IDCardCore
import IDCardDelivery
import IDCardPipeline
import IDCardTesting
import Testing

/// Deliveries of several cards, and answers in every writing, over real sockets.
@Suite("Layouts and the writings of answers", .serialized, .timeLimit(.minutes(Sanitizer.minutes(2))))
struct LayoutTests {
    private static let key = "0123456789abcdefghijklmn"
    private static let vector = "76543210"

    /// Of four refuses the second, and wants the fourth later.
    private static func judge(_ document: Ledger.Document, _ timesSeen: Int) -> String {
        switch document.businessNumber {
        case "B-2": "E100"
        case "B-4" where timesSeen == 1: "900001"
        default: Ledger.success
        }
    }

    /// Batches of four that are formed only when they are full, for as long as a run is patient.
    private static func batch(_ writing: ReplyWriting) -> FirePlan {
        var plan = FirePlan()
        plan.layout = .batch
        plan.grouping = .batch(maximumCards: 4, maximumBytes: .max, wait: .seconds(600))
        plan.ledger = Ledger(writing, judge: Self.judge)
        plan.settings.patience = .milliseconds(300)
        return plan
    }

    private static func expectBatch(_ plan: FirePlan) async throws {
        try await withFireRange(plan) { range async throws in
            #expect(try await range.run(range.fronts(4)) == .patienceExhausted)
            // By business number: cards are taken in side by side.
            var states = try await range.statesByNumber()
            #expect(states == ["B-1": "delivered", "B-2": "rejected:E100", "B-3": "delivered", "B-4": "verified"])
            #expect(try await range.cards().map(\.attempts).reduce(0, +) == 1)
            // The one that is left waits for others in vain; the next run waits for none.
            try await range.reopen()
            let ending = try await range.run([], later: .seconds(60)) { plan in
                plan.grouping = .batch(maximumCards: 4, maximumBytes: .max, wait: .zero)
            }
            #expect(ending == .complete)
            states = try await range.statesByNumber()
            #expect(states == ["B-1": "delivered", "B-2": "rejected:E100", "B-3": "delivered", "B-4": "delivered"])
            #expect(range.deliveries.classes == [.accepted, .accepted])
            expectOneDocumentEach(in: range.ledger, count: 3)
            let keys = Dictionary(grouping: range.ledger.documents, by: \.key).values.map(\.count)
            #expect(keys.sorted() == [1, 2])
        }
    }

    private static func application(_ writing: ReplyWriting) -> FirePlan {
        var plan = FirePlan()
        plan.layout = .application
        plan.grouping = .application
        plan.ledger = Ledger(writing)
        // The first of the answers is lost, so that a form of several cards is sent again, too.
        plan.backendScripts { ledger in [.commit({ ledger.commit($0) }, then: .close)] }
        return plan
    }

    private static func expectApplication(_ plan: FirePlan) async throws {
        try await withFireRange(plan) { range async throws in
            #expect(try await range.run(range.pair("B-1") + range.pair("B-2")) == .complete)
            #expect(try await range.counts() == [.delivered: 4])
            let counts = try expectIdenticalRepeats(at: range.backend)
            #expect(counts.values.sorted() == [1, 2])
            expectOneDocumentEach(in: range.ledger, count: 4)
            for documents in Dictionary(grouping: range.ledger.documents, by: \.key).values {
                #expect(documents.map(\.kind) == ["IDCARD_FRONT_APP", "IDCARD_BACK_APP"])
                #expect(Set(documents.map(\.businessNumber)).count == 1)
            }
        }
    }

    @Test("Each card of a batch goes its own way by its entry", arguments: [ReplyWriting.json, .xml])
    func batch(writing: ReplyWriting) async throws {
        try await Self.expectBatch(Self.batch(writing))
    }

    @Test("Front and back go together, and again together after a lost answer", arguments: [ReplyWriting.json, .xml])
    func application(writing: ReplyWriting) async throws {
        try await Self.expectApplication(Self.application(writing))
    }

    #if TripleDES
    /// Answers in 3DES, for every list of codes that the tests here need.
    private static func sealed(_ mode: ReplyEncryption.Mode, isXML: Bool = false, isBatch: Bool = false) async throws
        -> ReplyWriting
    {
        try await ReplyWriting.sealed(
            "\(mode.rawValue)",
            by: { text in
                let cipher = mode == .cbc ? "des-ede3-cbc" : "des-ede3"
                return try await OpenSSLCommand.sealed(text, mode: cipher, key: Self.key, vector: Self.vector)
            },
            as: isXML ? ReplyWriting.xmlText : ReplyWriting.jsonText,
            for: isBatch ? Self.lists : [[Ledger.success], [Ledger.known], [Ledger.success, Ledger.success]]
        )
    }

    /// The codes of the batch in every order in which its cards may have been gathered, and of the one that is left.
    private static let lists: [[String]] = {
        var lists = [[Ledger.success]]
        for refused in 0..<4 {
            for later in 0..<4 where later != refused {
                var codes = Array(repeating: Ledger.success, count: 4)
                (codes[refused], codes[later]) = ("E100", "900001")
                lists.append(codes)
            }
        }
        return lists
    }()

    private static func encryption(_ mode: ReplyEncryption.Mode) -> ReplyEncryption {
        ReplyEncryption(mode, key: Redacted(self.key), startVector: Redacted(self.vector))
    }

    @Test(
        "A batch is read the same where its answers are in 3DES",
        arguments: ReplyEncryption.Mode.allCases,
        [false, true]
    )
    func sealedBatch(mode: ReplyEncryption.Mode, isXML: Bool) async throws {
        var plan = Self.batch(try await Self.sealed(mode, isXML: isXML, isBatch: true))
        plan.replyEncryption = Self.encryption(mode)
        try await Self.expectBatch(plan)
    }

    @Test("An application is read the same where its answers are in 3DES", arguments: ReplyEncryption.Mode.allCases)
    func sealedApplication(mode: ReplyEncryption.Mode) async throws {
        var plan = Self.application(try await Self.sealed(mode))
        plan.replyEncryption = Self.encryption(mode)
        try await Self.expectApplication(plan)
    }

    @Test("Answers in 3DES that nobody can read are unknown: the document is there once, the card held")
    func undeciphered() async throws {
        var plan = FirePlan()
        plan.ledger = Ledger(try await Self.sealed(.cbc))
        plan.settings.onUnknown = .hold
        try await withFireRange(plan) { range async throws in
            #expect(try await range.run(range.fronts(1)) == .complete)
            #expect(try await range.states() == ["held:outcome_unknown"])
            #expect(range.deliveries.codes == ["unreadable_reply"])
            expectOneDocumentEach(in: range.ledger, count: 1)
        }
    }
    #endif
}
