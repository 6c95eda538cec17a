import AsyncHTTPClient
import CardModel
import Foundation
import NIOCore
import NIOHTTP1

/// One attempt to fetch what is missing of an image.
struct FetchAttempt: Sendable {
    /// A part of an image that is asked for, and how the answer is told from another version.
    struct Part: Sendable {
        var range: Range<Int>
        var validator: String?
    }

    let fetcher: ImageFetcher
    let keep: KeepPiece
    let end: ContinuousClock.Instant

    /// Fetches all that is missing; what came is durable also when it throws.
    func run(_ request: FetchRequest) async throws(FetchStop) {
        let progress = FetchProgress(request)
        var restarts = 0
        while true {
            do throws(FetchStop) {
                return try await self.fetch(request.address.reveal(), progress, asksForAll: restarts > 0)
            } catch {
                guard case .changed = error, restarts < Limits.fetchRestarts else { throw error }
                restarts += 1
            }
        }
    }

    /// Asks for the image, or for the first part that is missing, and by the answer for the others.
    private func fetch(_ url: String, _ progress: FetchProgress, asksForAll: Bool) async throws(FetchStop) {
        var part: Part?
        if let version = progress.version, !progress.ranges.isEmpty, !asksForAll {
            guard let missing = progress.missing(upTo: version.byteCount ?? .max).first else { return }
            part = Part(range: self.cut([missing])[0], validator: version.validator)
        }
        let (hosts, target, label) = try await self.resolved(url)
        try await self.follow(hosts, target, label: label, part: part, hop: 0) {
            [part] (response, body, host, target, faults) throws(FetchStop) in
            try await self.take(response, body, asked: part, progress, from: host, target, faults)
        }
    }

    private typealias Take =
        @Sendable (
            FetchResponse, HTTPClientResponse.Body, CheckedHost, FetchTarget, FetchFaults
        ) async throws(FetchStop) -> Void

    /// Sends the first request, and again wherever a host sends to by the rules.
    private func follow(
        _ hosts: [CheckedHost],
        _ target: FetchTarget,
        label: String,
        part: Part?,
        hop: Int,
        _ take: @escaping Take
    ) async throws(FetchStop) {
        let faults = FetchFaults(label: label, usesTLS: target.usesTLS)
        let next = try await self.get(target, part, from: hosts, faults) {
            (response, body, host) throws(FetchStop) -> String? in
            if [301, 302, 303, 307, 308].contains(response.status) { return response.location ?? "" }
            try await take(response, body, host, target, faults)
            return nil
        }
        guard let next else { return }
        guard hop < self.fetcher.rules.maximumRedirects else {
            let limit = self.fetcher.rules.maximumRedirects
            throw Self.redirectRefusal(
                "\(label) sends elsewhere, and fetch.max_redirects is \(limit); use the URL it leads to, or raise it"
            )
        }
        guard !next.isEmpty, let url = URL(string: next, relativeTo: URL(string: target.url))?.absoluteString else {
            throw Self.redirectRefusal("\(label) sends elsewhere without a usable address; use another URL")
        }
        let (nextHosts, nextTarget, nextLabel) = try await self.resolved(url)
        guard nextTarget.usesTLS || !target.usesTLS else {
            throw Self.redirectRefusal("\(label) sends from https to http, which is not followed; use another URL")
        }
        try await self.follow(nextHosts, nextTarget, label: nextLabel, part: part, hop: hop + 1, take)
    }

    private static func redirectRefusal(_ message: Message) -> FetchStop {
        .forbidden(CodedError(.fetchRedirectRefused, .input, message))
    }

    /// Checks a URL, resolves its host and checks every address: one that is forbidden refuses them all, for whoever
    /// answers so means that one.
    private func resolved(_ url: String) async throws(FetchStop) -> ([CheckedHost], FetchTarget, String) {
        let (target, label): (FetchTarget, String)
        do { (target, label) = try self.fetcher.rules.check(url) } catch { throw .forbidden(error) }
        let addresses: [IPAddress]
        do {
            addresses =
                switch target.host {
                case .address(let address): [address]
                case .name(let name): try await self.fetcher.resolver.resolve(name)
                }
        } catch {
            throw .failed(FetchFaults(label: label, usesTLS: target.usesTLS).failure(.dns))
        }
        for address in addresses {
            guard let special = self.fetcher.rules.addresses.refusal(of: address) else { continue }
            throw .forbidden(
                CodedError(
                    .fetchAddressRefused,
                    .input,
                    """
                    \(label) has an address of the kind '\(special.displayName)', which is not connected to; if this is \
                    meant, add the block to fetch.allow_addresses
                    """
                )
            )
        }
        return (
            addresses.prefix(Limits.fetchAddresses).map { CheckedHost(host: target.host, address: $0) }, target, label
        )
    }

