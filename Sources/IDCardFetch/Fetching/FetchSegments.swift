import IDCardPipeline
import NIOCore
import NIOHTTP1

/// The other ranges of an image, so many at a time, beside the one whose answer comes already.
struct FetchSegments: Sendable {
    let round: FetchRound
    /// The address that answers, resolved and checked for the first of them.
    let endpoint: CheckedEndpoint
    /// The ranges.
    let ranges: [Range<Int>]
    /// What is kept, and of which version.
    let progress: FetchProgress
    let faults: FetchFaults

    /// Fetches all, and the first one's rest beside them.
    ///
    /// After a failure no further range is begun, but those under way come to their end: what they bring is not lost.
    /// If they can only be in vain, they are cancelled.
    ///
    /// - Parameter first: takes the rest of the answer that is there.
    /// - Returns: the ends of all that were begun.
    func run(beside first: () async -> SegmentStream.End) async -> [SegmentStream.End] {
        await withTaskGroup(of: SegmentStream.End.self) { group in
            var waiting = self.ranges[...]
            for range in waiting.prefix(self.round.session.fetcher.settings.parallelRanges - 1) {
                waiting = waiting.dropFirst()
                group.addTask { await self.fetch(range) }
            }
            var ends = [await first()]
            while true {
                if ends.last?.stop?.isInVain == true { group.cancelAll() }
                if ends.last?.stop != nil {
                    waiting = []
                } else if let range = waiting.popFirst() {
                    group.addTask { await self.fetch(range) }
                }
                guard let end = await group.next() else { return ends }
                ends.append(end)
            }
        }
    }

    private func fetch(_ range: Range<Int>) async -> SegmentStream.End {
        let request = FetchRequest(endpoint: self.endpoint, range: range, ifRange: self.progress.version?.ifRange)
        let session = self.round.session
        do {
            return try await session.fetcher.connector.get(request, until: session.end) { head, body in
                let bytes = try self.check(ResponseFacts(head, now: session.fetcher.now()), for: request)
                return await self.round.stream(bytes, of: self.progress, faults: self.faults).run(&body).end
            }
        } catch let stop as FetchStop {
            return SegmentStream.End(stop: stop)
        } catch {
            return SegmentStream.End(stop: Task.isCancelled ? .cancelled : .failed(self.faults.failure(for: error)))
        }
    }

    /// Checks that the answer is a part of the same version.
    private func check(_ facts: ResponseFacts, for request: FetchRequest) throws(FetchStop) -> Range<Int> {
        switch facts.status {
        case 206:
            let (bytes, total) = try RangeAnswer.check(facts, for: request)
            guard let version = self.progress.version, version.admits(facts, total: total),
                total == self.progress.total ?? total
            else { throw .changed }
            try self.round.session.fetcher.check(facts, total: total, label: self.faults.label)
            return bytes
        // Everything instead of a part: `If-Range` did not hold. And no part where there was one: it has shrunk.
        case 200, 416: throw .changed
        default: throw .failed(self.faults.failure(for: facts))
        }
    }
}

extension FetchStop {
    /// Whether other ranges of the same image are of no use any more.
    var isInVain: Bool {
        switch self {
        case .failed: false
        case .store, .cancelled, .refused, .changed, .unusableRanges: true
        }
    }
}
