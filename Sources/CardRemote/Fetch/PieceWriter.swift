import CardModel
import Foundation
import NIOCore
import Synchronization

/// The durable ranges of an image, and their version.
final class FetchProgress: Sendable {
    private struct State {
        var version: FetchedVersion?
        var ranges: RangeSet<Int>
        /// Where the last body ended that was ended only by its connection.
        var lastEnd: Int?
    }

    private let state: Mutex<State>

    init(_ request: FetchRequest) {
        self.state = Mutex(State(version: request.version, ranges: RangeSet(request.stored)))
    }

    var version: FetchedVersion? { self.state.withLock { $0.version } }
    /// The durable ranges, in order and disjoint.
    var ranges: [Range<Int>] { self.state.withLock { Array($0.ranges.ranges) } }

    /// Takes over the version of an answer; if it is another version, the durable bytes no longer count. Without a validator, two
    /// answers never count as the same version; the sandbox deletes bytes by the same rule. A size that only one of the answers
    /// has does not mean another version.
    func adopt(_ version: FetchedVersion) {
        self.state.withLock { state in
            let size = state.version?.byteCount ?? version.byteCount
            if let validator = version.validator, validator == state.version?.validator,
                version.byteCount ?? size == size
            {
                state.version?.byteCount = size
            } else {
                (state.version, state.ranges) = (version, RangeSet())
            }
        }
    }

    /// Records that a body ended here with its connection, and returns whether the previous one ended at the same position: a
    /// single body without a marked end may be cut off.
    func ends(at position: Int) -> Bool {
        self.state.withLock { state in
            defer { state.lastEnd = position }
            return state.lastEnd == position
        }
    }

    func insert(_ range: Range<Int>) { self.state.withLock { $0.ranges.insert(contentsOf: range) } }

    /// Returns the missing ranges up to an end, except for the range that is being received.
    func missing(upTo end: Int, besides current: Range<Int> = 0..<0) -> [Range<Int>] {
        let known = self.state.withLock { $0.ranges }.union(RangeSet(current))
        return Array(RangeSet(0..<end).subtracting(known).ranges)
    }
}

/// Splits the bytes received for one range into pieces and makes them durable; bytes already stored are left out.
struct PieceWriter {
    /// The offset of the next byte.
    private(set) var position: Int
    private let progress: FetchProgress
    private let store: Fetcher.StorePiece
    private let isImage: @Sendable (Data) -> Bool
    private var piece = Data()
    /// Whether the first bytes are known to be those of an image.
    private var isRecognised: Bool

    init(
        from offset: Int,
        progress: FetchProgress,
        isImage: @escaping @Sendable (Data) -> Bool,
        store: @escaping Fetcher.StorePiece
    ) {
        (self.position, self.progress, self.isImage, self.store) = (offset, progress, isImage, store)
        // Only the beginning of the image is checked; if it is not in this range, another writer checks it.
        self.isRecognised = offset > 0 || progress.ranges.first?.lowerBound == 0
    }

    /// Adds the next bytes; stores full pieces, and skips bytes that are already durable.
    mutating func write(_ bytes: ByteBufferView) async throws(FetchError) {
        var remaining = bytes
        let durable = self.progress.ranges
        while !remaining.isEmpty {
            if let known = durable.first(where: { $0.contains(self.position) }) {
                try await self.flush()
                let count = min(known.upperBound - self.position, remaining.count)
                remaining = remaining.dropFirst(count)
                self.position += count
                continue
            }
            let next = durable.first { $0.lowerBound > self.position }?.lowerBound ?? .max
            let count = min(remaining.count, next - self.position, Limits.fetchPieceBytes - self.piece.count)
            self.piece.append(contentsOf: remaining.prefix(count))
            remaining = remaining.dropFirst(count)
            self.position += count
            if self.piece.count == Limits.fetchPieceBytes { try await self.flush() }
        }
        if self.piece.count >= Limits.signatureBytes { try self.recognise() }
    }

    /// Makes the bytes received so far durable.
    ///
    /// - Parameter isEnd: whether the image ends here; only then a very short beginning is checked.
    mutating func flush(isEnd: Bool = false) async throws(FetchError) {
        guard !self.piece.isEmpty else { return }
        if isEnd || self.piece.count >= Limits.signatureBytes { try self.recognise() }
        let start = self.position - self.piece.count
        // A beginning that is too short to be checked is not stored, but fetched again.
        if self.isRecognised {
            let version = self.progress.version ?? FetchedVersion(validator: nil, byteCount: nil)
            do { try await self.store(self.piece, start, version) } catch { throw .notStored(error) }
            self.progress.insert(start..<self.position)
        }
        self.piece = Data()
    }

    /// Throws if the first bytes are not those of an image.
    private mutating func recognise() throws(FetchError) {
        guard !self.isRecognised else { return }
        guard self.isImage(self.piece.prefix(Limits.signatureBytes)) else {
            throw .unusable(.fetchNotAnImage, .fetchNotAnImage)
        }
        self.isRecognised = true
    }
}
