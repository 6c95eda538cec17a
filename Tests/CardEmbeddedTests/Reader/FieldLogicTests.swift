import Testing

@testable import CardEmbedded

/// Which fields of a front contradict its number.
@Suite struct FieldLogicTests {
    private func logic(
        number: String? = "110101199003070011",
        birth: CardText.BirthDate? = CardText.BirthDate(year: 1990, month: 3, day: 7),
        gender: String? = "男"
    ) -> FieldLogic {
        FieldLogic(CardText.Front(gender: gender, birth: birth, number: number))
    }

    @Test func `A front that is right in itself contradicts nothing`() {
        #expect(self.logic().isSound)
    }

    @Test func `What was not read contradicts nothing`() {
        #expect(self.logic(number: nil).isSound)
        #expect(self.logic(birth: nil, gender: nil).isSound)
    }

    @Test(arguments: ["110101199003070012", "11010119900307001", "110105491231002"])
    func `A number of another length, or with a wrong check character, is wrong itself`(number: String) {
        let logic = self.logic(number: number)
        #expect(logic.number && !logic.birth && !logic.gender && !logic.isSound)
    }

    @Test func `Another birth date or gender than the number's is said at its own field`() {
        let birth = self.logic(birth: CardText.BirthDate(year: 1990, month: 7, day: 3))
        #expect(birth.birth && !birth.number && !birth.gender && !birth.isSound)
        let gender = self.logic(gender: "女")
        #expect(gender.gender && !gender.number && !gender.birth && !gender.isSound)
    }
}
