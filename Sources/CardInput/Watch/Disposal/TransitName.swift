import CardModel
import SystemPackage

/// The name of a file while it is archived or deleted: it says where the file goes, and identifies it and its companions.
///
/// A killed process leaves the name behind, and from it the next one knows what remains to be done (`FileDisposal.sweep`). The
/// marks identify the right files: a remaining sidecar must not apply to the next photo of its name.
struct TransitName: Hashable {
    private static let prefix = ".idcard-"

    /// The marks of the file, then of its companions.
    let marks: [String]
    /// The name of the file, and which of its numbered names it gets in the archive.
    let name: String
    let number: Int
    let disposition: WatchEvent.Disposition

    /// Makes the name of a file; a name too long for it is cut.
    init(
        _ file: FileIdentity,
        with companions: [FileIdentity] = [],
        as name: String,
        number: Int = 1,
        _ disposition: WatchEvent.Disposition
    ) {
        self.marks = ([file] + companions).map(Self.mark)
        self.name = NumberedName(name, leavingRoomFor: Self.room(companions: companions.count))[1]
        (self.number, self.disposition) = (number, disposition)
    }

    init?(_ text: String) {
        guard text.hasPrefix(Self.prefix) else { return nil }
        // Split the bytes, not the characters: a combining mark may follow the dot.
        let bytes = text.utf8.dropFirst(Self.prefix.utf8.count)
        let parts = bytes.split(separator: UInt8(ascii: "."), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let number = Int(Substring(parts[1])),
            let dot = parts[2].lastIndex(of: UInt8(ascii: ".")),
            let disposition = WatchEvent.Disposition(rawValue: String(Substring(parts[2][dot...].dropFirst())))
        else { return nil }
        self.marks = parts[0].split(separator: UInt8(ascii: "-")).map { String(Substring($0)) }
        (self.name, self.number, self.disposition) = (String(Substring(parts[2][..<dot])), number, disposition)
    }

    var text: String {
        "\(Self.prefix)\(self.marks.joined(separator: "-")).\(self.number).\(self.name).\(self.disposition.rawValue)"
    }

    /// Returns the bytes that a transit name takes beside the name of its file, at most.
    static func room(companions: Int) -> Int {
        // A mark of 13 bytes and its separator for each file.
        self.prefix.utf8.count + 14 * (1 + companions) + "1000000..deleted".utf8.count
    }

    /// Identifies a file in its folder, whatever its name.
    static func mark(of file: FileIdentity) -> String {
        // One number from two, so that names stay short: an odd factor spreads the inodes over all bits.
        String(file.inode &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(bitPattern: file.modifiedNanoseconds), radix: 36)
    }
}
