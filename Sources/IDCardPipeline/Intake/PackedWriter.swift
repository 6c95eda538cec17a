import IDCardCore

/// Writes the parts of inputs one behind the other, each as short as it can be; `PackedReader` reads them.
struct PackedWriter {
    /// What was written.
    private(set) var bytes: [UInt8]

    /// Goes on behind some bytes.
    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    mutating func put(byte: UInt8) {
        self.bytes.append(byte)
    }

    /// Writes a number, seven bits a byte, small ones of either sign in few.
    mutating func put(_ number: Int64) {
        var rest = UInt64(bitPattern: number << 1 ^ number >> 63)
        while rest >= 0x80 {
            self.bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        self.bytes.append(UInt8(rest))
    }

    mutating func put(_ text: String) {
        self.put(Int64(text.utf8.count))
        self.bytes.append(contentsOf: text.utf8)
    }

    /// Writes a text that may be missing.
    mutating func put(optional text: String?) {
        guard let text else { return self.put(Int64(-1)) }
        self.put(text)
    }

    mutating func put(_ file: FileIdentity) {
        self.put(file.path.reveal())
        self.put(Int64(bitPattern: file.device))
        self.put(Int64(bitPattern: file.inode))
        self.put(file.size)
        self.put(file.modifiedNanoseconds)
    }

    mutating func put(_ disposition: IntakeItem.Disposition) {
        switch disposition {
        case .take(let metadata):
            self.put(byte: PackedDisposition.take.rawValue)
            self.put(metadata.businessNumber.rawValue)
            self.put(optional: metadata.userNumber?.reveal())
            self.put(optional: metadata.expectedIDNumber?.reveal())
            self.put(optional: metadata.expectedName?.reveal())
            self.put(optional: metadata.side?.rawValue)
            self.put(Int64(metadata.priority))
        case .refuse(let reason, let message, let number):
            self.put(byte: PackedDisposition.refuse.rawValue)
            self.put(reason.rawValue)
            self.put(message)
            self.put(optional: number?.rawValue)
        case .ignore:
            self.put(byte: PackedDisposition.ignore.rawValue)
        }
    }
}
