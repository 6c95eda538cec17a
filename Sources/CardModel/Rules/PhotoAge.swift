/// The arrival of a photo, and the time it was taken if that counts: decides which of two photos of one side is newer.
package struct PhotoAge: Hashable, Sendable {
    /// Its position among all inputs.
    package let order: Int64
    /// The time it was taken; `nil` if its arrival counts.
    package let taken: Timestamp?

    /// File systems of memory cards store times in steps of two seconds; smaller differences do not count.
    package static let leastDifference: Int64 = 2_000

    /// Creates an age of the position among all inputs, and of the time if that counts.
    package init(order: Int64, taken: Timestamp? = nil) {
        self.order = order
        self.taken = taken
    }

    /// Whether this photo is newer than another: by time if both times count and differ, else by arrival.
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
    /// Compares each photo, in the order of arrival, with the newest so far: if only some have times, there is no total
    /// order.
    package static func newest<Element>(
        _ photos: [Element],
        after delivered: PhotoAge?,
        by age: (Element) -> PhotoAge
    ) -> Element? {
        photos.filter { photo in delivered.map(age(photo).isNewer) ?? true }
            .sorted { age($0).order < age($1).order }
            .reduce(nil) { newest, photo in
                newest.map { age(photo).isNewer(than: age($0)) } ?? true ? photo : newest
            }
    }
}

extension Card {
    /// The arrival of its photo, and the time it was taken if that counts.
    package var age: PhotoAge { PhotoAge(order: self.order, taken: self.taken) }
}

extension FileIdentity {
    /// Returns the modification time of the file as the time of the photo, if plausible: in this century, and not after
    /// its arrival. Clocks that were never set show earlier times, and others are fast.
    package func taken(at arrival: Timestamp) -> Timestamp? {
        let time = Timestamp(millisecondsSinceEpoch: self.modifiedNanoseconds / 1_000_000)
        return time > Self.firstPlausible && time <= arrival ? time : nil
    }

    /// 2001-01-01.
    private static let firstPlausible = Timestamp(millisecondsSinceEpoch: 978_307_200_000)
}
