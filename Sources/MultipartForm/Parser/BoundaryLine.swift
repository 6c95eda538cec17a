/// Reads the rest of a line after `--boundary`: padding and a line end, or the two closing dashes.
///
/// Everything else is refused: `--boundaryX` is content to some receivers, the end of the part to others and an error to
/// the rest, and LF alone ends a line for a few only.
struct BoundaryLine: Sendable {
    private enum Phase {
        case start, firstDash, padding, lineEnd, closed, closedLineEnd
    }

    /// How the line ended.
    enum Ending {
        case part, epilogue
    }

    private var phase = Phase.start
    private var padding = 0

    /// Whether the closing dashes were seen; the line end after them may be missing at the end of the body.
    var isClosed: Bool { self.phase == .closed }

    /// Reads up to the end of the line.
    ///
    /// - Returns: How many bytes were read, and how the line ended if it did.
    /// - Throws: ``MultipartFormError``: `malformed_delimiter` or `surroundings_too_large`.
    mutating func consume(
        _ bytes: UnsafeRawBufferPointer,
        limit: Int
    ) throws(MultipartFormError) -> (count: Int, ending: Ending?) {
        for (index, byte) in bytes.enumerated() {
            if let ending = try self.consume(byte, limit: limit) { return (index + 1, ending) }
        }
        return (bytes.count, nil)
    }

    private mutating func consume(_ byte: UInt8, limit: Int) throws(MultipartFormError) -> Ending? {
        switch (self.phase, byte) {
        case (.start, UInt8(ascii: "-")):
            self.phase = .firstDash
        case (.firstDash, UInt8(ascii: "-")):
            self.phase = .closed
        case (.start, UInt8(ascii: " ")), (.start, UInt8(ascii: "\t")), (.padding, UInt8(ascii: " ")),
            (.padding, UInt8(ascii: "\t")):
            self.phase = .padding
            try self.countPadding(limit: limit)
        case (.closed, UInt8(ascii: " ")), (.closed, UInt8(ascii: "\t")):
            try self.countPadding(limit: limit)
        case (.start, UInt8(ascii: "\r")), (.padding, UInt8(ascii: "\r")):
            self.phase = .lineEnd
        case (.closed, UInt8(ascii: "\r")):
            self.phase = .closedLineEnd
        case (.lineEnd, UInt8(ascii: "\n")):
            return .part
        case (.closedLineEnd, UInt8(ascii: "\n")):
            return .epilogue
        default:
            throw MultipartFormError(
                .malformedDelimiter,
                "A line starts with the boundary and goes on with other text; choose a boundary that is in no part."
            )
        }
        return nil
    }

    private mutating func countPadding(limit: Int) throws(MultipartFormError) {
        self.padding += 1
        guard self.padding <= limit else {
            throw MultipartFormError(
                .surroundingsTooLarge,
                "More than \(limit) spaces follow a boundary; send none."
            )
        }
    }
}
