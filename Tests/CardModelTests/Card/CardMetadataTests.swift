import CardModel
import Testing

@Suite struct CardMetadataTests {
    /// The name of a field, whether it may change a verdict, and how it is given.
    typealias Field = (name: String, changesVerdict: Bool, give: @Sendable (inout CardMetadata) -> Void)

    static let fields: [Field] = [
        ("priority", false, { $0.priority = -3 }),
        ("user number", false, { $0.userNumber = Redacted("user-2") }),
        ("expected number", true, { $0.expectedIDNumber = Redacted("440524188001010014") }),
        ("expected name", true, { $0.expectedName = Redacted("样本乙") }),
        ("side", true, { $0.side = .back }),
    ]

    let empty: CardMetadata
    let full: CardMetadata

    init() throws {
        let number = try #require(BusinessNumber("CASE-1"))
        self.empty = CardMetadata(businessNumber: number)
        self.full = CardMetadata(
            businessNumber: number,
            userNumber: Redacted("user-1"),
            expectedIDNumber: Redacted("11010519491231002X"),
            expectedName: Redacted("样本甲"),
            side: .front,
            priority: 5
        )
    }

    @Test(arguments: fields)
    func `Every field that is given is taken over, in place of nothing and of an older value`(field: Field) {
        var newer = self.empty
        field.give(&newer)
        #expect(self.empty.takingOver(newer) == newer)
        var expected = self.full
        field.give(&expected)
        #expect(expected != self.full)
        #expect(self.full.takingOver(newer) == expected)
    }

    @Test func `What is not given changes nothing`() {
        #expect(self.full.takingOver(self.empty) == self.full)
        #expect(self.empty.takingOver(self.full) == self.full)
    }

    @Test func `The business number is never taken over`() throws {
        var newer = self.full
        newer.businessNumber = try #require(BusinessNumber("CASE-2"))
        #expect(self.empty.takingOver(newer) == self.full)
    }

    @Test(arguments: fields)
    func `Only another holder or side may change a verdict, in both directions`(field: Field) {
        for older in [self.empty, self.full] {
            var newer = older
            field.give(&newer)
            #expect(newer.changesVerdict(from: older) == field.changesVerdict)
            #expect(older.changesVerdict(from: newer) == field.changesVerdict)
            #expect(!newer.changesVerdict(from: newer))
        }
    }
}
