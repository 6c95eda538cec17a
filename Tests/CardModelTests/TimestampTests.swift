import CardModel
import Foundation
import TestSupport
import Testing

@Suite struct TimestampTests {
    @Test(arguments: [
        (1_700_000_000_123 as Int64, "2023-11-14T22:13:20.123Z"), (0, "1970-01-01T00:00:00.000Z"),
        (-1, "1969-12-31T23:59:59.999Z"), (951_782_400_007, "2000-02-29T00:00:00.007Z"),
        (253_402_300_799_999, "9999-12-31T23:59:59.999Z"), (-62_135_596_800_000, "0001-01-01T00:00:00.000Z"),
    ])
    func `A time is written in ISO 8601 with its milliseconds`(milliseconds: Int64, text: String) {
        #expect(Timestamp(millisecondsSinceEpoch: milliseconds).description == text)
    }

    @Test(arguments: [
        (Int.max, "9999-12-31T23:59:59.000Z"), (Int.min, "0001-01-01T00:00:00.000Z"), (0, "1970-01-01T00:00:00.000Z"),
    ])
    func `A file's time beyond the calendar is that of its end`(seconds: Int, text: String) {
        #expect(Timestamp(ofFile: timespec(tv_sec: seconds, tv_nsec: 999_999_999)).description == text)
    }

    @Test func `A time survives Foundation's dates, which are fractions`() {
        var random = SeededRandom(seed: 4)
        for _ in 0..<1000 {
            let time = Timestamp(millisecondsSinceEpoch: .random(in: 0...4_102_444_800_000, using: &random))
            #expect(Timestamp(time.date) == time)
        }
    }

    @Test func `Times are apart by durations of whole milliseconds, rounded towards zero`() {
        let start = Timestamp(millisecondsSinceEpoch: 1000)
        let end = start.advanced(by: .seconds(2) + .microseconds(900))
        #expect(end.millisecondsSinceEpoch == 3000 && start < end)
        #expect(end.duration(since: start) == .seconds(2) && start.duration(since: end) == .seconds(-2))
        #expect(Duration.milliseconds(-1500).wholeMilliseconds == -1500 && Duration.milliseconds(1500).inSeconds == 1.5)
    }
}
