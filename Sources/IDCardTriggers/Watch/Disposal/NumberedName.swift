import Glibc

/// The names that a file may be given where its own is taken: `a.jpg`, `a-2.jpg`, `a-3.jpg` and so on.
struct NumberedName {
    /// The highest number.
    static let limit = 1_000_000_000
    /// The longest name in bytes.
    static let longest = Int(NAME_MAX)

    /// The name as it was given.
    let whole: String
    /// What all names of the file begin with, however much they are cut, and what they end with.
    let common: (start: String, ending: String)
    private let room: Int
    private let stem: String

    /// Takes the name as it is.
    ///
    /// - Parameter suffix: how many bytes will be put around it to name what belongs to it.
    init(_ name: String, leavingRoomFor suffix: Int = 0) {
        self.whole = name
        self.room = Self.longest - suffix
        let bytes = Array(name.utf8)
        let dot = bytes.lastIndex(of: UInt8(ascii: ".")).flatMap { $0 > 0 && bytes.count - $0 <= 16 ? $0 : nil }
        self.stem = String(decoding: bytes[..<(dot ?? bytes.count)], as: UTF8.self)
        let ending = String(decoding: bytes[(dot ?? bytes.count)...], as: UTF8.self)
        self.common = (Self.cut(self.stem, to: 100), ending)
    }

    /// The name of a number; 1 is the name itself, cut if it is too long.
    subscript(number: Int) -> String {
        guard number > 1 || self.whole.utf8.count > self.room else { return self.whole }
        let tail = (number > 1 ? "-\(number)" : "") + self.common.ending
        return Self.cut(self.stem, to: self.room - tail.utf8.count) + tail
    }

    /// A number above another one whose name is free in a folder; the search may pass over gaps.
    ///
    /// - Throws: `SystemFailure`; `EEXIST` if there is none.
    func free(above number: Int, in folder: borrowing FolderDescriptor) throws(SystemFailure) -> Int {
        var search = FreeNumberSearch(above: number)
        while let candidate = search.candidate {
            guard candidate <= Self.limit else { throw SystemFailure(code: EEXIST) }
            search.note(candidate, isTaken: try folder.has(self[candidate]))
        }
        return search.found
    }

    /// The text, cut between two characters.
    private static func cut(_ text: String, to count: Int) -> String {
        var text = Substring(text)
        while text.utf8.count > count { text.unicodeScalars.removeLast() }
        return String(text)
    }
}

/// Finds a free number by about `2 log n` questions: it doubles its steps until a number is free, then halves the
/// distance to the last one that is taken.
struct FreeNumberSearch {
    private var taken: Int
    private var free: Int?
    private var step = 1

    /// Starts above a number that is taken.
    init(above number: Int) {
        self.taken = number
    }

    /// The number to ask for next; `nil` once one is found.
    var candidate: Int? {
        guard let free = self.free else { return self.taken + self.step }
        return free - self.taken > 1 ? self.taken + (free - self.taken) / 2 : nil
    }

    /// The free number, once there is no further candidate.
    var found: Int { self.free ?? self.taken + 1 }

    /// Takes an answer.
    mutating func note(_ number: Int, isTaken: Bool) {
        guard isTaken else {
            self.free = number
            return
        }
        self.taken = number
        if self.free == nil { self.step *= 2 }
    }
}
