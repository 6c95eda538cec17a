import Glibc

/// The names that a file may be given where its own is taken: `a.jpg`, `a-2.jpg`, `a-3.jpg` and so on.
///
struct NumberedName: Sequence, IteratorProtocol {
    /// The most names that are tried.
    static let limit = 100_000
    /// The longest name in bytes.
    static let longest = Int(NAME_MAX)

    private let room: Int
    private let stem: String
    private let ending: String
    private let whole: String
    private var number = 0

    /// Takes the name as it is.
    ///
    /// - Parameter suffix: how many bytes will be put around it to name what belongs to it.
    init(_ name: String, leavingRoomFor suffix: Int = 0) {
        self.whole = name
        self.room = Self.longest - suffix
        let bytes = Array(name.utf8)
        let dot = bytes.lastIndex(of: UInt8(ascii: ".")).flatMap { $0 > 0 && bytes.count - $0 <= 16 ? $0 : nil }
        self.stem = String(decoding: bytes[..<(dot ?? bytes.count)], as: UTF8.self)
        self.ending = String(decoding: bytes[(dot ?? bytes.count)...], as: UTF8.self)
    }

    mutating func next() -> String? {
        self.number += 1
        guard self.number <= Self.limit else { return nil }
        guard self.number > 1 || self.whole.utf8.count > self.room else { return self.whole }
        let tail = (self.number > 1 ? "-\(self.number)" : "") + self.ending
        return self.stem(of: self.room - tail.utf8.count) + tail
    }

    /// The stem, cut between two characters.
    private func stem(of count: Int) -> String {
        var stem = Substring(self.stem)
        while stem.utf8.count > count { stem.unicodeScalars.removeLast() }
        return String(stem)
    }
}
