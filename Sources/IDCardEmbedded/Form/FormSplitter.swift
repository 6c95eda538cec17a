/// Finds the parts between the boundaries of a body.
///
/// One pass: a search starts where the last ended, and a failed comparison at a CR goes on behind it, because a
/// delimiter holds no second CR.
struct FormSplitter {
    private enum Mark {
        case open
        case close
    }

    private static let carriageReturn = UInt8(ascii: "\r")
    private static let lineFeed = UInt8(ascii: "\n")

    private let body: [UInt8]
    private let delimiter: [UInt8]
    private let limits: ReceivedForm.Limits
    /// Where the part after the last boundary begins; `nil` before the first boundary.
    private var start: Int?
    private var isClosed = false

    init(body: [UInt8], boundary: [UInt8], limits: ReceivedForm.Limits) {
        self.body = body
        self.delimiter = Array("\r\n--".utf8) + boundary
        self.limits = limits
    }

    /// The header lines and the body of the next part, or `nil` after the closing boundary.
    ///
    /// - Throws: ``EmbeddedError``: `formMalformed` or `formTooLarge`.
    mutating func nextPart() throws(EmbeddedError) -> Range<Int>? {
        if self.start == nil { try self.skipPreamble() }
        guard !self.isClosed, let start = self.start else { return nil }
        guard let end = self.firstDelimiter(from: start) else {
            throw .malformed("The form ends without its closing boundary after \(self.body.count) bytes.")
        }
        try self.readBoundaryLine(after: end + self.delimiter.count)
        return start..<end
    }

    private mutating func skipPreamble() throws(EmbeddedError) {
        guard !self.body.isEmpty else { throw .malformed("The body is empty: not even a closing boundary.") }
        if self.body.starts(with: self.delimiter.dropFirst(2)) {
            return try self.readBoundaryLine(after: self.delimiter.count - 2)
        }
        guard let first = self.firstDelimiter(from: 0) else {
            throw .malformed("The boundary occurs nowhere at the start of a line.")
        }
        guard first <= self.limits.surroundBytes else {
            throw .tooLarge("More than \(self.limits.surroundBytes) bytes precede the first boundary.")
        }
        try self.readBoundaryLine(after: first + self.delimiter.count)
    }

    /// Reads what follows the text of a boundary on its line: nothing but the closing dashes and blanks.
    private mutating func readBoundaryLine(after position: Int) throws(EmbeddedError) {
        var position = position
        var mark = Mark.open
        if self.body[position...].starts(with: "--".utf8) {
            mark = .close
            position += 2
        }
        while position < self.body.count, self.body[position] == 0x20 || self.body[position] == 0x09 { position += 1 }
        let isLineEnd = self.body[position...].starts(with: [Self.carriageReturn, Self.lineFeed])
        switch mark {
        case .open:
            guard isLineEnd else {
                throw .malformed("The line of a boundary, before byte \(position), goes on with other text or is cut.")
            }
            self.start = position + 2
        case .close:
            // The last CR LF may be missing.
            guard isLineEnd || position == self.body.count else {
                throw .malformed("The closing boundary, before byte \(position), is followed by other text.")
            }
            guard self.body.count - position <= self.limits.surroundBytes + 2 else {
                throw .tooLarge("More than \(self.limits.surroundBytes) bytes follow the closing boundary.")
            }
            self.start = position
            self.isClosed = true
        }
    }

    private func firstDelimiter(from start: Int) -> Int? {
        self.body.withUnsafeBufferPointer { bytes in
            var position = start
            while position + self.delimiter.count <= bytes.count {
                guard bytes[position] == Self.carriageReturn else {
                    position += 1
                    continue
                }
                var length = 1
                while length < self.delimiter.count, bytes[position + length] == self.delimiter[length] { length += 1 }
                if length == self.delimiter.count { return position }
                position += length
            }
            return nil
        }
    }
}
