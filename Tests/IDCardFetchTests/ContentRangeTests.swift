import Testing

@testable import IDCardFetch

/// Reading `Content-Range`, and planning ranges.
struct ContentRangeTests {
    @Test("A range with a total is read")
    func range() {
        let range = ContentRange("bytes 0-499/1234")
        #expect(range?.bytes == 0..<500)
        #expect(range?.total == 1234)
        #expect(ContentRange("BYTES 1233-1233/1234")?.bytes == 1233..<1234)
    }

    @Test("A range without a total, and a total without a range, are read")
    func stars() {
        #expect(ContentRange("bytes 5-9/*")?.bytes == 5..<10)
        #expect(ContentRange("bytes 5-9/*")?.total == nil)
        #expect(ContentRange("bytes */10")?.bytes == nil)
        #expect(ContentRange("bytes */10")?.total == 10)
    }

    @Test(
        "What contradicts itself is not read",
        arguments: [
            "", "bytes", "bytes ", "bytes 0-499", "bytes 0-499/", "bytes 5-4/10", "bytes 0-10/10", "bytes */*",
            "bytes -5/10",
            "bytes 0-/10", "bytes 0-4/+10", "bytes 0-4/10/10", "bytes 0-4-5/10", "items 0-4/10", "bytes=0-4/10",
            "bytes 0-99999999999999999999/*", "bytes 0-9223372036854775807/*", "bytes a-b/10",
            "bytes 0-4/99999999999999999999",
        ]
    )
    func malformed(text: String) {
        #expect(ContentRange(text) == nil)
    }

    @Test("Ranges that touch or overlap are one")
    func joined() {
        #expect(RangePlan.joined([10..<20, 0..<5, 5..<10, 15..<18, 30..<30]) == [0..<20])
        #expect(RangePlan.joined([]) == [])
    }

    @Test("What is missing is what no range holds")
    func missing() {
        #expect(RangePlan.missing(from: [], upTo: 10) == [0..<10])
        #expect(RangePlan.missing(from: [0..<10], upTo: 10) == [])
        #expect(RangePlan.missing(from: [2..<4, 6..<8], upTo: 10) == [0..<2, 4..<6, 8..<10])
        #expect(RangePlan.missing(from: [0..<4], upTo: .max) == [4..<Int.max])
        #expect(RangePlan.missing(from: [0..<4, 20..<30], upTo: 10) == [4..<10])
    }

    @Test("Ranges are cut to a length, in order")
    func cut() {
        #expect(RangePlan.cut([0..<5, 10..<11], into: 2) == [0..<2, 2..<4, 4..<5, 10..<11])
        #expect(RangePlan.cut([0..<5], into: 5) == [0..<5])
        #expect(RangePlan.cut([5..<Int.max], into: Int.max) == [5..<Int.max])
    }
}
