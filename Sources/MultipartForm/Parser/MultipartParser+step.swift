import FoundationEssentials

extension MultipartParser {
    /// Consumes pending bytes, one token at a time.
    ///
    /// - Returns: Whether bytes were consumed; if not, more are needed. A possible start of a delimiter, the line of a
    ///   boundary and a header line stay pending until they are complete.
    mutating func step() throws(MultipartFormError) -> Bool {
        switch self.state {
        case .preamble: try self.readPreamble()
        case .boundaryLine: try self.readBoundaryLine()
        case .headers: try self.readHeaderLine()
        case .content: try self.readContent()
        case .epilogue, .ended: try self.readEpilogue()
        }
    }

    private mutating func readPreamble() throws(MultipartFormError) -> Bool {
        let (count, length) = self.scan()
        try self.countSurroundings(count, limit: self.limits.preambleBytes)
        if length > 0 { self.state = .boundaryLine }
        return self.drop(count + length)
    }

    private mutating func readEpilogue() throws(MultipartFormError) -> Bool {
        try self.countSurroundings(self.pending.count, limit: self.limits.epilogueBytes)
        return self.drop(self.pending.count)
    }

    private mutating func readContent() throws(MultipartFormError) -> Bool {
        let (count, length) = self.scan()
        // A subtraction, because a sum could overflow.
        try require(
            UInt64(count) <= self.limits.partBytes - self.partBytes,
            .partTooLarge,
            "Part \(self.partCount) exceeds \(self.limits.partBytes) bytes; send a smaller one."
        )
        self.partBytes += UInt64(count)
        if count > 0 { self.queue.append(.data(self.pending.prefix(count))) }
        if length > 0 {
            self.queue.append(.partEnded)
            self.state = .boundaryLine
        }
        return self.drop(count + length)
    }

    /// Searches for `CR LF --boundary`; at the start of a line for `--boundary` alone.
    ///
    /// The delimiter holds CR only as its first byte, so that the search continues after every other CR: its time is
    /// linear, however many line breaks or partial matches the bytes hold.
    ///
    /// - Returns: The number of bytes before the delimiter, and its length: 0 if it is absent or incomplete.
    private mutating func scan() -> (before: Int, length: Int) {
        if self.isAtLineStart {
            let line = self.delimiter.dropFirst(2)
            if line.starts(with: self.pending.prefix(line.count)) {
                guard self.pending.count >= line.count else { return (0, 0) }
                self.isAtLineStart = false
                return (0, line.count)
            }
            self.isAtLineStart = false
        }
        let (start, isWhole) = self.pending.withUnsafeBytes { $0.search(for: self.delimiter) }
        return (start, isWhole ? self.delimiter.count : 0)
    }

    /// Reads the rest of a line after `--boundary`: padding and a line end, or the two closing dashes before them.
    ///
    /// Everything else is refused: `--boundaryX` is content to some receivers, the end of the part to others and an error
    /// to the rest, and only a few accept LF alone as a line end.
    private mutating func readBoundaryLine() throws(MultipartFormError) -> Bool {
        let isClosing = self.pending.starts(with: "--".utf8)
        let remaining = self.pending.dropFirst(isClosing ? 2 : 0)
        let padding = remaining.prefix(while: Self.isBlank).count
        try require(
            padding <= self.limits.paddingBytes,
            .surroundingsTooLarge,
            "More than \(self.limits.paddingBytes) spaces follow a boundary; send none."
        )
        let lineEnd = remaining.dropFirst(padding).prefix(2)
        try require(
            "\r\n".utf8.starts(with: lineEnd) || (self.pending.count == 1 && self.pending.first == UInt8(ascii: "-")),
            .malformedDelimiter,
            "A line starts with the boundary and goes on with other text; choose a boundary that is in no part."
        )
        guard lineEnd.count == 2 else { return false }
        if isClosing {
            self.surroundingBytes = 0
            self.state = .epilogue
        } else {
            self.partCount += 1
            try require(
                self.partCount <= self.limits.partCount,
                .tooManyParts,
                "The body has more than \(self.limits.partCount) parts; send fewer."
            )
            (self.fields, self.headerBytes, self.partBytes) = ([], 0, 0)
            self.state = .headers
        }
        return self.drop(self.pending.count - remaining.count + padding + 2)
    }

    /// Reads a header line of a part, or the empty line after the last one.
    ///
    /// Line ends are CR LF; a line is never folded (RFC 9112 section 5.2 lets a receiver refuse that, and receivers
    /// disagree on it).
    private mutating func readHeaderLine() throws(MultipartFormError) -> Bool {
        let room = self.limits.partHeaderBytes - self.headerBytes
        let unsearched = self.pending.prefix(room).dropFirst(self.searchedBytes)
        guard let end = unsearched.firstIndex(of: UInt8(ascii: "\n")) else {
            try require(
                self.pending.count <= room,
                .headerTooLarge,
                "The header lines of part \(self.partCount) exceed \(self.limits.partHeaderBytes) bytes; send "
                    + "fewer."
            )
            self.searchedBytes = self.pending.count
            return false
        }
        let line = Array(self.pending[...end])
        self.headerBytes += line.count
        _ = self.drop(line.count)
        guard line.suffix(2).elementsEqual("\r\n".utf8) else {
            throw self.malformedHeader("ends in LF alone; end lines with CR LF")
        }
        if line.count == 2 {
            self.queue.append(.partBegan(try PartHead(fields: self.fields, position: self.partCount)))
            self.state = .content
            // The CR LF of the empty line may also start the delimiter: RFC 2046 lets a part end with its header lines.
            self.isAtLineStart = true
            return true
        }
        try require(
            self.fields.count < self.limits.partHeaderCount,
            .tooManyHeaders,
            "Part \(self.partCount) has more than \(self.limits.partHeaderCount) header lines; send fewer."
        )
        self.fields.append(try self.field(line.dropLast(2)))
        return true
    }

    private func field(_ line: ArraySlice<UInt8>) throws(MultipartFormError) -> PartHead.Field {
        guard !line.contains(where: { $0 == UInt8(ascii: "\r") || $0 == 0 }) else {
            throw self.malformedHeader("holds CR or NUL; remove it")
        }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0,
            line[..<colon].allSatisfy(\.isTokenByte)
        else {
            throw self.malformedHeader("has no name before a colon, or is folded; write 'Name: value' on one line")
        }
        var value = line[(colon + 1)...].drop(while: Self.isBlank)
        while let last = value.last, Self.isBlank(last) { value.removeLast() }
        // Bytes that are not UTF-8 become U+FFFD. That is acceptable for a file name in GBK, as curl on Chinese Windows
        // sends it, because it is only displayed.
        return PartHead.Field(
            name: String(decoding: line[..<colon], as: UTF8.self),
            value: String(decoding: value, as: UTF8.self)
        )
    }

    private func malformedHeader(_ what: String) -> MultipartFormError {
        MultipartFormError(.malformedHeader, "A header line of part \(self.partCount) \(what).")
    }

    private mutating func countSurroundings(_ count: Int, limit: Int) throws(MultipartFormError) {
        self.surroundingBytes += count
        try require(
            self.surroundingBytes <= limit,
            .surroundingsTooLarge,
            "More than \(limit) bytes lie before the first part or after the last; send none."
        )
    }

    private mutating func drop(_ count: Int) -> Bool {
        self.pending = self.pending.dropFirst(count)
        self.searchedBytes = 0
        return count > 0
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
}
