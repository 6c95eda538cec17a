import Foundation
import IDCardPipeline
import NIOCore

/// Cuts a stream of bytes into pieces and has them kept; what is kept already is left out.
struct PieceWriter {
    /// The most bytes of a piece, which are also all that is held in memory.
    static let pieceSize = 1_048_576
    /// So many leading bytes say whether it is an image.
    static let signatureSize = 64

    /// Where the next byte belongs.
    private(set) var position: Int
    /// The ranges that were kept by this writer.
    private(set) var written: [Range<Int>] = []

    private let version: FetchedVersion
    private let kept: [Range<Int>]
    private let sink: PieceSink
    private var piece = Data()
    private var isRecognised: Bool

    /// Writes from an offset.
    ///
    /// - Parameters:
    ///   - offset: where the first byte belongs.
    ///   - version: what the bytes are a piece of.
    ///   - kept: what is kept of it already, sorted and joined.
    ///   - sink: keeps the pieces.
    init(from offset: Int, version: FetchedVersion, kept: [Range<Int>], sink: PieceSink) {
        self.position = offset
        self.version = version
        self.kept = kept
        self.sink = sink
        self.isRecognised = offset > 0
    }

    /// Takes the next bytes.
    ///
    /// - Throws: ``FetchStop``.
    mutating func write(_ buffer: ByteBuffer) async throws(FetchStop) {
        var rest = buffer.readableBytesView
        while !rest.isEmpty {
            if let there = self.kept.first(where: { $0.contains(self.position) }) {
                try await self.keepPiece(isLast: false)
                let count = min(there.upperBound - self.position, rest.count)
                rest = rest.dropFirst(count)
                self.position += count
                continue
            }
            let next = self.kept.first { $0.lowerBound > self.position }?.lowerBound ?? .max
            let count = min(rest.count, next - self.position, Self.pieceSize - self.piece.count)
            self.piece.append(contentsOf: rest.prefix(count))
            rest = rest.dropFirst(count)
            self.position += count
            if self.piece.count == Self.pieceSize { try await self.keepPiece(isLast: false) }
        }
        try self.recognise(isLast: false)
    }

    /// Has kept what has come so far.
    ///
    /// - Parameter isLast: whether nothing follows; a beginning too short to be recognised is an image's only then.
    /// - Throws: ``FetchStop``.
    mutating func flush(isLast: Bool) async throws(FetchStop) {
        try await self.keepPiece(isLast: isLast)
    }

    private mutating func keepPiece(isLast: Bool) async throws(FetchStop) {
        guard !self.piece.isEmpty else { return }
        try self.recognise(isLast: isLast)
        let range = self.position - self.piece.count..<self.position
        // A few bytes of which nothing is known are not worth a row: they come again.
        if self.isRecognised || range.lowerBound > 0 {
            try await self.sink.keep(self.piece, at: range.lowerBound, of: self.version)
            self.written.append(range)
        }
        self.piece.removeAll(keepingCapacity: true)
    }

    /// Looks at the first bytes, once there are enough of them.
    private mutating func recognise(isLast: Bool) throws(FetchStop) {
        guard !self.isRecognised, self.position - self.piece.count == 0 else { return }
        // What is left out at the start was recognised when it was kept.
        guard self.piece.count >= Self.signatureSize || isLast else { return }
        guard self.sink.isImage(self.piece.prefix(Self.signatureSize)) else {
            throw .refused(
                FetchRefusal(.fetchNotAnImage, "what the URL leads to is no image by its first bytes: check the URL")
            )
        }
        self.isRecognised = true
    }
}
