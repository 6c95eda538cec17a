import Testing

@testable import CardModel

@Suite struct TimestampTests {
    @Test func `a time in ISO 8601 keeps its milliseconds`() {
        let time = Timestamp(millisecondsSinceEpoch: 1_700_000_000_123)
        #expect(time.description == "2023-11-14T22:13:20.123Z")
    }
}
