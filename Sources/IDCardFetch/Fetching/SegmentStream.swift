import IDCardCore
import IDCardPipeline
import NIOCore

/// Takes the bytes of one answer and has them kept.
struct SegmentStream: Sendable {
    /// How the work on a range ended.
    struct End: Sendable {
        /// What is kept of it.
        var written: [Range<Int>] = []
        /// Why it ended before its end; `nil` if it did not.
        var stop: FetchStop?
    }

    /// The bytes that come; an upper bound of `Int.max` if that is not announced.
    let range: Range<Int>
    /// What they are a piece of.
    let version: FetchedVersion
    /// What is kept of it already.
    let kept: [Range<Int>]
    /// The most bytes of an image.
    let maximumBytes: Int
    /// Keeps pieces.
    let sink: PieceSink
    /// Names failures.
    let faults: FetchFaults

    /// Takes the body to its end, or as far as it comes.
    ///
    /// - Returns: how it ended, and the offset behind the last byte that came.
    func run(_ body: inout ResponseBody) async -> (end: End, position: Int) {
        var writer = PieceWriter(from: self.range.lowerBound, version: self.version, kept: self.kept, sink: self.sink)
        do {
            try await self.copy(&body, to: &writer)
            try await writer.flush(isLast: true)
            return (End(written: writer.written), writer.position)
        } catch {
            return (End(written: writer.written, stop: error), writer.position)
        }
    }

    private func copy(_ body: inout ResponseBody, to writer: inout PieceWriter) async throws(FetchStop) {
        while true {
            let next: ByteBuffer?
            do {
                next = try await body.next()
            } catch {
                guard !Task.isCancelled else { throw .cancelled }
                // What came before the connection broke need not come again.
                try await writer.flush(isLast: false)
                throw .failed(self.faults.failure(for: error))
            }
            guard let next else { return }
            let position = writer.position + next.readableBytes
            guard position <= self.maximumBytes else {
                throw .refused(.tooLarge(limit: self.maximumBytes, label: self.faults.label))
            }
            // More than was announced: what else of it is to be believed?
            guard position <= self.range.upperBound else { throw .unusableRanges }
            try await writer.write(next)
        }
    }
}

extension FetchRefusal {
    /// Says that an image has too many bytes.
    static func tooLarge(limit: Int, label: String) -> FetchRefusal {
        FetchRefusal(
            .sourceTooLarge,
            "the image at \(label) has more than the \(limit) bytes of imaging.max_source_bytes"
        )
    }
}
