import CardModel
import Testing

@Suite struct ReviewActionTests {
    @Test(arguments: [
        (VerdictRule.issuedBeforeBirth.reason, "One card: pass both"),
        (VerdictRule.spanForAge.reason, "One card: pass both"),
        (VerdictRule.issuerElsewhere.reason, "One card: pass both"),
        (VerdictRule.sidesIdentical.reason, "Pass and send"), (VerdictRule.legalityLow.reason, "Pass and send"),
        (ReasonCode.submitterConflict, "Let in, then verify"),
    ])
    func `Accepting a held card says what that means for its reason`(reason: ReasonCode, label: String) {
        let action = ReviewAction(.accept, about: .sample(.held, reason, side: .back))
        #expect(action?.label.text() == label)
        #expect(action?.needsLook == true)
    }
}