    // MARK: Requests

    /// Sends a request to the first address that takes it, and hands the response on.
    private func get<Value: Sendable>(
        _ target: FetchTarget,
        _ part: Part?,
        from hosts: [CheckedHost],
        _ faults: FetchFaults,
        _ body: @Sendable (FetchResponse, HTTPClientResponse.Body, CheckedHost) async throws(FetchStop) -> Value
    ) async throws(FetchStop) -> Value {
        var failure = faults.failure(.dns)
        for host in hosts {
            let result: Result<Value, RemoteFailure>
            do {
                result = try await self.fetcher.clients.withClient(of: host) { client in
                    let response: HTTPClientResponse
                    do {
                        response = try await client.execute(Self.request(target, part), deadline: self.deadline)
                    } catch {
                        return .failure(faults.failure(for: error, phase: .notSent))
                    }
                    return .success(
                        try await body(FetchResponse(response, now: Timestamp(Date())), response.body, host)
                    )
                }
            } catch {
                throw error as? FetchStop ?? .failed(faults.failure(for: error, phase: .afterSend))
            }
            switch result {
            case .success(let value): return value
            case .failure(let next):
                // Only an address that took no connection is passed over.
                guard next.failureClass == .notSent, !Task.isCancelled else { throw .failed(next) }
                failure = next
            }
        }
        throw .failed(failure)
    }

    private var deadline: NIODeadline { .now() + TimeAmount(max(self.end - .now, .zero)) }

    private static func request(_ target: FetchTarget, _ part: Part?) -> HTTPClientRequest {
        var request = HTTPClientRequest(url: target.url)
        request.headers = [
            "User-Agent": "idcard-pipeline", "Accept": "image/*, */*;q=0.5", "Accept-Encoding": "identity",
        ]
        if let part {
            let last = part.range.upperBound == .max ? "" : "\(part.range.upperBound - 1)"
            request.headers.add(name: "Range", value: "bytes=\(part.range.lowerBound)-\(last)")
            if let validator = part.validator { request.headers.add(name: "If-Range", value: validator) }
        }
        return request
    }

    // MARK: Answers

    private func take(
        _ response: FetchResponse,
        _ body: HTTPClientResponse.Body,
        asked part: Part?,
        _ progress: FetchProgress,
        from host: CheckedHost,
        _ target: FetchTarget,
        _ faults: FetchFaults
    ) async throws(FetchStop) {
        switch (response.status, part, progress.version) {
        case (200, _, _):
            let total = response.contentLength
            try faults.check(response, byteCount: total, maxBytes: self.fetcher.maxBytes)
            // Asked for a part, a host may send all of the same version.
            progress.adopt(FetchedVersion(validator: response.validator, byteCount: total))
            let canSplit = response.acceptsRanges && response.validator != nil
            let first = canSplit ? self.cut([0..<(total ?? .max)])[0] : 0..<(total ?? .max)
            try await self.takeAll(first, body, progress, total: total, from: host, target, faults)
        case (206, let part?, let version?):
            let (bytes, total) = try Self.checked(response, part, of: version)
            try faults.check(response, byteCount: total, maxBytes: self.fetcher.maxBytes)
            try await self.takeAll(bytes, body, progress, total: total, from: host, target, faults)
        case (416, let part?, let version?):
            // The last attempt had brought everything, and only its end had not been announced.
            let isWhole = version.byteCount == nil && response.contentRange?.total == part.range.lowerBound
            if !isWhole { throw .changed }
        case (206, _, _): throw .failed(faults.changing)
        default: throw .failed(faults.failure(for: response))
        }
    }

    /// Checks that a 206 is the answer to the part that was asked for, of the same version.
    ///
    /// - Returns: the bytes that come, which may be fewer than asked for, and how many there are in all.
    private static func checked(
        _ response: FetchResponse,
        _ part: Part,
        of version: FetchedVersion
    ) throws(FetchStop) -> (Range<Int>, total: Int) {
        guard let answer = response.contentRange, let bytes = answer.bytes, let total = answer.total,
            bytes.lowerBound == part.range.lowerBound, bytes.upperBound <= part.range.upperBound,
            response.contentLength ?? bytes.count == bytes.count,
            // An image in crumbs would fill the sandbox with rows.
            bytes.upperBound == min(part.range.upperBound, total) || bytes.count >= Limits.chunkBytes,
            version.byteCount ?? total == total,
            // A host need not repeat the validator; one that names another one has changed its mind.
            (response.entityTag ?? response.validator).map({ $0 == version.validator }) ?? true
        else { throw .changed }
        return (bytes, total)
    }

