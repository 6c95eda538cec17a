import Glibc

/// A name that a file bears for the moment between being taken from its place and being put away: `.NAME.MARK.idcard-taken`
/// for an image, `.NAME.MARK.idcard-beside` for what goes with one, `.NAME.MARK-RANDOM.idcard-last` for a file that is to be
/// deleted next.
///
/// The mark is that of the image, so that after a kill what goes with an image is never given to the next one of the same
/// name.
struct PassingName: Hashable {
    /// What a file is.
    enum Role: String, CaseIterable {
        /// An image.
        case image = ".idcard-taken"
        /// A sidecar or done-marker.
        case companion = ".idcard-beside"
        /// A file whose content is durable elsewhere; its own name may be cut.
        case last = ".idcard-last"
    }

    /// What tells an image from the next one of its name: its size and its time, which a copy keeps, too.
    struct Mark: Hashable {
        /// 16 hexadecimal digits.
        let text: String

        /// The mark of an image.
        init(_ shape: FileShape) {
            // FNV-1a, since it has to be the same in the next process.
            var hash: UInt64 = 0xCBF2_9CE4_8422_2325
            for value in [UInt64(bitPattern: shape.size), UInt64(bitPattern: shape.modified)] {
                for shift in stride(from: UInt64(0), to: 64, by: 8) {
                    hash = (hash ^ (value >> shift & 0xFF)) &* 0x100_0000_01B3
                }
            }
            let digits = String(hash, radix: 16)
            self.text = String(repeating: "0", count: 16 - digits.count) + digits
        }

        fileprivate init?(_ digits: some Collection<UInt8>) {
            let text = String(decoding: digits, as: UTF8.self)
            guard text.utf8.count == 16, text == text.lowercased(), UInt64(text, radix: 16) != nil else { return nil }
            self.text = text
        }
    }

    /// How many names there are for a file whose first one is taken.
    static let variants = 9

    /// The file's own name.
    var own: String
    /// What it is.
    var role: Role
    /// The mark of the image; `nil` in names of former versions.
    var mark: Mark?

    /// Describes a name.
    init(_ own: String, _ role: Role, _ mark: Mark) {
        self.own = own
        self.role = role
        self.mark = mark
    }

    /// Takes a name apart; `nil` if it is not of this kind.
    init?(_ name: String) {
        guard let role = Role.allCases.first(where: { PathText.name(name, without: $0.rawValue) != nil }),
            let start = PathText.name(name, without: role.rawValue), start.utf8.first == UInt8(ascii: "."),
            start.utf8.count > 1
        else { return nil }
        let rest = Array(start.utf8.dropFirst())
        self.role = role
        guard let dot = rest.lastIndex(of: UInt8(ascii: ".")), dot > 0 else {
            self.own = String(decoding: rest, as: UTF8.self)
            return
        }
        let digits = rest[(dot + 1)...].prefix { $0 != UInt8(ascii: "-") }
        self.mark = Mark(digits)
        self.own = String(decoding: self.mark == nil ? rest[...] : rest[..<dot], as: UTF8.self)
    }

    /// The names to be tried one after the other; none if the file's own name leaves no room for them.
    var texts: [String] {
        guard let mark = self.mark else { return ["." + self.own + self.role.rawValue] }
        let texts = (1...Self.variants).map { number in
            "." + self.own + "." + mark.text + (number > 1 ? "-\(number)" : "") + self.role.rawValue
        }
        return texts.allSatisfy { $0.utf8.count <= NumberedName.longest } ? texts : []
    }

    /// A random name for a file that is to be deleted next, whatever the length of its own.
    static func last(of own: String, _ shape: FileShape) -> String {
        let end = "." + Mark(shape).text + "-" + self.random() + Role.last.rawValue
        return "." + NumberedName(own, leavingRoomFor: end.utf8.count + 1)[1] + end
    }

    /// A random name for a copy of a file while it is being written.
    static func part(_ shape: FileShape) -> String {
        self.partStart(Mark(shape)) + self.random() + ".part"
    }

    /// What the names of unfinished copies of an image begin with.
    static func partStart(_ mark: Mark) -> String { ".idcard-" + mark.text + "-" }

    private static func random() -> String { String(UInt64.random(in: .min ... .max), radix: 16) }

    /// The name under which such a file is in a folder, if it is.
    func found(in folder: borrowing FolderDescriptor) throws(SystemFailure) -> String? {
        for text in self.texts where try folder.shape(of: text) != nil { return text }
        return nil
    }
}
