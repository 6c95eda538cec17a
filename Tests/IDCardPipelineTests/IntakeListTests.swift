import IDCardCore
import Testing

@testable import IDCardPipeline

@Suite("The inputs of a run, packed")
struct IntakeListTests {
    private static func number(_ text: String) throws -> BusinessNumber { try #require(BusinessNumber(text)) }

    /// One input of every kind, and paths that share all, some or nothing with their source.
    private static func items() throws -> [IntakeItem] {
        let plain = CardMetadata(businessNumber: try self.number("B-1"))
        let full = CardMetadata(
            businessNumber: try self.number("贷款 7"),
            userNumber: Redacted("U-1"),
            expectedIDNumber: Redacted("11010519491231002X"),
            expectedName: Redacted("样本"),
            side: .back,
            priority: -1_000_000
        )
        var empty = plain
        empty.userNumber = Redacted("")
        empty.priority = .max
        let seen = FileIdentity(path: "/real/x", device: .max, inode: 1 << 63, size: .max, modifiedNanoseconds: .min)
        let message = String(repeating: "why ", count: 100)
        return [
            IntakeItem(source: "/a/b/front.jpg", path: "/a/b/front.jpg", disposition: .take(plain)),
            IntakeItem(source: "b/back.jpg", path: "/a/b/back.jpg", disposition: .take(full)),
            IntakeItem(source: "b/other", path: "/a/c/someone", disposition: .take(empty)),
            // 片 and 燇 end in the same byte: the cut lies within a character.
            IntakeItem(source: "照片", path: "/照燇", disposition: .ignore),
            IntakeItem(source: "", path: "/x", disposition: .refuse(.sourceUnreadable, message: "")),
            IntakeItem(source: "x", path: "", disposition: .refuse(.duplicate, message: message, of: .erased)),
            IntakeItem(source: "l", path: "/l", expected: seen, disposition: .take(full)),
            IntakeItem(address: ImageAddress("https://example.test/照.jpg?s=1"), disposition: .take(plain)),
            IntakeItem(source: "/a/b/front.jpg", path: "/a/b/front.jpg", disposition: .take(plain)),
        ]
    }

    @Test("Every input comes back as it went in, from wherever it is taken")
    func roundTrip() throws {
        let items = try Self.items()
        let list = IntakeList(items)
        #expect(Array(list) == items)
        #expect(list.reversed() == items.reversed())
        #expect(Array(list[2..<5]) == Array(items[2..<5]))
        #expect(list.indices.map { list.disposition(at: $0) } == items.map(\.disposition))
        #expect(Array(IntakeList(list)) == items)
        #expect(IntakeList([]).isEmpty)
    }

    @Test("A list goes on from where another one stands, and leaves that one as it is")
    func append() throws {
        let items = try Self.items()
        let list = IntakeList(items.prefix(3))
        var longer = list
        for item in items.dropFirst(3) { longer.append(item) }
        #expect(Array(list) == Array(items.prefix(3)))
        #expect(Array(longer) == items)
    }

    @Test("A list shows how many inputs it holds, and none of them")
    func description() throws {
        let list = IntakeList(try Self.items())
        var dumped = ""
        dump(list, to: &dumped)
        for text in ["\(list)", String(reflecting: list), dumped] {
            #expect(text.contains("9 inputs"))
            #expect(!text.contains("110") && !text.contains("front"))
        }
    }
}
