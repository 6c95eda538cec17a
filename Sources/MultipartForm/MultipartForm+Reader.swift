package import FoundationEssentials

extension MultipartForm {
    /// Makes a reader at the first byte; every reader of a form yields the same bytes.
    ///
    /// Opens every file once to compare its size, so that a missing or changed file is noticed before the first byte is
    /// sent. Between here and its turn a file is closed: a form of many files does not use up descriptors.
    ///
    /// - Throws: ``MultipartFormError``: `source_unreadable` or `source_changed`.
    package func makeReader() throws(MultipartFormError) -> Reader {
        var identities: [Int: SourceFile.Identity] = [:]
        for (index, segment) in self.segments.enumerated() {
            identities[index] = try segment.open()?.identity
        }
        return Reader(segments: self.segments, identities: identities, length: self.contentLength)
    }

    /// Pulls the bytes of a form, chunk by chunk: nothing is read before it is asked for.
    ///
    /// File parts are read with blocking calls: on a thread that may wait, not on an event loop. A copy of a reader
    /// reads on alone from where the original was. After an error every call throws the same error again.
    package struct Reader: Sendable {
        /// The bytes yielded so far, headers included.
        package private(set) var bytesRead: UInt64 = 0

        private let segments: [Segment]
        private let identities: [Int: SourceFile.Identity]
        private let length: UInt64
        private var index = 0
        private var position: UInt64 = 0
        private var file: SourceFile?
        private var failure: MultipartFormError?

        init(segments: [Segment], identities: [Int: SourceFile.Identity], length: UInt64) {
            self.segments = segments
            self.identities = identities
            self.length = length
        }

        /// Yields the next bytes.
        ///
        /// Every chunk but the last has exactly `count` bytes. A chunk that lies within one memory part is a slice of
        /// it, not a copy: its indices do not start at 0.
        ///
        /// - Parameter count: The most bytes wanted: at least 1.
        /// - Returns: The bytes, or `nil` at the end.
        /// - Throws: ``MultipartFormError``: `source_changed` when a file yields fewer or more bytes than stated or is
        ///   written to meanwhile, `source_unreadable` when it cannot be read.
        package mutating func read(
            upTo count: Int = MultipartForm.defaultChunkSize
        ) throws(MultipartFormError) -> Data? {
            precondition(count > 0, "A chunk has at least 1 byte, not \(count).")
            if let failure = self.failure { throw failure }
            guard self.bytesRead < self.length else { return nil }
            if let slice = self.slice(count) { return slice }
            let wanted = Int(min(UInt64(count), self.length - self.bytesRead))
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: wanted, alignment: 1)
            do {
                let filled = try self.read(into: buffer)
                guard let start = buffer.baseAddress else { return nil }
                return Data(
                    bytesNoCopy: start,
                    count: filled,
                    deallocator: .custom { pointer, _ in pointer.deallocate() }
                )
            } catch {
                buffer.deallocate()
                throw error
            }
        }

        /// Puts the next bytes into memory of the caller, such as a network buffer, without a chunk in between.
        ///
        /// - Parameter buffer: Filled from its start; all of it unless the form ends before.
        /// - Returns: How many bytes were put there; 0 at the end or when `buffer` is empty.
        /// - Throws: ``MultipartFormError`` as ``read(upTo:)`` does.
        package mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(MultipartFormError) -> Int {
            if let failure = self.failure { throw failure }
            do {
                return try self.fill(buffer)
            } catch {
                self.failure = error
                self.file = nil
                throw error
            }
        }

        /// The next `count` bytes when one memory part holds them all.
        private mutating func slice(_ count: Int) -> Data? {
            guard case .bytes(let data) = self.segments[self.index].content else { return nil }
            let start = data.startIndex + Int(self.position)
            guard data.endIndex - start >= count else { return nil }
            self.position += UInt64(count)
            self.bytesRead += UInt64(count)
            if start + count == data.endIndex { self.advance() }
            return data[start..<(start + count)]
        }

        private mutating func fill(_ buffer: UnsafeMutableRawBufferPointer) throws(MultipartFormError) -> Int {
            var filled = 0
            while filled < buffer.count, self.index < self.segments.count {
                let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
                let count: Int
                switch self.segments[self.index].content {
                case .bytes(let data): count = self.copy(data, into: rest)
                case .file(_, let length): count = try self.readFile(of: length, into: rest)
                }
                filled += count
                self.position += UInt64(count)
                self.bytesRead += UInt64(count)
                if self.position == self.segments[self.index].content.length {
                    try self.file?.verifyEnd()
                    self.advance()
                }
            }
            return filled
        }

        private func copy(_ data: Data, into buffer: UnsafeMutableRawBufferPointer) -> Int {
            let start = data.startIndex + Int(self.position)
            let end = min(data.endIndex, start + buffer.count)
            return data.copyBytes(to: buffer, from: start..<end)
        }

        private mutating func readFile(
            of length: UInt64,
            into buffer: UnsafeMutableRawBufferPointer
        ) throws(MultipartFormError) -> Int {
            if self.file == nil {
                self.file = try self.segments[self.index].open()
                if let file = self.file, file.identity != self.identities[self.index] {
                    throw file.changed("was replaced after the reading began")
                }
            }
            // An empty file was opened too: it may have grown.
            guard let file = self.file, self.position < length else { return 0 }
            return try file.read(into: buffer, at: self.position)
        }

        private mutating func advance() {
            self.index += 1
            self.position = 0
            self.file = nil
        }
    }
}

extension MultipartForm.Segment {
    /// Opens the file; `nil` for bytes in memory.
    fileprivate func open() throws(MultipartFormError) -> SourceFile? {
        guard case .file(let path, let length) = self.content else { return nil }
        return try SourceFile(path: path, length: length, partPosition: self.partPosition)
    }
}
