import Foundation
import IDCardCore

/// Finds what erased cards left, in bytes that are read piece by piece; with many cards it takes no longer than with one.
struct TraceSearch: Sendable {
    private struct Sought: Sendable {
        var card: CardID
        var trace: ErasedTrace
    }

    private let marker: ErasedTrace.TraceMarker
    private let sought: [UInt32: [Sought]]
    /// One bit for the upper bits of every mark: nearly every place of a file is passed over by a look at it.
    private let filter: [UInt64]

    private static let filterBits: UInt32 = 22

    init(for cards: [(card: CardID, traces: [ErasedTrace])], marker: ErasedTrace.TraceMarker) {
        self.marker = marker
        var sought: [UInt32: [Sought]] = [:]
        var filter = [UInt64](repeating: 0, count: 1 << Int(Self.filterBits - 6))
        for (card, traces) in cards {
            for trace in traces {
                sought[trace.mark, default: []].append(Sought(card: card, trace: trace))
                let bit = trace.mark >> (32 - Self.filterBits)
                filter[Int(bit >> 6)] |= 1 << UInt64(bit & 63)
            }
        }
        self.sought = sought
        self.filter = filter
    }

    /// Whether there is anything to look for.
    var isEmpty: Bool { self.sought.isEmpty }

    /// The cards of which a trace ends in some bytes.
    func cards(in bytes: UnsafeRawBufferPointer) -> Set<CardID> {
        var found: Set<CardID> = []
        let (mask, factor) = (self.marker.mask, self.marker.factor)
        guard bytes.count >= ErasedTrace.markedLength, let start = bytes.baseAddress else { return [] }
        let byte = start.assumingMemoryBound(to: UInt8.self)
        self.filter.withUnsafeBufferPointer { filter in
            guard let filter = filter.baseAddress else { return }
            var window: UInt64 = 0
            var end = 0
            while end < bytes.count {
                window = (window << 8 | UInt64(byte[end])) & 0xFFFF_FFFF_FFFF
                end &+= 1
                let mark = UInt32(truncatingIfNeeded: ((window ^ mask) &* factor) >> 32)
                let bit = mark >> (32 - Self.filterBits)
                if filter[Int(truncatingIfNeeded: bit >> 6)] & (1 << UInt64(bit & 63)) != 0 {
                    self.compare(bytes, endingAt: end, mark: mark, found: &found)
                }
            }
        }
        return found
    }

    private func compare(
        _ bytes: UnsafeRawBufferPointer,
        endingAt end: Int,
        mark: UInt32,
        found: inout Set<CardID>
    ) {
        for candidate in self.sought[mark] ?? [] where end >= candidate.trace.length && !found.contains(candidate.card)
        {
            let piece = Data(bytes[(end - candidate.trace.length)..<end])
            if self.marker.fingerprint(of: piece) == candidate.trace.fingerprint { found.insert(candidate.card) }
        }
    }
}
