import IDCardCore

/// Reads what `PackedWriter` has written, in the same order.
struct PackedReader {
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

    /// Reads a text; -1 in place of the number of its bytes stands for none, see `optionalText()`.
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
        let byte = self.byte()
        switch PackedDisposition(rawValue: byte) {
        case .take:
            guard let number = self.businessNumber() else { preconditionFailure("a card without a business number") }
            return .take(
                CardMetadata(
                    businessNumber: number,
                    userNumber: self.optionalText().map { Redacted($0) },
                    expectedIDNumber: self.optionalText().map { Redacted($0) },
                    expectedName: self.optionalText().map { Redacted($0) },
                    side: self.optionalText().flatMap(CardSide.init),
                    priority: Int(self.number())
                )
            )
        case .refuse:
            return .refuse(ReasonCode(rawValue: self.text()), message: self.text(), of: self.businessNumber())
        case .ignore: return .ignore
        // Rather than an input that is passed over.
        case nil: preconditionFailure("no disposition: \(byte)")
        }
    }

    private mutating func businessNumber() -> BusinessNumber? {
        self.optionalText().map { text in
            guard let number = BusinessNumber(stored: text) else {
                preconditionFailure("what was a business number is none")
            }
            return number
        }
    }
}
