import AsyncHTTPClient
import CardModel
import Foundation
import NIOCore
import NIOHTTP1

/// One attempt to fetch the missing bytes of an image.
struct FetchAttempt: Sendable {
    /// An answer: its head, and its body as a stream.
    private struct Answer: Sendable {
        var response: FetchResponse
        var body: HTTPClientResponse.Body
        /// The route, reduced to the address that sent the answer.
        var route: FetchRoute
    }

    let fetcher: ImageFetcher
    let progress: FetchProgress
    let store: Fetcher.StorePiece
    let deadline: ContinuousClock.Instant

    /// Fetches all missing bytes. Starts again if the host changes the image meanwhile, a few times; bytes received before an
    /// error are durable.
    func run(_ url: String) async throws(FetchError) {
        var restarts = 0
        while true {
            do throws(FetchError) {
                return try await self.fetch(url, isRestart: restarts > 0)
            } catch {
                guard case .changed = error, restarts < Limits.fetchRestarts else { throw error }
                restarts += 1
            }
        }
    }

    /// Requests the image, or its first missing part; the answer shows how the rest can be fetched.
    ///
    /// - Parameter isRestart: whether parts did not match before, so that the whole image is requested.
    private func fetch(_ url: String, isRestart: Bool) async throws(FetchError) {
        var part: ImagePart?
        if let version = self.progress.version, !self.progress.ranges.isEmpty, !isRestart {
            guard let missing = self.progress.missing(upTo: version.byteCount ?? .max).first else { return }
            part = ImagePart(range: self.cut([missing])[0], version: version)
        }
        let (rules, resolver) = (self.fetcher.rules, self.fetcher.resolver)
        var route = try await FetchRoute(url, rules: rules, resolver: resolver)
        var redirectsLeft = rules.maximumRedirects
        while let location = try await self.get(
            part,
            from: route,
            { (answer) throws(FetchError) in try await self.process(answer, asked: part, mayBeSplit: !isRestart) }
        ) {
            let isAllowed = redirectsLeft > 0
            route = try await route.redirect(to: location, isAllowed: isAllowed, rules: rules, resolver: resolver)
            redirectsLeft -= 1
        }
    }

    /// Sends a request to the first address that accepts the connection, and calls `process` with the answer.
    ///
    /// - Returns: the location of a redirect, else `nil`.
    private func get(
        _ part: ImagePart?,
        from route: FetchRoute,
        _ process: (Answer) async throws(FetchError) -> Void
    ) async throws(FetchError) -> String? {
        var failure = route.faults.failure(.dns)
        for host in route.hosts {
            guard let client = self.fetcher.clients.borrow(host) else {
                throw .failed(route.faults.failure(.connectionClosed))
            }
            defer { self.fetcher.clients.returnClient(host) }
            let deadline = NIODeadline.now() + TimeAmount(max(self.deadline - .now, .zero))
            let answer: HTTPClientResponse
            do {
                var request = route.request(part)
                request.tlsConfiguration = self.fetcher.clients.tls.configuration
                answer = try await client.execute(request, deadline: deadline)
            } catch {
                failure = route.faults.failure(for: error, phase: .notSent)
                // The next address is tried only if this one did not accept the connection.
                guard failure.failureClass == .notSent, !Task.isCancelled else { break }
                continue
            }
            let response = FetchResponse(Int(answer.status.code), answer.headers, now: Timestamp(Date()))
            if [301, 302, 303, 307, 308].contains(response.status) { return response.location ?? "" }
            var route = route
            route.hosts = [host]
            try await process(Answer(response: response, body: answer.body, route: route))
            return nil
        }
        throw .failed(failure)
    }

    // MARK: Answers

    /// Processes the answer to the first request, and fetches the other missing parts.
    ///
    /// - Parameter mayBeSplit: whether several parts of the image may be fetched at a time.
    private func process(_ answer: Answer, asked part: ImagePart?, mayBeSplit: Bool) async throws(FetchError) {
        let (response, faults) = (answer.response, answer.route.faults)
        switch (response.status, part) {
        case (200, _), (206, nil):
            guard response.bringsAll else { throw part == nil ? .failed(FetchFaults.changing) : .changed }
            if let byteCount = response.contentLength { try faults.check(byteCount, maxBytes: self.fetcher.maxBytes) }
            // A host may answer the request for a part with the whole image of the same version.
            self.progress.adopt(FetchedVersion(validator: response.validator, byteCount: response.contentLength))
            let all = 0..<(self.progress.version?.byteCount ?? .max)
            let isSplit = mayBeSplit && response.acceptsRanges && response.validator != nil
            try await self.receiveAll(answer, isSplit ? self.cut([all])[0] : all)
        case (206, let part?): try await self.receiveAll(answer, try self.range(of: answer, asked: part))
        case (416, let part?):
            // An earlier attempt had received everything without knowing the length, which the host tells now.
            guard part.version.byteCount == nil, let total = response.contentRange?.total,
                self.progress.ranges == [0..<total]
            else { throw .changed }
        default: throw .failed(faults.failure(for: response))
        }
    }

