import CardModel
import Testing

/// What a person may do to a card, by the life of a card and the rules of delivering.
@Suite struct OperatorRulesTests {
    /// A card and what is known of it; by default a card with an image, read, and never sent.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let card: Card
        let circumstances: OperatorRules.Circumstances

        init(
            _ name: String,
            _ state: CardState,
            _ reason: ReasonCode? = nil,
            side: CardSide? = .front,
            failures: Int = 0,
            wasSent: Bool = false,
            hasImage: Bool = true,
            wasRead: Bool = true,
            isUnderWay: Bool = false,
            mayBeAtBackend: Bool = false,
            hasKeptDelivery: Bool = false,
            isReplaced: Bool = false
        ) {
            self.testDescription = name
            var card = Card.sample(state, reason, side: side, failures: failures)
            if wasSent { card.delivery = DeliveryID(rawValue: "delivery-1") }
            self.card = card
            let known: [(Bool, OperatorRules.Circumstances)] = [
                (hasImage, .hasImage), (wasRead, .wasRead), (isUnderWay, .isUnderWay),
                (mayBeAtBackend, .mayBeAtBackend), (hasKeptDelivery, .hasKeptDelivery), (isReplaced, .isReplaced),
            ]
            self.circumstances = known.reduce(into: []) { if $1.0 { $0.insert($1.1) } }
        }

