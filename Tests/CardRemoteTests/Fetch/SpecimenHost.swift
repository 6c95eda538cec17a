import CardModel
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import CardRemote

/// A server that holds one image and knows ranges, as RFC 9110 has them, until a test changes its answers.
final class SpecimenHost: Sendable {
    /// An answer before it goes out.
    struct Answer: Sendable {
        var status: String
        var headers: [String: String]
        var body: ArraySlice<UInt8>
        /// How the connection ends behind it; without, the next request may come.
        var ending: FaultScript.Ending?

        /// Loses the end of the body, which stays announced, and the connection.
        mutating func cut(to count: Int) {
            self.body = self.body.prefix(count)
            self.ending = .close
        }

        /// Becomes an answer without body.
        mutating func become(_ status: String, _ headers: [String: String] = [:]) {
            self.status = status
            self.headers = headers.merging(["Content-Length": "0"]) { own, _ in own }
            self.body = []
        }

        /// The whole answer as it goes over the wire.
        fileprivate var reply: FaultReply {
            let lines = ["HTTP/1.1 \(self.status)"] + self.headers.map { "\($0.key): \($0.value)" }
            return FaultReply(raw: Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + self.body)
        }
    }

    /// A request, and the answer that RFC 9110 gives to it.
    typealias Change = @Sendable (_ number: Int, _ request: ReceivedRequest, _ answer: inout Answer) -> Void

    private struct State {
        var image: [UInt8]
        var headers: [String: String]
        var knowsRanges = true
        var change: Change = { _, _, _ in }
        var server: FaultServer?
        /// What came to earlier servers of the image.
        var past: [ReceivedRequest] = []
    }

    private let state: Mutex<State>
    /// What attempts have kept of it.
    let box = PieceBox()

    static let headers = ["ETag": #""v1""#, "Content-Type": "image/jpeg", "Accept-Ranges": "bytes"]

    /// Holds an image with a strong entity tag.
    init(_ image: [UInt8], headers: [String: String] = SpecimenHost.headers) {
        self.state = Mutex(State(image: image, headers: headers))
    }

    /// The requests, in the order of arrival.
    var received: [ReceivedRequest] { self.state.withLock { $0.past + ($0.server?.received ?? []) } }
    /// How many connections were opened to the server that runs, or ran last.
    var connections: Int { self.state.withLock { $0.server }?.connections ?? 0 }
    /// The values of `Range`, in the order of arrival.
    var ranges: [String] { self.received.map { $0.header("Range") ?? "-" } }

    /// Holds another image from now on.
    func replace(_ image: [UInt8], headers: [String: String]? = nil) {
        self.state.withLock { state in
            state.image = image
            state.headers = headers ?? state.headers
        }
    }

    func forgetRanges() { self.state.withLock { $0.knowsRanges = false } }

    /// Changes answers from now on; the numbers go on from the first request.
    func change(_ change: @escaping Change) { self.state.withLock { $0.change = change } }

    /// Runs a test against the server, on a port of loopback.
    func serve<Value>(tls: FaultTLS? = nil, run: (Int) async throws -> Value) async throws -> Value {
        var options = FaultServer.Options()
        options.tls = tls
        let earlier = self.received
        let server = FaultServer(options: options) { number, _ in
            .answerThen { request in
                let (change, proper) = self.state.withLock { ($0.change, Self.proper(request, $0)) }
                var answer = proper
                change(earlier.count + number, request, &answer)
                return (answer.reply, answer.ending)
            }
        }
        self.state.withLock { ($0.server, $0.past) = (server, earlier) }
        return try await server.listening(run)
    }

    /// Makes attempts on the image, each with a fetcher of its own, as after a restart.
    ///
    /// - Parameter between: called between the attempts.
    /// - Returns: the outcome of the last one.
    @discardableResult
    func fetch(
        attempts: Int = 1,
        maxBytes: Int = 50_000_000,
        times: ImageFetcher.Times = ImageFetcher.Times(),
        between: (FetchOutcome) async throws -> Void = { _ in }
    ) async throws -> FetchOutcome {
        var outcome: FetchOutcome?
        try await self.serve { port in
            for _ in 0..<attempts {
                if let outcome { try await between(outcome) }
                let settings = Specimen.settings(port: port)
                outcome = try await Specimen.withFetcher(settings, maxBytes: maxBytes, times: times) {
                    try await self.box.fetch(Specimen.url(port: port), with: $0)
                }
            }
        }
        return try #require(outcome)
    }

    /// Expects that the last of some attempts has an image, by default what the host holds by then.
    func expectImage(
        _ expected: [UInt8]? = nil,
        attempts: Int = 1,
        keptOnce: Bool = false,
        at location: SourceLocation = #_sourceLocation,
        between: (FetchOutcome) async throws -> Void = { _ in }
    ) async throws {
        let outcome = try await self.fetch(attempts: attempts, between: between)
        let image = expected ?? self.state.withLock { $0.image }
        #expect(outcome.isFetched, sourceLocation: location)
        #expect(await self.box.image == image, sourceLocation: location)
        if keptOnce { #expect(await self.box.bytesKept == image.count, sourceLocation: location) }
    }

    private static func proper(_ request: ReceivedRequest, _ state: State) -> Answer {
        let image = state.image
        var headers = state.headers
        let validators = [headers["ETag"], headers["Last-Modified"]].compactMap { $0 }
        let isCurrent = request.header("If-Range").map { validators.contains($0) } ?? true
        guard state.knowsRanges, isCurrent, let range = request.header("Range") else {
            headers["Content-Length"] = "\(image.count)"
            return Answer(status: "200 OK", headers: headers, body: image[...])
        }
        let ends = range.dropFirst("bytes=".count).split(separator: "-", omittingEmptySubsequences: false)
        let first = Int(ends[0]) ?? 0
        guard first < image.count else {
            headers["Content-Range"] = "bytes */\(image.count)"
            headers["Content-Length"] = "0"
            return Answer(status: "416 Range Not Satisfiable", headers: headers, body: [])
        }
        let last = min(Int(ends[1]) ?? .max, image.count - 1)
        headers["Content-Range"] = "bytes \(first)-\(last)/\(image.count)"
        headers["Content-Length"] = "\(last - first + 1)"
        return Answer(status: "206 Partial Content", headers: headers, body: image[first...last])
    }
}
