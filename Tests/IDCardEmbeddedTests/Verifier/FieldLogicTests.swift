import Testing

@testable import IDCardEmbedded

/// Which fields of a front contradict its number.
struct FieldLogicTests {
    private func logic(
        number: String? = "110101199003070011",
        birth: CardText.BirthDate? = CardText.BirthDate(year: 1990, month: 3, day: 7),
        gender: String? = "男"
    ) -> FieldLogic {
        FieldLogic(CardText.Front(gender: gender, birth: birth, number: number))
    }

    @Test("A front that is right in itself contradicts nothing")
    func sound() {
        #expect(self.logic().isSound)
    }

    @Test("What was not read contradicts nothing")
    func missing() {
        #expect(self.logic(number: nil).isSound)
        #expect(self.logic(birth: nil, gender: nil).isSound)
    }

    @Test(
        "A number of another length, or with a wrong check character, is wrong itself",
        arguments: ["110101199003070012", "11010119900307001", "110105491231002"]
    )
    func number(number: String) {
        let logic = self.logic(number: number)
        #expect(logic.number && !logic.birth && !logic.gender && !logic.isSound)
    }

    @Test("Another birth date or gender than the number's is said at its own field")
    func others() {
        let birth = self.logic(birth: CardText.BirthDate(year: 1990, month: 7, day: 3))
        #expect(birth.birth && !birth.number && !birth.gender && !birth.isSound)
        let gender = self.logic(gender: "女")
        #expect(gender.gender && !gender.number && !gender.birth && !gender.isSound)
    }
}
