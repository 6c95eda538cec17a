import IDCardCore
import IDCardPipeline
import Testing

@Suite("The last time that was seen")
struct SeenTimeTests {
    private static let start = Timestamp(millisecondsSinceEpoch: 1_800_000_000_000)

    private func time(days: Double) -> Timestamp { Self.start.advanced(by: .seconds(days * 86_400)) }

    @Test("A clock up to a week ahead is believed at once")
    func withinAWeek() {
        var seen = SeenTime(last: Self.start)
        for days in [0.5, 7, 14] {
            seen.see(self.time(days: days))
            #expect(seen == SeenTime(last: self.time(days: days)))
        }
    }

    @Test("A clock further ahead is believed after 20 hours of steady time, over two daily runs, too")
    func steady() {
        var seen = SeenTime(last: Self.start)
        seen.see(self.time(days: 60))
        #expect(seen.last == Self.start)
        seen.see(self.time(days: 60.8))
        #expect(seen.last == Self.start)
        #expect(seen.latest == self.time(days: 60.8))
        seen.see(self.time(days: 61))
        #expect(seen == SeenTime(last: self.time(days: 61)))
    }

    @Test("The right clock in between, or another jump, begins the 20 hours again", arguments: [0.5, 200.0])
    func notSteady(days: Double) {
        var seen = SeenTime(last: Self.start)
        seen.see(self.time(days: 60))
        seen.see(self.time(days: days))
        seen.see(self.time(days: 61))
        #expect(seen.last < self.time(days: 8))
        #expect(seen.doubted?.upperBound == self.time(days: 61))
    }

    @Test("A clock that goes back is believed: nothing expires by an earlier time")
    func back() {
        var seen = SeenTime(last: Self.start)
        #expect(seen.isBehind(self.time(days: -1)))
        seen.see(self.time(days: -365))
        #expect(seen.last == self.time(days: -365))
        seen.see(self.time(days: 0))
        #expect(seen.last == self.time(days: -365), "the way back is a jump ahead")
    }

    @Test("A person who says that the clock is right is believed")
    func believed() {
        var seen = SeenTime(last: Self.start)
        seen.see(self.time(days: 60))
        seen.believe(self.time(days: 60))
        #expect(seen == SeenTime(last: self.time(days: 60)))
    }

    @Test("A clock that was doubted and is right again was ahead")
    func wasAhead() {
        var seen = SeenTime(last: Self.start)
        #expect(!seen.isBehind(Self.start))
        seen.see(self.time(days: 365))
        #expect(seen.isBehind(Self.start))
    }
}
