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
            without missing: OperatorRules.Circumstances = [],
            and added: OperatorRules.Circumstances = []
        ) {
            self.testDescription = name
            var card = Card.sample(state, reason, side: side, failures: failures)
            if wasSent { card.delivery = DeliveryID(rawValue: "delivery-1") }
            self.card = card
            self.circumstances = added.union([.hasImage, .wasRead]).subtracting(missing)
        }

        /// The refusal of an action in words; `nil` if it is allowed.
        func refusal(to action: DecisionAction) -> String? {
            do throws(CodedError) {
                try OperatorRules(of: self.card, under: self.circumstances).require(action)
                return nil
            } catch {
                return error.message.text()
            }
        }

        /// Whether a sandbox can hold it.
        var isPossible: Bool {
            let (known, state) = (self.circumstances, self.card.state)
            let wasSent = self.card.delivery != nil
            if known.contains(.mayBeAtBackend) || known.contains(.hasKeptDelivery) {
                guard wasSent, known.contains(.wasRead), [.held, .failed, .delivering].contains(state) else {
                    return false
                }
            }
            // Persons and backs without a front are told by what was read.
            guard self.card.reason == .holderConflict || self.card.reason == .frontMissing else { return true }
            return known.contains(.wasRead) && self.card.side != nil
        }

        /// The refusal of a change; `nil` if it is allowed.
        func refusal(_ resolution: Resolution?) -> CodedError? {
            do throws(CodedError) {
                if let resolution {
                    try OperatorRules(of: self.card, under: self.circumstances).require(resolution)
                } else {
                    try OperatorRules(of: self.card, under: self.circumstances).requireRetry()
                }
                return nil
            } catch {
                return error
            }
        }
    }

    private static let sent: OperatorRules.Circumstances = [.mayBeAtBackend, .hasKeptDelivery]
    private static let outcomeUnknown = Case("may have arrived", .held, .outcomeUnknown, wasSent: true, and: sent)

    private static let retried: [Case] = [
        Case("rejected by a rule", .rejected, VerdictRule.legalityLow.reason),
        Case("rejected by a remote", .rejected, .refusedByRemote, wasSent: true),
        Case("failed", .failed, .attemptsExhausted),
        Case(
            "a code that a list names by now",
            .held,
            .retcodeUnlisted,
            wasSent: true,
            and: [.isListedNow, .mayBeAtBackend]
        ),
        Case("prepared, after a failure", .prepared, failures: 1, without: .wasRead),
        Case("verified, after a failure", .verified, failures: 2),
    ]

    @Test(arguments: retried)
    func `A card that has failed and is not under way is done again`(card: Case) {
        #expect(card.refusal(nil) == nil)
    }

    private static let notRetried: [Case] = [
        Case("never verified, and from a backup", .held, .restored, without: .wasRead),
        Case("a person rejected it", .rejected, .rejectedByOperator),
        Case("a person returned it", .rejected, RetakeReason.blurred.code),
        Case("a reviewer ended its case", .rejected, .refusedByRemote, and: .isCaseEnded),
        outcomeUnknown,
        Case("a code of no list", .held, .retcodeUnlisted, wasSent: true, and: .mayBeAtBackend),
        Case("failed, but the backend may have it", .failed, .attemptsExhausted, wasSent: true, and: .mayBeAtBackend),
        Case("another submitter's", .held, .submitterConflict, without: .wasRead),
        Case("another person's", .held, .holderConflict),
        Case("under way", .failed, and: .isUnderWay),
        Case("has not failed yet: prepared", .prepared, without: .wasRead),
        Case("has not failed yet: verified", .verified),
        Case("has not failed yet: fetching", .fetching, side: nil, without: [.hasImage, .wasRead]),
        Case("has not failed yet: received", .received, side: nil, without: [.hasImage, .wasRead]),
        Case("delivering", .delivering, wasSent: true),
        Case("delivered", .delivered, wasSent: true),
        Case("erased", .erased, .requested, without: [.hasImage, .wasRead]),
        Case("without an image", .rejected, without: [.hasImage, .wasRead]),
        Case("replaced by a newer photo", .superseded, .superseded, and: .isReplaced),
    ]

    @Test(arguments: notRetried)
    func `No other is done again, and the refusal says what stands against it`(card: Case) throws {
        let refusal = try #require(card.refusal(nil))
        #expect(refusal.code == .cardConflict && refusal.kind == .conflict)
        #expect(refusal.message.text().hasPrefix("cannot change card c-1: "))
    }

    /// What ends another decision is no matter of these rules.
    private static let decisions = Resolution.allCases.filter { $0 != .withdraw && $0 != .disagree }
    private static let returned = Case("returned", .rejected, RetakeReason.glare.code)
    private static let resolved: [(Case, [Resolution])] = [
        (outcomeUnknown, [.delivered, .resend, .anew, .reject, .seen]),
        (
            Case("from a backup, kept", .held, .restored, wasSent: true, and: .hasKeptDelivery),
            [.delivered, .resend, .anew, .reject, .seen]
        ),
        (Case("from a backup, never sent", .held, .restored), [.delivered, .anew, .reject, .seen]),
        (
            Case("from a backup, never verified", .held, .restored, side: nil, without: .wasRead),
            [.delivered, .anew, .reject, .seen]
        ),
        (
            Case("a newer photo is sent", .held, .outcomeUnknown, wasSent: true, and: sent.union(.isOvertaken)),
            [.delivered, .anew, .reject, .seen]
        ),
        (
            Case("a code of no list", .held, .retcodeUnlisted, wasSent: true, and: sent),
            [.delivered, .resend, .anew, .reject, .seen]
        ),
        (Case("a back of two persons", .held, .holderConflict, side: .back), [.accept, .retake, .reject, .seen]),
        (
            Case("two persons", .held, .holderConflict, and: .namesOnePerson),
            [.accept, .retake, .reject, .holder, .seen]
        ),
        (
            Case("another submitter's", .held, .submitterConflict, side: nil, without: .wasRead),
            [.accept, .reject, .seen]
        ),
        (Case("after the end", .held, .caseRejected, side: nil, without: .wasRead), [.accept, .reject, .seen]),
        (Case("no scores", .held, VerdictRule.legalityUnavailable.reason), [.accept, .retake, .reject, .seen]),
        (
            Case("neither side was seen", .held, VerdictRule.cardNotRecognised.reason, side: nil),
            [.retake, .reject, .seen]
        ),
        (returned, [.accept, .seen]),
        (Case("returned, and a newer photo came", .rejected, RetakeReason.glare.code, and: .hasNewerPhoto), [.seen]),
        (Case("returned, then ended", .rejected, RetakeReason.glare.code, and: .isCaseEnded), [.seen]),
        (Case("a back without its front", .verified, .frontMissing, side: .back), [.accept, .reject, .seen]),
        (Case("a back whose front is on its way", .verified, .waitsForFront, side: .back), []),
        (Case("prepared", .prepared, without: .wasRead), []),
        (Case("prepared, after a failure", .prepared, failures: 1, without: .wasRead), [.reject]),
        (Case("verified, after a failure", .verified, failures: 1), [.reject]),
        (Case("delivering for the first time", .delivering, wasSent: true), [.delivered]),
        (Case("sent again", .delivering, failures: 1, wasSent: true, and: .mayBeAtBackend), [.delivered, .reject]),
        (Case("failed, never sent", .failed), [.retake, .reject, .seen]),
        (
            Case("failed, after it was sent", .failed, wasSent: true, and: .mayBeAtBackend),
            [.delivered, .reject, .seen]
        ),
        (Case("failed, in a kept delivery", .failed, wasSent: true, and: sent), [.delivered, .reject, .seen]),
        (Case("delivered", .delivered, wasSent: true), []),
        (Case("a person rejected it", .rejected, .rejectedByOperator), [.seen]),
        (Case("superseded", .superseded, .superseded), [.seen]),
        (Case("erased", .erased, .requested), []),
    ]

    @Test(arguments: resolved)
    func `A person decides on what waits for one, failed or was sent, and no other`(card: Case, allowed: [Resolution]) {
        #expect(Self.decisions.filter { card.refusal($0) == nil } == allowed)
    }

    @Test(arguments: Resolution.allCases)
    func `Nothing is decided while an attempt is under way`(resolution: Resolution) throws {
        let card = Case("", .held, .outcomeUnknown, wasSent: true, and: [.isUnderWay, .hasKeptDelivery])
        #expect(try #require(card.refusal(resolution)).message.text().contains("an attempt is under way"))
    }

    /// Every card that the life of a card allows, with what may be known of it while no attempt is under way.
    private static var every: [Case] {
        let reasons: [CardState: [ReasonCode?]] = [
            .held: [
                .outcomeUnknown, .restored, .retcodeUnlisted, .submitterConflict, .caseRejected, .holderConflict,
                VerdictRule.legalityUnavailable.reason,
            ],
            .verified: [nil, .frontMissing],
            .rejected: [.refusedByRemote, .rejectedByOperator, RetakeReason.glare.code],
            .superseded: [.superseded, .takenEarlier],
        ]
        let known = (0..<256).map(OperatorRules.Circumstances.init(rawValue:)).filter { !$0.contains(.isUnderWay) }
        return CardState.allCases.flatMap { state in
            (reasons[state] ?? [nil]).flatMap { reason in
                [0, 1].flatMap { failures in
                    [CardSide.front, nil].flatMap { side in
                        known.flatMap { known in
                            [true, false].map { wasSent in
                                Case(
                                    "\(state) \(reason?.rawValue ?? "") \(failures) \(known.rawValue) \(wasSent)",
                                    state,
                                    reason,
                                    side: side,
                                    failures: failures,
                                    wasSent: wasSent,
                                    without: OperatorRules.Circumstances([.hasImage, .wasRead]).subtracting(known),
                                    and: known
                                )
                            }
                        }
                    }
                }
            }
        }.filter(\.isPossible)
    }

    @Test func `A refusal names no command that would be refused, too`() {
        let actions = DecisionAction.allCases.filter { $0 != .erase }
        var named: Set<String> = []
        for card in Self.every {
            for action in actions {
                guard let text = card.refusal(to: action) else { continue }
                var commands = text.matches(of: /--as ([a-z]+)/).map { String($0.1) }
                if text.contains("cards retry") { commands.append("retry") }
                named.formUnion(commands)
                for command in commands {
                    let refusal = DecisionAction(rawValue: command).map { card.refusal(to: $0) }
                    #expect(refusal == .some(nil), "\(card.testDescription) \(action): \(text)")
                }
            }
        }
        #expect(named == ["accept", "delivered", "resend", "anew", "reject", "retry"])
    }

    @Test func `A refusal names the card and what to do instead`() throws {
        let unread = try #require(Case("", .held, VerdictRule.legalityLow.reason, without: .wasRead).refusal(.accept))
            .message.text()
        #expect(
            unread.hasPrefix("cannot change card c-1: ")
                && unread.contains("the card was not verified yet; retry it: idcard-pipeline cards retry c-1")
        )
        let sideless = try #require(Case("", .held, VerdictRule.legalityUnavailable.reason, side: nil).refusal(.accept))
            .message.text()
        #expect(sideless.contains("the verifier saw neither side of a card in the photo; reject the card"))
        let unknown = try #require(Self.outcomeUnknown.refusal(nil)).message.text()
        #expect(
            unknown.contains(
                "idcard-pipeline cards resolve c-1 --as delivered; if not, run the same command with --as resend"
            )
        )
    }
}