    private func range(of answer: Answer, asked part: ImagePart) throws(FetchError) -> Range<Int> {
        guard let (range, total) = answer.response.range(asked: part) else { throw .changed }
        try answer.route.faults.check(total, maxBytes: self.fetcher.maxBytes)
        self.progress.adopt(FetchedVersion(validator: part.version.validator, byteCount: total))
        return range
    }

    /// Receives the range of an answer and, concurrently, fetches the other missing ranges.
    private func receiveAll(_ answer: Answer, _ first: Range<Int>) async throws(FetchError) {
        let total = self.progress.version?.byteCount
        let others = self.cut(self.progress.missing(upTo: total ?? first.upperBound, besides: first))
        let stop = await withTaskGroup(of: FetchError?.self) { group in
            var waiting = others[...]
            group.addTask {
                await Self.stop(of: { () throws(FetchError) in try await self.receive(first, of: answer) })
            }
            func begin() {
                guard let range = waiting.popFirst() else { return }
                group.addTask {
                    await Self.stop(of: { () throws(FetchError) in try await self.fetch(range, from: answer.route) })
                }
            }
            for _ in 1..<Limits.fetchRanges { begin() }
            var stop: FetchError?
            for await ended in group {
                stop = stop ?? ended
                switch stop {
                case nil: begin()
                // No further part is begun; current ones finish, so that their bytes are stored.
                case .failed: break
                case .forbidden, .unusable, .changed, .notStored: group.cancelAll()
                }
            }
            return stop
        }
        if let stop { throw stop }
        guard self.progress.missing(upTo: total ?? self.progress.ranges.last?.upperBound ?? 1).isEmpty else {
            throw .changed
        }
    }

    /// Runs a body, and returns the error that stopped it: task groups do not support typed errors.
    private static func stop(of body: () async throws(FetchError) -> Void) async -> FetchError? {
        do throws(FetchError) {
            try await body()
            return nil
        } catch {
            return error
        }
    }

    /// Fetches one range of a version, while others are fetched; a host may send it in several parts.
    private func fetch(_ range: Range<Int>, from route: FetchRoute) async throws(FetchError) {
        var remaining = range
        while !remaining.isEmpty, let version = self.progress.version {
            let part = ImagePart(range: remaining, version: version)
            let location = try await self.get(part, from: route) { (answer) throws(FetchError) in
                guard answer.response.status == 206 else {
                    let failure = route.faults.failure(for: answer.response)
                    // A refusal may concern only the signed address of a redirect, which has expired; so start again.
                    throw failure.failureClass == .rejected ? .changed : .failed(failure)
                }
                let coming = try self.range(of: answer, asked: part)
                try await self.receive(coming, of: answer)
                remaining = coming.upperBound..<remaining.upperBound
            }
            guard location == nil else { throw .changed }
        }
    }

    /// Makes the bytes of a range durable as they come, and checks that the answer ends where the range does.
    private func receive(_ range: Range<Int>, of answer: Answer) async throws(FetchError) {
        let (faults, total) = (answer.route.faults, self.progress.version?.byteCount)
        let (start, isImage) = (range.lowerBound, self.fetcher.isImage)
        var writer = PieceWriter(from: start, progress: self.progress, isImage: isImage, store: self.store)
        do {
            for try await buffer in answer.body {
                let bytes = buffer.readableBytesView.prefix(range.upperBound - writer.position)
                if total == nil { try faults.check(writer.position + bytes.count, maxBytes: self.fetcher.maxBytes) }
                try await writer.write(bytes)
                if writer.position == range.upperBound { break }
                guard self.deadline > .now else { throw FetchError.failed(faults.failure(.deadlineExceeded)) }
            }
        } catch {
            let stop = error as? FetchError ?? faults.stop(for: error, of: answer.response)
            // The bytes received so far are stored if only the connection failed; after other errors they are useless.
            if case .failed = stop { try await writer.flush() }
            throw stop
        }
        try await writer.flush(isEnd: total == nil || writer.position == total)
        guard writer.position == range.upperBound || range.upperBound == .max else {
            throw .failed(faults.failure(.connectionClosed))
        }
        guard total == nil else { return }
        let provesEnd = answer.response.isFramed || answer.response.isPacked
        guard self.progress.ends(at: writer.position) || provesEnd else { throw .changed }
        try faults.check(writer.position, maxBytes: self.fetcher.maxBytes)
    }

    /// Splits ranges into ranges of at most `rangeBytes`; a range with an unknown end stays whole.
    private func cut(_ ranges: [Range<Int>]) -> [Range<Int>] {
        let length = self.fetcher.rangeBytes
        return ranges.flatMap { range in
            guard range.upperBound != .max else { return [range] }
            return stride(from: range.lowerBound, to: range.upperBound, by: length).map {
                $0..<min($0 + length, range.upperBound)
            }
        }
    }
}
