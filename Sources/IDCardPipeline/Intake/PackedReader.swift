import IDCardCore

/// Reads what `PackedWriter` has written, in the same order.
struct PackedReader {
    static let take: UInt8 = 0
    static let refuse: UInt8 = 1
    static let ignore: UInt8 = 2

    private var rest: ArraySlice<UInt8>

    /// Reads one record.
    init(_ record: ArraySlice<UInt8>) {
        self.rest = record
    }

    mutating func byte() -> UInt8 { self.rest.removeFirst() }

    mutating func number() -> Int64 {
        var (number, shift) = (UInt64(0), 0)
        while true {
            let byte = self.byte()
            number |= UInt64(byte & 0x7F) << shift
            guard byte >= 0x80 else { break }
            shift += 7
        }
        return Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
    }

    mutating func text() -> String { self.optionalText() ?? "" }

    mutating func optionalText() -> String? {
        let count = Int(self.number())
        guard count >= 0 else { return nil }
        defer { self.rest = self.rest.dropFirst(count) }
        return String(decoding: self.rest.prefix(count), as: UTF8.self)
    }

    mutating func fileIdentity() -> FileIdentity {
        let path = self.text()
        let (device, inode) = (self.number(), self.number())
        return FileIdentity(
            path: path,
            device: UInt64(bitPattern: device),
            inode: UInt64(bitPattern: inode),
            size: self.number(),
            modifiedNanoseconds: self.number()
        )
    }

    mutating func disposition() -> IntakeItem.Disposition {
        switch self.byte() {
        case Self.take:
            return .take(
                CardMetadata(
                    businessNumber: self.businessNumber() ?? .erased,
                    userNumber: self.optionalText().map { Redacted($0) },
                    expectedIDNumber: self.optionalText().map { Redacted($0) },
                    expectedName: self.optionalText().map { Redacted($0) },
                    side: self.optionalText().flatMap(CardSide.init),
                    priority: Int(self.number())
                )
            )
        case Self.refuse:
            return .refuse(ReasonCode(rawValue: self.text()), message: self.text(), of: self.businessNumber())
        default: return .ignore
        }
    }

    /// What was a business number is one again.
    private mutating func businessNumber() -> BusinessNumber? { self.optionalText().flatMap { BusinessNumber($0) } }
}