    /// Takes the part that is there and, beside it, fetches the others that are missing.
    private func takeAll(
        _ first: Range<Int>,
        _ body: HTTPClientResponse.Body,
        _ progress: FetchProgress,
        total: Int?,
        from host: CheckedHost,
        _ target: FetchTarget,
        _ faults: FetchFaults
    ) async throws(FetchStop) {
        let others = progress.missing(upTo: total ?? first.upperBound, besides: first)
        let stop = await withTaskGroup(of: FetchStop?.self) { group in
            var waiting = self.cut(others)[...]
            group.addTask {
                await Self.stop(of: { () throws(FetchStop) in
                    try await self.receive(first, body, progress, total: total, faults)
                })
            }
            func begin() {
                guard let range = waiting.popFirst() else { return }
                group.addTask {
                    await Self.stop(of: { () throws(FetchStop) in
                        try await self.fetch(range, progress, total: total, from: host, target, faults)
                    })
                }
            }
            for _ in 1..<Limits.fetchRanges { begin() }
            var stop: FetchStop?
            // After a failure no further part begins; those under way come to their end, so what they bring is kept.
            for await ended in group {
                stop = stop ?? ended
                if stop == nil { begin() }
            }
            return stop
        }
        if let stop { throw stop }
        guard progress.missing(upTo: total ?? progress.ranges.last?.upperBound ?? 1).isEmpty else { throw .changed }
    }

    private static func stop(of body: () async throws(FetchStop) -> Void) async -> FetchStop? {
        do throws(FetchStop) {
            try await body()
            return nil
        } catch {
            return error
        }
    }

    /// Fetches one part of a version beside others.
    private func fetch(
        _ range: Range<Int>,
        _ progress: FetchProgress,
        total: Int?,
        from host: CheckedHost,
        _ target: FetchTarget,
        _ faults: FetchFaults
    ) async throws(FetchStop) {
        guard let version = progress.version else { throw .changed }
        let part = Part(range: range, validator: version.validator)
        try await self.get(target, part, from: [host], faults) { (response, body, _) throws(FetchStop) in
            // All of it instead of a part: the version has changed.
            guard response.status != 200, response.status != 416 else { throw .changed }
            guard response.status == 206 else { throw .failed(faults.failure(for: response)) }
            let bytes = try Self.checked(response, part, of: version).0
            try await self.receive(bytes, body, progress, total: total, faults)
        }
    }

    /// Makes the bytes of a part durable as they come.
    private func receive(
        _ range: Range<Int>,
        _ body: HTTPClientResponse.Body,
        _ progress: FetchProgress,
        total: Int?,
        _ faults: FetchFaults
    ) async throws(FetchStop) {
        var writer = PieceWriter(
            from: range.lowerBound,
            progress: progress,
            isImage: self.fetcher.isImage,
            keep: self.keep
        )
        do {
            for try await buffer in body {
                let left = range.upperBound - writer.position
                try await writer.write(
                    buffer.getSlice(at: buffer.readerIndex, length: min(left, buffer.readableBytes))!
                )
                if total == nil { try faults.check(writer.position, maxBytes: self.fetcher.maxBytes) }
                if writer.position >= range.upperBound { break }
                guard self.end > .now else { throw FetchStop.failed(faults.failure(.deadlineExceeded)) }
            }
        } catch {
            let stop = error as? FetchStop ?? .failed(faults.failure(for: error, phase: .afterSend))
            // What has come is kept, unless it cannot be or is of no use.
            if case .failed = stop { try await writer.flush() }
            throw stop
        }
        let isEnd = total == nil || writer.position == total
        try await writer.flush(isEnd: isEnd)
        guard writer.position >= range.upperBound || total == nil && range.upperBound == .max else {
            throw .failed(faults.failure(.connectionClosed))
        }
        if total == nil { try faults.check(writer.position, maxBytes: self.fetcher.maxBytes) }
    }

    /// Cuts ranges into such of at most as many bytes as come in one request.
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
