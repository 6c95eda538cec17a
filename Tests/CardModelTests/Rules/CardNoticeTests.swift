import CardModel
import Testing

/// What a person is told of a card, by where it stands.
@Suite struct CardNoticeTests {
    private static let told: [(CardState, ReasonCode?, CardNotice)] = [
        (.fetching, nil, .nothing), (.received, nil, .nothing), (.prepared, nil, .nothing), (.verified, nil, .nothing),
        (.verified, .waitsForVerification, .nothing), (.verified, .waitsForBack, .nothing),
        (.verified, .waitsForFront, .blocked), (.verified, .waitsForOlderPhoto, .blocked),
        (.verified, .frontMissing, .attention(.retake)), (.verified, .userNumberMissing, .attention(.retake)),
        (.verified, .imageUnreadable, .attention(.retake)), (.delivering, nil, .nothing), (.delivered, nil, .nothing),
        (.rejected, .refusedByRemote, .attention(.retake)), (.rejected, .unsupportedFormat, .attention(.retake)),
        (.rejected, .rejectedByOperator, .line), (.rejected, RetakeReason.glare.code, .attention(.retake)),
        (.held, .caseRejected, .attention(.decide)), (.failed, .attemptsExhausted, .attention(.decide)),
        (.held, .outcomeUnknown, .attention(.decide)), (.held, .submitterConflict, .attention(.decide)),
        (.superseded, .superseded, .line), (.erased, .requested, .line),
    ]

    @Test(arguments: told)
    func `a card is told by state, reason and later news`(state: CardState, reason: ReasonCode?, notice: CardNotice) {
        #expect(CardNotice(state, reason, isSeen: false, isRetaken: false) == notice)
        #expect(notice.isFailure == (notice != .nothing && notice != .line))
        // Once a person has seen it nothing more is told, but its erasure is.
        #expect(CardNotice(state, reason, isSeen: true, isRetaken: false) == (state == .erased ? .line : .nothing))
        // A later photo of its side that was delivered ends what is to be done, but not for another submitter's.
        let stays = state == .superseded || state == .erased
        #expect(CardNotice(state, reason, isSeen: false, isRetaken: true) == (stays ? notice : .nothing))
    }

    @Test func `a card has work unless it has ended, or waits for a person or another card`() {
        for (state, reason, notice) in Self.told {
            var card = Card.sample(state, reason, side: .front)
            let hasWork = state.isRunnable && notice == .nothing
            #expect(card.hasWork == hasWork)
            card.isSeen = true
            #expect(card.hasWork == hasWork, "a look changes nothing of the work")
        }
    }
}
