import Testing

@testable import CardEmbedded

@Suite struct NumberBallotTests {
    @Test(arguments: [
        ("11010519491231002X", true), ("440524188001010014", true), ("110101199003070011", true),
        ("31010120000229012X", true), ("110105194912310021", false), ("110105491231002", false),
        ("X1010519491231002X", false),
    ])
    func `The check character is that of GB 11643`(number: String, isValid: Bool) {
        #expect(NumberBallot.hasValidCheck(number) == isValid)
    }

    @Test func `A first reading whose check character holds settles it`() {
        var ballot = NumberBallot()
        ballot.add(" 1101 0519491231002x\n")
        #expect(ballot.certain == "11010519491231002X")
    }

    @Test func `A wrong check character that three readings agree on is what is printed`() {
        var ballot = NumberBallot()
        for _ in 0..<2 { ballot.add("110105194912310021") }
        #expect(ballot.certain == nil)
        // A single misreading that happens to satisfy the check must not win.
        ballot.add("11010519491231002X")
        ballot.add("110105194912310021")
        #expect(ballot.certain == "110105194912310021")
        #expect(ballot.result == "110105194912310021")
    }

    @Test func `Readings that all differ are decided place by place`() {
        var ballot = NumberBallot()
        ballot.add("910105194912310021")
        ballot.add("180105194912310021")
        ballot.add("110705194912310021")
        #expect(ballot.certain == nil)
        #expect(ballot.result == "110105194912310021")
    }

    @Test func `A number of another length is reported as it was read, never filled up`() {
        var ballot = NumberBallot()
        ballot.add("1101051949123100")
        ballot.add("11010519491231")
        #expect(ballot.result == "1101051949123100")
        #expect(NumberBallot().result == nil)
    }

    @Test func `Full-width digits are digits; letters and signs are dropped`() {
        #expect(NumberBallot.cleaned("１１０-10a5 ｘ x") == "110105X")
    }
}
