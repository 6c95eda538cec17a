/// When a photo came, and when it was taken where that counts: says which of two photos of one side is newer.
package struct PhotoAge: Hashable, Sendable {
    /// Its place among all inputs.
    package let order: Int64
    /// When it was taken; `nil` where its arrival counts.
    package let taken: Timestamp?

    /// File systems of memory cards keep every other second; times that differ by no more say nothing.
    package static let leastDifference: Int64 = 2_000

    /// A photo of its place among all inputs, and of its time if that counts.
    package init(order: Int64, taken: Timestamp? = nil) {
        self.order = order
        self.taken = taken
    }

    /// Whether it is newer than another one: by time where both times count and differ, else by arrival.
    package func isNewer(than other: PhotoAge) -> Bool {
        self.isTakenLater(than: other) || !other.isTakenLater(than: self) && self.order > other.order
    }

    /// Whether both have a time that counts, and its own is later.
    package func isTakenLater(than other: PhotoAge) -> Bool {
        guard let taken, let other = other.taken else { return false }
        return taken.millisecondsSinceEpoch - other.millisecondsSinceEpoch > Self.leastDifference
    }

    /// Returns the newest of the photos that are newer than the one that was delivered last; `nil` if none is.
    ///
    /// In the order of their arrival, each is compared with the newest until then: times that only some of them have put them
    /// into no order.
    package static func newest<Photo>(
        _ photos: [Photo],
        after delivered: PhotoAge?,
        by age: (Photo) -> PhotoAge
    ) -> Photo? {
        photos.filter { photo in delivered.map(age(photo).isNewer) ?? true }
            .sorted { age($0).order < age($1).order }
            .reduce(nil) { newest, photo in
                newest.map { age(photo).isNewer(than: age($0)) } ?? true ? photo : newest
            }
    }
}

extension Card {
    /// When its photo came, and when it was taken where that counts.
    package var age: PhotoAge { PhotoAge(order: self.order, taken: self.taken) }
}

extension FileIdentity {
    /// When a photo was taken, as the modification time of its file says, if that can be: in this century, and not after its
    /// arrival. Clocks that were never set begin before, and others run ahead.
    package func taken(at arrival: Timestamp) -> Timestamp? {
        let time = Timestamp(millisecondsSinceEpoch: self.modifiedNanoseconds / 1_000_000)
        return time > Self.firstBelievable && time <= arrival ? time : nil
    }

    /// 2001-01-01.
    private static let firstBelievable = Timestamp(millisecondsSinceEpoch: 978_307_200_000)
}
