import CardModel
import Testing

@Suite struct CardMetadataTests {
    struct Field: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let changesVerdict: Bool
        let say: @Sendable (inout CardMetadata) -> Void

        init(_ name: String, changesVerdict: Bool, _ say: @escaping @Sendable (inout CardMetadata) -> Void) {
            self.testDescription = name
            self.changesVerdict = changesVerdict
            self.say = say
        }
    }

    static let fields = [
        Field("priority", changesVerdict: false) { $0.priority = -3 },
        Field("user number", changesVerdict: false) { $0.userNumber = Redacted("user-2") },
        Field("expected number", changesVerdict: true) { $0.expectedIDNumber = Redacted("440524188001010014") },
        Field("expected name", changesVerdict: true) { $0.expectedName = Redacted("样本乙") },
        Field("side", changesVerdict: true) { $0.side = .back },
    ]

    let silent: CardMetadata
    let full: CardMetadata

    init() throws {
        let number = try #require(BusinessNumber("CASE-1"))
        self.silent = CardMetadata(businessNumber: number)
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
    func `Every field that is said is taken over, alone, over nothing and over an older word`(field: Field) {
        var newer = self.silent
        field.say(&newer)
        #expect(self.silent.takingOver(newer) == newer)
        var expected = self.full
        field.say(&expected)
        #expect(expected != self.full)
        #expect(self.full.takingOver(newer) == expected)
    }

    @Test func `What is not said changes nothing`() {
        #expect(self.full.takingOver(self.silent) == self.full)
        #expect(self.silent.takingOver(self.full) == self.full)
    }

    @Test func `The business number is never taken over`() throws {
        var newer = self.full
        newer.businessNumber = try #require(BusinessNumber("CASE-2"))
        #expect(self.silent.takingOver(newer) == self.full)
    }

    @Test(arguments: fields)
    func `Only another holder or side may change a verdict, in both directions`(field: Field) {
        for older in [self.silent, self.full] {
            var newer = older
            field.say(&newer)
            #expect(newer.changesVerdict(from: older) == field.changesVerdict)
            #expect(older.changesVerdict(from: newer) == field.changesVerdict)
            #expect(!newer.changesVerdict(from: newer))
        }
    }
}