        /// The refusal of a change; `nil` if it is allowed.
        func refusal(_ resolution: Resolution?) -> CodedError? {
            do throws(CodedError) {
                if let resolution {
                    try OperatorRules.requireResolution(of: self.card, as: resolution, under: self.circumstances)
                } else {
                    try OperatorRules.requireRetry(of: self.card, under: self.circumstances)
                }
                return nil
            } catch {
                return error
            }
        }
    }

    private static let outcomeUnknown = Case(
        "the backend may have it",
        .held,
        .outcomeUnknown,
        wasSent: true,
        mayBeAtBackend: true,
        hasKeptDelivery: true
    )

    private static let retried: [Case] = [
        Case("rejected by a rule", .rejected, VerdictRule.legalityLow.reason),
        Case("rejected by a remote", .rejected, .refusedByRemote, wasSent: true),
        Case("failed", .failed, .attemptsExhausted),
        Case("a code of no list", .held, .retcodeUnlisted, wasSent: true),
        Case("never verified, and from a backup", .held, .restored, wasRead: false),
        Case("prepared, after a failure", .prepared, failures: 1, wasRead: false),
        Case("verified, after a failure", .verified, failures: 2),
    ]

    @Test(arguments: retried)
    func `A card that has failed and is not under way is done again`(card: Case) {
        #expect(card.refusal(nil) == nil)
    }

    private static let notRetried: [Case] = [
        Case("a person rejected it", .rejected, .rejectedByOperator),
        outcomeUnknown,
        Case("failed, but the backend may have it", .failed, .attemptsExhausted, wasSent: true, mayBeAtBackend: true),
        Case("another submitter's", .held, .submitterConflict, wasRead: false),
        Case("another person's", .held, .holderConflict),
        Case("under way", .failed, isUnderWay: true),
        Case("has not failed yet: prepared", .prepared, wasRead: false),
        Case("has not failed yet: verified", .verified),
        Case("has not failed yet: fetching", .fetching, side: nil, hasImage: false, wasRead: false),
        Case("has not failed yet: received", .received, side: nil, hasImage: false, wasRead: false),
        Case("delivering", .delivering, wasSent: true),
        Case("delivered", .delivered, wasSent: true),
        Case("erased", .erased, .requested, hasImage: false, wasRead: false),
        Case("without an image", .rejected, hasImage: false, wasRead: false),
        Case("replaced by a newer photo", .superseded, .superseded, isReplaced: true),
    ]

    @Test(arguments: notRetried)
    func `No other is done again, and the refusal says what stands against it`(card: Case) throws {
        let refusal = try #require(card.refusal(nil))
        #expect(refusal.code == .cardConflict && refusal.kind == .conflict)
        #expect(refusal.message.text().hasSuffix("; nothing was changed"))
    }

    private static let resolved: [(Case, [Resolution])] = [
        (outcomeUnknown, Resolution.allCases),
        (
            Case("from a backup, in a kept delivery", .held, .restored, wasSent: true, hasKeptDelivery: true),
            Resolution.allCases
        ),
        (Case("from a backup, never sent", .held, .restored), [.delivered, .accept, .reject, .seen]),
        (Case("from a backup, never verified", .held, .restored, wasRead: false), [.delivered, .reject, .seen]),
        (
            Case(
                "the backend may have it, and a newer photo is sent",
                .held,
                .outcomeUnknown,
                wasSent: true,
                mayBeAtBackend: true,
                hasKeptDelivery: true,
                isReplaced: true
            ),
            [.delivered, .accept, .reject, .seen]
        ),
        (Case("two persons", .held, .holderConflict), [.accept, .reject, .seen]),
        (
            Case("another submitter's, before it is verified", .held, .submitterConflict, side: nil, wasRead: false),
            [.accept, .reject, .seen]
        ),
        (Case("no scores", .held, VerdictRule.legalityUnavailable.reason), [.accept, .reject, .seen]),
        (Case("neither side was seen", .held, VerdictRule.cardNotRecognised.reason, side: nil), [.reject, .seen]),
        (Case("a back without its front", .verified, .frontMissing, side: .back), [.accept, .reject, .seen]),
        (Case("a back whose front is on its way", .verified, .waitsForFront, side: .back), []),
        (Case("prepared", .prepared, wasRead: false), []),
        (Case("prepared, after a failure", .prepared, failures: 1, wasRead: false), [.reject]),
        (Case("verified, after a failure", .verified, failures: 1), [.reject]),
        (Case("delivering for the first time", .delivering, wasSent: true), [.delivered]),
        (
            Case("delivering, after a failure", .delivering, failures: 1, wasSent: true, mayBeAtBackend: true),
            [.delivered, .reject]
        ),
        (Case("failed, never sent", .failed), [.reject, .seen]),
        (
            Case("failed, after it was sent", .failed, wasSent: true, mayBeAtBackend: true),
            [.delivered, .reject, .seen]
        ),
        (
            Case("failed, in a kept delivery", .failed, wasSent: true, mayBeAtBackend: true, hasKeptDelivery: true),
            [.delivered, .reject, .seen]
        ),
        (Case("delivered", .delivered, wasSent: true), []),
        (Case("a person rejected it", .rejected, .rejectedByOperator), [.seen]),
        (Case("superseded", .superseded, .superseded), [.seen]),
        (Case("erased", .erased, .requested), []),
    ]

    @Test(arguments: resolved)
    func `A person decides on what waits for one, has failed or was sent, and on nothing else`(
        card: Case,
        allowed: [Resolution]
    ) {
        #expect(Resolution.allCases.filter { card.refusal($0) == nil } == allowed)
    }

    @Test(arguments: Resolution.allCases)
    func `Nothing is decided while an attempt is under way`(resolution: Resolution) throws {
        let card = Case("", .held, .outcomeUnknown, wasSent: true, isUnderWay: true, hasKeptDelivery: true)
        #expect(try #require(card.refusal(resolution)).message.text().contains("an attempt is under way"))
    }

    @Test func `A refusal names the card and what to do instead`() throws {
        let unread = try #require(Case("", .held, .restored, wasRead: false).refusal(.accept)).message.text()
        #expect(unread.contains("card c-1 ") && unread.contains("it was not verified yet; retry it"))
        let sideless = try #require(Case("", .held, VerdictRule.legalityUnavailable.reason, side: nil).refusal(.accept))
            .message.text()
        #expect(sideless.contains("the verifier saw neither side on it; reject it"))
        let unknown = try #require(Self.outcomeUnknown.refusal(nil)).message.text()
        #expect(unknown.contains("idcard-pipeline cards resolve c-1 --as delivered (or --as resend"))
    }
}
