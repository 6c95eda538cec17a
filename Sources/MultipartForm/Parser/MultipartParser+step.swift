import FoundationEssentials

extension MultipartParser {
    /// Does away with some of the pending bytes, at least one.
    mutating func step() throws(MultipartFormError) {
        switch self.state {
        case .preamble: try self.readPreamble()
        case .boundaryLine(let line): try self.readBoundaryLine(line)
        case .headers(let block): try self.readHeaders(block)
        case .content: try self.readContent()
        case .epilogue, .ended: try self.readEpilogue()
        }
    }

    private mutating func readPreamble() throws(MultipartFormError) {
        let step = self.scan()
        try self.countSurroundings(step.released.count + step.content.count, limit: self.limits.preambleBytes)
        if step.isFound { self.state = .boundaryLine(BoundaryLine()) }
        self.drop(step.end)
    }

    private mutating func readEpilogue() throws(MultipartFormError) {
        try self.countSurroundings(self.pending.count, limit: self.limits.epilogueBytes)
        self.drop(self.pending.count)
    }

    private mutating func readBoundaryLine(_ line: BoundaryLine) throws(MultipartFormError) {
        var line = line
        let (count, ending) = try self.withPending { bytes throws(MultipartFormError) in
            try line.consume(bytes, limit: self.limits.paddingBytes)
        }
        self.drop(count)
        switch ending {
        case .none:
            self.state = .boundaryLine(line)
        case .epilogue:
            self.surroundingBytes = 0
            self.state = .epilogue
        case .part:
            self.partCount += 1
            guard self.partCount <= self.limits.partCount else {
                throw MultipartFormError(
                    .tooManyParts,
                    "The body has more than \(self.limits.partCount) parts; send fewer."
                )
            }
            self.state = .headers(HeaderBlock(partPosition: self.partCount))
        }
    }

    private mutating func readHeaders(_ block: HeaderBlock) throws(MultipartFormError) {
        var block = block
        // Only one owner, so that its bytes grow in place.
        self.state = .content
        let (count, isComplete) = try self.withPending { bytes throws(MultipartFormError) in
            try block.consume(bytes, limits: self.limits)
        }
        self.drop(count)
        guard isComplete else {
            self.state = .headers(block)
            return
        }
        self.queue.append(.partBegan(try PartHead(fields: block.fields, position: self.partCount)))
        self.partBytes = 0
        // The empty line's end may be the delimiter's beginning: RFC 2046 lets a part end with its header lines.
        self.scanner.startLine()
    }

    private mutating func readContent() throws(MultipartFormError) {
        let step = self.scan()
        let count = UInt64(step.released.count + step.content.count)
        // Subtracted, not added: a sum might not fit.
        guard count <= self.limits.partBytes - self.partBytes else {
            throw MultipartFormError(
                .partTooLarge,
                "Part \(self.partCount) exceeds \(self.limits.partBytes) bytes; send a smaller one."
            )
        }
        self.partBytes += count
        if !step.released.isEmpty { self.queue.append(.data(self.delimiter[step.released])) }
        if !step.content.isEmpty {
            let start = self.pending.startIndex
            self.queue.append(
                .data(self.pending[(start + step.content.lowerBound)..<(start + step.content.upperBound)])
            )
        }
        if step.isFound {
            self.queue.append(.partEnded)
            self.state = .boundaryLine(BoundaryLine())
        }
        self.drop(step.end)
    }

    private mutating func countSurroundings(_ count: Int, limit: Int) throws(MultipartFormError) {
        self.surroundingBytes += count
        guard self.surroundingBytes <= limit else {
            throw MultipartFormError(
                .surroundingsTooLarge,
                "More than \(limit) bytes lie before the first part or after the last; send none."
            )
        }
    }

    private mutating func scan() -> DelimiterScanner.Step {
        let pending = self.pending
        return pending.withUnsafeBytes { self.scanner.scan($0) }
    }

    /// `Data` rethrows untyped.
    private func withPending<Value>(
        _ body: (UnsafeRawBufferPointer) throws(MultipartFormError) -> Value
    ) throws(MultipartFormError) -> Value {
        let result = self.pending.withUnsafeBytes { bytes -> Result<Value, MultipartFormError> in
            Result { () throws(MultipartFormError) in try body(bytes) }
        }
        return try result.get()
    }

    private mutating func drop(_ count: Int) {
        self.pending = self.pending.dropFirst(count)
    }
}
