import CardModel
import Glibc
import Testing

/// Which of two photos of one side is newer.
@Suite struct PhotoAgeTests {
    private static func age(_ order: Int64, _ milliseconds: Int64?) -> PhotoAge {
        PhotoAge(order: order, taken: milliseconds.map(Timestamp.init(millisecondsSinceEpoch:)))
    }

    @Test(arguments: [
        (age(1, 9_001), age(2, 7_000), true), (age(1, 9_000), age(2, 7_000), false), (age(1, nil), age(2, 0), false),
        (age(1, 90_000), age(2, nil), false), (age(3, nil), age(2, 90_000), true), (age(1, nil), age(1, nil), false),
        (age(3, 1_000), age(2, 90_000), false),
    ])
    func `by time where both have one and they differ, else by arrival`(one: PhotoAge, other: PhotoAge, isNewer: Bool) {
        #expect(one.isNewer(than: other) == isNewer)
        #expect(other.isNewer(than: one) == (!isNewer && one != other))
    }

    @Test func `each is compared with the newest until then, in the order of arrival`() {
        let ages = [Self.age(3, 1_000), Self.age(1, 90_000), Self.age(2, nil)]
        #expect(PhotoAge.newest(ages, after: nil, by: \.self)?.order == 3)
        #expect(PhotoAge.newest([ages[0], ages[1]], after: nil, by: \.self)?.order == 1)
        #expect(PhotoAge.newest([PhotoAge](), after: nil, by: \.self) == nil)
        // What is older than the one that was delivered last is left out first.
        #expect(PhotoAge.newest([ages[0], ages[2]], after: ages[1], by: \.self)?.order == 2)
        #expect(PhotoAge.newest([ages[0]], after: ages[1], by: \.self) == nil)
    }

    @Test(arguments: [
        (1_000_000_000, true), (978_307_200, false), (978_307_201, true), (1_700_000_000, true), (1_700_000_001, false),
        (-11_644_473_600, false), (Int.max, false), (Int.min, false), (0, false),
    ])
    func `a file says when its photo was taken unless that cannot be`(seconds: Int, counts: Bool) {
        var status = stat()
        status.st_mtim.tv_sec = seconds
        let taken = FileIdentity(path: "/p", status).taken(at: Timestamp(millisecondsSinceEpoch: 1_700_000_000_000))
        #expect(taken?.millisecondsSinceEpoch == (counts ? Int64(seconds) * 1000 : nil))
    }
}
