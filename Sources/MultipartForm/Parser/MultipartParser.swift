package import FoundationEssentials

/// Parses a `multipart/form-data` body that arrives in chunks (RFC 7578, RFC 2046 section 5.1.1), without I/O.
///
/// ```swift
/// var parser = try MultipartParser(contentType: header)
/// for chunk in body {
///     parser.append(chunk)
///     while let event = try parser.next() { handle(event) }
/// }
/// parser.finish()
/// while let event = try parser.next() { handle(event) }
/// ```
///
/// The events do not depend on how the body is cut into chunks, except for the cuts between `data` events. The time is
/// linear in the bytes. The memory is one chunk and one part's header lines: nearly all content is returned as slices
/// of the chunks, so read all events before appending the next chunk. A body that is incomplete or malformed always
/// ends in an error, never in ``Event/formEnded``; after an error every call throws it again.
///
/// Names are UTF-8, file names should be. `%0A`, `%0D` and `%22` stay as they are: the WHATWG encoding that writes them
/// does not escape `%`, so they cannot be distinguished from a name that holds them literally (13 of 18 parsers do the
/// same; RFC 7578 requires no more). `\"` and `\\` in quotes become `"` and `\`; every other backslash stays, so
/// `C:\dir\file.jpg` arrives unchanged. A name that ends in one bare backslash, as browsers write it, is understood.
/// Directories are kept in ``PartHead/filename``. `filename*` is ignored.
///
/// Decisions where parsers disagree:
///
/// | case | input | decision |
/// |---|---|---|
/// | 01 | one plain file | accepted |
/// | 02 | `filename="q%22uote.jpg"` | `q%22uote.jpg` |
/// | 03 | `filename="q\"uote.jpg"` | `q"uote.jpg` |
/// | 04 | `filename="back\slash.jpg"` | `back\slash.jpg` |
/// | 05 | `filename="back\\slash.jpg"` | `back\slash.jpg` |
/// | 06 | UTF-8 file name | accepted; other encodings too, unreadable; in a name: `malformed_header` |
/// | 07 | only `filename*` | a text field, without a file name |
/// | 08 | `filename` and `filename*` | `filename` |
/// | 09 | no closing delimiter | `truncated` |
/// | 10 | cut inside a part | `truncated` |
/// | 11 | lines end in LF alone | `malformed_delimiter`, `malformed_header` or `truncated` |
/// | 12 | preamble | skipped up to ``Limits/preambleBytes`` |
/// | 13 | epilogue | skipped up to ``Limits/epilogueBytes`` |
/// | 14 | a line `--boundaryX` in a part or before the first | `malformed_delimiter` |
/// | 15 | no `name`, or an empty one | `missing_name` |
/// | 16 | repeated names | separate parts, in order |
/// | 17 | only the closing delimiter | a form without parts |
/// | 18 | body of 0 bytes | `truncated` |
/// | 19 | `Content-Transfer-Encoding` | `binary`, `8bit`, `7bit` accepted; else `unsupported_transfer_encoding` |
/// | 20 | quoted boundary of 70 characters | accepted |
/// | 21 | boundary of 71 characters | `invalid_boundary` |
/// | 22 | spaces and tabs after a boundary | accepted up to ``Limits/paddingBytes`` |
/// | 23 | no final CR LF | accepted |
/// | 24 | CR LF before the first boundary | accepted, as a preamble |
/// | 25 | `name` or `filename` twice | `invalid_disposition` |
/// | 26 | `filename="C:\dir\file.jpg"` | kept whole |
/// | 27 | unquoted `name=f; filename=plain.jpg` | accepted |
/// | 28 | `filename=""` | accepted: the empty file name |
/// | 29 | `CONTENT-disposition: Form-Data; NAME=` | accepted |
/// | 30 | CR, LF or NUL in a file name | `malformed_header` |
package struct MultipartParser: Sendable {
    enum State {
        case preamble, boundaryLine, headers, content, epilogue, ended
    }

    let limits: Limits
    /// CR, LF, two dashes and the boundary.
    let delimiter: [UInt8]

    var state = State.preamble
    /// The appended bytes that are not yet consumed.
    var pending = Data()
    /// The number of pending bytes already searched for the end of a header line.
    var searchedBytes = 0
    /// Whether the pending bytes start a line: at the start of the body, or after an empty line.
    var isAtLineStart = true
    /// At most two events of one step.
    var queue: [Event] = []
    private var received: UInt64 = 0
    private var exceedsLimit = false
    private var isFinished = false
    private var failure: MultipartFormError?

    var partCount = 0
    /// The header lines of the current part.
    var fields: [PartHead.Field] = []
    var headerBytes = 0
    var partBytes: UInt64 = 0
    /// Bytes of the preamble, later of the epilogue.
    var surroundingBytes = 0

    /// Starts before the first byte.
    ///
    /// - Parameter contentType: The request's `Content-Type`.
    /// - Throws: ``MultipartFormError``: `not_form_data` or `invalid_boundary`.
    package init(
        contentType: String,
        limits: Limits = Limits()
    ) throws(MultipartFormError) {
        self.delimiter = Array("\r\n--".utf8) + (try FormDataType.boundary(of: contentType, limits: limits))
        self.limits = limits
    }

    /// Appends the next chunk of the body; read all events of the previous chunk first.
    ///
    /// Never call it after ``finish()``.
    package mutating func append(_ chunk: Data) {
        precondition(!self.isFinished, "A chunk came after the end of the body.")
        guard self.failure == nil else { return }
        // Bytes beyond the limit are an error, thrown after the events of the bytes before them.
        let room = self.limits.totalBytes - self.received
        let accepted = chunk.prefix(Int(min(UInt64(chunk.count), room)))
        self.exceedsLimit = self.exceedsLimit || accepted.count < chunk.count
        self.received += UInt64(accepted.count)
        if self.pending.isEmpty {
            self.pending = accepted
        } else {
            // A copy: a slice keeps the bytes before it in memory, and a growing one would keep the whole body.
            if self.pending.startIndex > 0 { self.pending = Data(self.pending) }
            self.pending.append(accepted)
        }
    }

    package mutating func finish() { self.isFinished = true }

    /// - Returns: The event; `nil` when more bytes are needed, and after ``Event/formEnded``.
    /// - Throws: ``MultipartFormError``: every code of the parser, as listed in ``MultipartFormError/Code``.
    package mutating func next() throws(MultipartFormError) -> Event? {
        if let failure = self.failure { throw failure }
        do {
            while self.queue.isEmpty, !self.pending.isEmpty, try self.step() {}
            if self.queue.isEmpty { try self.concludeChunk() }
            return self.queue.isEmpty ? nil : self.queue.removeFirst()
        } catch {
            self.failure = error
            self.pending = Data()
            throw error
        }
    }

    /// Checks the limit of the body and, after the last chunk, whether the body is complete.
    private mutating func concludeChunk() throws(MultipartFormError) {
        try require(
            !self.exceedsLimit,
            .bodyTooLarge,
            "The body exceeds \(self.limits.totalBytes) bytes; send fewer or smaller parts."
        )
        guard self.isFinished else { return }
        switch self.state {
        case .ended: return
        case .epilogue: break
        // The line end after the closing dashes may be missing.
        case .boundaryLine where self.pending.starts(with: "--".utf8) && self.pending.last != UInt8(ascii: "\r"): break
        default:
            throw MultipartFormError(
                .truncated,
                "The body ended after \(self.received) bytes without the closing boundary; send it again."
            )
        }
        self.state = .ended
        self.queue.append(.formEnded)
    }
}
