import Glibc
import SystemPackage

/// The names that a file may get if its own is used: `a.jpg`, `a-2.jpg`, `a-3.jpg` and so on.
struct NumberedName {
    private let whole: String
    private let stem: String
    private let ending: String
    /// The most bytes of a name.
    private let room: Int

    /// - Parameter suffix: the bytes to reserve for the suffixes of companions.
    init(_ name: String, leavingRoomFor suffix: Int) {
        self.whole = name
        self.room = Int(NAME_MAX) - suffix
        let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")).flatMap { dot in
            dot > name.startIndex && name.utf8.distance(from: dot, to: name.endIndex) <= 16 ? dot : nil
        }
        // Split the bytes, not the characters: a combining mark may follow the dot.
        self.stem = String(Substring(name.utf8[..<(dot ?? name.endIndex)]))
        self.ending = String(Substring(name.utf8[(dot ?? name.endIndex)...]))
    }

    /// Returns the name of a number; 1 is the name itself, cut if it is too long.
    subscript(number: Int) -> String {
        guard number > 1 || self.whole.utf8.count > self.room else { return self.whole }
        let tail = (number > 1 ? "-\(number)" : "") + self.ending
        var start = Substring(self.stem)
        while start.utf8.count > self.room - tail.utf8.count { start.unicodeScalars.removeLast() }
        return start + tail
    }

    /// Returns a number above another one whose name is free, with about `2 log n` checks; it may skip gaps.
    ///
    /// It doubles its steps until a name is free, then halves the distance to the last used one.
    func free(above number: Int, isTaken: (String) throws(Errno) -> Bool) throws(Errno) -> Int {
        var taken = number
        var step = 1
        while try isTaken(self[taken + step]) {
            taken += step
            step *= 2
        }
        var free = taken + step
        while free - taken > 1 {
            let middle = taken + (free - taken) / 2
            if try isTaken(self[middle]) { taken = middle } else { free = middle }
        }
        return free
    }
}
