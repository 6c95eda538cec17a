import CardModel
import Testing

@testable import CardRemote

/// What `Retry-After` says, in the forms of RFC 9110 and in those that services really send.
@Suite struct RetryAfterTests {
    /// Sun, 06 Nov 1994 08:49:07 GMT.
    private let now = Timestamp(millisecondsSinceEpoch: 784_111_747_000)

    @Test(arguments: [
        ("0", 0), ("120", 120), (" 7 ", 7), ("3600", 3600), ("3601", 3600), ("99999999999999999999", 3600),
        ("2.5", 3), ("2.0", 2), ("0.1", 1), ("3599.5", 3600),
    ])
    func `Seconds are taken, a fraction rounded up, no more than an hour`(text: String, seconds: Int) {
        #expect(RetryAfter.parse(text, now: self.now) == .seconds(seconds))
    }

    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 +0000", "Sun, 06 Nov 1994 08:49:37 -0000",
        "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 1994 08:49:37 UT", "Sun, 06 Nov 1994 16:49:37 +0800",
        "Sun, 06 Nov 1994 03:49:37 EST", "Sun, 06 Nov 1994 05:19:37 -0330", "sun, 06 nov 1994 08:49:37 gmt",
    ])
    func `A date is taken in every form and zone`(text: String) {
        #expect(RetryAfter.parse(text, now: self.now) == .seconds(30))
    }

    @Test func `A date gone by is no wait, and a far one is an hour`() {
        #expect(RetryAfter.parse("Sun, 06 Nov 1994 08:49:06 GMT", now: self.now) == .zero)
        #expect(RetryAfter.parse("Mon, 06 Nov 2094 08:49:37 GMT", now: self.now) == .seconds(3600))
        #expect(RetryAfter.parse("Sunday, 06-Nov-44 08:49:37 GMT", now: self.now) == .seconds(3600))
        #expect(RetryAfter.parse("Sunday, 06-Nov-45 08:49:37 GMT", now: self.now) == .zero)
    }

    @Test(arguments: [
        "", "soon", "-1", "1.", ".5", "1.5.5", "1e3", "0x10", "1994-11-06T08:49:37Z",
        "Sun, 06 Nov 1994 08:49:37 CEST",
        "Sun, 31 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:49:37 +08:00",
        "Sun, 06 Nov 1994 08:49 GMT", "06 Nov 1994 08:49:37 GMT",
    ])
    func `Anything else reads as absent`(text: String) {
        #expect(RetryAfter.parse(text, now: self.now) == nil)
    }
}
