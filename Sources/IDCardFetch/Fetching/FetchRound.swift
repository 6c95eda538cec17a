import IDCardCore
import IDCardPipeline
import NIOCore
import NIOHTTP1

/// One go at the missing bytes: a first request, whose answer says what there is, and beside it such for other ranges.
struct FetchRound: Sendable {
    /// What the first request asks for.
    enum Mode {
        /// What is missing, under the validator of what is kept.
        case remainder
        /// The beginning, without a validator: the version has changed.
        case beginning
        /// Everything at once, without a range.
        case everything
    }

    let session: FetchSession
    let target: FetchTarget
    let label: String
    let mode: Mode

    private var fetcher: URLImageFetcher { self.session.fetcher }
    private var settings: FetchSettings { self.session.fetcher.settings }

    /// Fetches and keeps; progress holds what is kept also when it throws.
    func run(_ progress: inout FetchProgress) async throws(FetchStop) {
        var target = self.target
        var label = self.label
        for hop in 0...self.settings.maximumRedirects {
            let endpoint = try await self.fetcher.resolve(target, label: label)
            let request = self.request(to: endpoint, for: progress)
            let next = try await self.exchange(request, &progress)
            guard let next else { return }
            guard hop < self.settings.maximumRedirects else {
                throw .refused(self.redirectRefusal(label))
            }
            (target, label) = try self.fetcher.checkRedirect(to: next, from: target)
        }
    }

    private func redirectRefusal(_ label: String) -> FetchRefusal {
        let limit = self.settings.maximumRedirects
        return FetchRefusal(
            .fetchRedirectRefused,
            "\(label) sends elsewhere, and fetch.max_redirects is \(limit): use the URL it leads to, or raise the limit"
        )
    }

    /// The first request.
    private func request(to endpoint: CheckedEndpoint, for progress: FetchProgress) -> FetchRequest {
        let isInRanges = self.settings.parallelRanges > 1
        switch self.mode {
        case .everything: return FetchRequest(endpoint: endpoint)
        case .remainder where progress.ifRange != nil:
            let missing = progress.missing.first ?? 0..<Int.max
            let range =
                missing.upperBound == .max || !isInRanges
                ? missing : RangePlan.cut([missing], into: self.settings.parallelAbove)[0]
            return FetchRequest(endpoint: endpoint, range: range, ifRange: progress.ifRange)
        case .remainder, .beginning:
            // The answer to a range says at once whether the server knows them, and how much there is.
            return FetchRequest(endpoint: endpoint, range: isInRanges ? 0..<self.settings.parallelAbove : nil)
        }
    }

    /// Makes the first request and, by its answer, the others.
    ///
    /// - Returns: where the server sends to, if it does.
    private func exchange(
        _ request: FetchRequest,
        _ progress: inout FetchProgress
    ) async throws(FetchStop) -> String? {
        var state = progress
        defer { progress = state }
        let faults = FetchFaults(label: request.endpoint.label, usesTLS: request.endpoint.target.usesTLS)
        do {
            return try await self.fetcher.connector.get(request, until: self.session.end) { head, body in
                let facts = ResponseFacts(head, now: self.fetcher.now())
                switch facts.status {
                case 301, 302, 303, 307, 308: return facts.location ?? ""
                case 200: try await self.takeAll(facts, &body, &state, faults: faults)
                case 206: try await self.takeRanges(facts, &body, request, &state, faults: faults)
                case 416: try self.takeNothing(facts, request, &state)
                default: throw FetchStop.failed(faults.failure(for: facts))
                }
                return nil
            }
        } catch let stop as FetchStop {
            throw stop
        } catch {
            throw Task.isCancelled ? .cancelled : .failed(faults.failure(for: error))
        }
    }

    // MARK: Answers

    /// 200: the whole image, whether it was asked for or not.
    private func takeAll(
        _ facts: ResponseFacts,
        _ body: inout ResponseBody,
        _ progress: inout FetchProgress,
        faults: FetchFaults
    ) async throws(FetchStop) {
        try self.fetcher.check(facts, total: facts.contentLength, label: faults.label)
        progress.adopt(FetchedVersion(facts, byteCount: facts.contentLength))
        let stream = self.stream(0..<(facts.contentLength ?? .max), of: progress, faults: faults)
        let (end, total) = await stream.run(&body)
        progress.keep(end.written)
        if let stop = end.stop { throw stop }
        progress.total = total
        guard total > 0 else {
            throw .refused(FetchRefusal(.fetchEmpty, "\(faults.label) sends an empty body: check the URL"))
        }
    }

    /// 206: one range, and the size of everything.
    private func takeRanges(
        _ facts: ResponseFacts,
        _ body: inout ResponseBody,
        _ request: FetchRequest,
        _ progress: inout FetchProgress,
        faults: FetchFaults
    ) async throws(FetchStop) {
        let (bytes, total) = try RangeAnswer.check(facts, for: request)
        try self.fetcher.check(facts, total: total, label: faults.label)
        if request.ifRange != nil, let version = progress.version {
            guard version.admits(facts, total: total) else { throw .changed }
            progress.total = total
        } else {
            progress.adopt(FetchedVersion(facts, byteCount: total))
            // Without a validator the other ranges might be of something else.
            guard facts.validator != nil || bytes == 0..<total else { throw .unusableRanges }
        }
        let others = RangePlan.missing(from: progress.pieces + [bytes], upTo: total)
        let segments = FetchSegments(
            round: self,
            endpoint: request.endpoint.preferring(body.address),
            ranges: RangePlan.cut(others, into: self.settings.parallelAbove),
            progress: progress,
            faults: faults
        )
        let stream = self.stream(bytes, of: progress, faults: faults)
        let ends = await segments.run { await stream.run(&body).end }
        progress.keep(ends.flatMap(\.written))
        guard !Task.isCancelled else { throw .cancelled }
        if let stop = ends.compactMap(\.stop).min(by: { $0.rank < $1.rank }) { throw stop }
    }

    /// 416: there is nothing at the range that was asked for.
    private func takeNothing(
        _ facts: ResponseFacts,
        _ request: FetchRequest,
        _ progress: inout FetchProgress
    ) throws(FetchStop) {
        guard let range = request.range, let there = facts.contentRange, there.bytes == nil, let total = there.total
        else {
            throw .unusableRanges
        }
        if total == 0 {
            throw .refused(FetchRefusal(.fetchEmpty, "the image at the URL has no bytes: check the URL"))
        }
        // The last attempt had brought everything, and only its end had not been announced.
        guard request.ifRange != nil, progress.total == nil, total == range.lowerBound else { throw .unusableRanges }
        progress.total = total
    }

    /// Takes what comes for a range.
    func stream(_ range: Range<Int>, of progress: FetchProgress, faults: FetchFaults) -> SegmentStream {
        SegmentStream(
            range: range,
            // Adopted before anything is stored.
            version: progress.version ?? FetchedVersion(validator: nil, byteCount: nil),
            kept: progress.pieces,
            maximumBytes: self.settings.maximumBytes,
            sink: self.session.sink,
            faults: faults
        )
    }
}
