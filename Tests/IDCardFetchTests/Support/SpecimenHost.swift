import Foundation
import IDCardTesting
import Synchronization

/// A server that holds one image and knows ranges, as RFC 9110 has them, until a test changes its answers.
final class SpecimenHost: Sendable {
    /// An answer before it goes out.
    struct Answer: Sendable {
        var status: String
        var headers: [String: String]
        var body: ArraySlice<UInt8>
        /// Whether the connection ends behind it; without, it stays open and silent.
        var closes = true

        /// Loses the end of the body, which stays announced.
        mutating func cut(to count: Int) {
            self.body = self.body.prefix(count)
        }
    }

    /// A request, and the answer that RFC 9110 gives to it.
    typealias Change = @Sendable (_ number: Int, _ request: ReceivedRequest, _ answer: inout Answer) -> Void

    private struct State {
        var image: [UInt8]
        var headers: [String: String]
        var knowsRanges = true
        var sent: [Int] = []
        var change: Change = { _, _, _ in }
    }

    private let state: Mutex<State>
    private let server: Mutex<FaultServer?> = Mutex(nil)

    /// Holds an image with a strong entity tag.
    init(_ image: [UInt8], headers: [String: String] = ["ETag": #""v1""#, "Content-Type": "image/jpeg"]) {
        self.state = Mutex(State(image: image, headers: headers))
    }

    /// The requests, in the order of arrival.
    var received: [ReceivedRequest] { self.server.withLock { $0 }?.received ?? [] }
    /// The bytes of bodies that were sent, by request.
    var sent: [Int] { self.state.withLock { $0.sent } }
    /// The bytes of all bodies.
    var totalSent: Int { self.sent.reduce(0, +) }
    /// The values of `Range`, in the order of arrival.
    var ranges: [String] { self.received.map { $0.header("Range") ?? "-" } }

    /// Holds another image from now on.
    func replace(_ image: [UInt8], headers: [String: String]? = nil) {
        self.state.withLock { state in
            state.image = image
            state.headers = headers ?? state.headers
        }
    }

    /// Ignores ranges from now on.
    func forgetRanges() {
        self.state.withLock { $0.knowsRanges = false }
    }

    /// Changes answers from now on; the numbers go on from the first request.
    func change(_ change: @escaping Change) {
        self.state.withLock { $0.change = change }
    }

    /// Runs a test against the server, on a port of loopback.
    func serve(tls: FaultTLS? = nil, run: (Int) async throws -> Void) async throws {
        var options = FaultServer.Options()
        options.tls = tls
        let server = FaultServer(options: options) { number, _ in
            .answerThen { request in
                let answer = self.answer(number, to: request)
                return (FaultReply(raw: answer.bytes), answer.closes ? .close : .silence)
            }
        }
        self.server.withLock { $0 = server }
        let port = try await server.start()
        do {
            try await run(port)
        } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }

    private func answer(_ number: Int, to request: ReceivedRequest) -> Answer {
        let (change, proper) = self.state.withLock { ($0.change, Self.proper(request, $0)) }
        var answer = proper
        change(number, request, &answer)
        self.state.withLock { $0.sent.append(answer.body.count) }
        return answer
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
        let ends = range.dropFirst("bytes=".count).split(separator: "-", omittingEmptySubsequences: false).map {
            Int($0)
        }
        let first = ends[0] ?? 0
        guard first < image.count else {
            headers["Content-Range"] = "bytes */\(image.count)"
            headers["Content-Length"] = "0"
            return Answer(status: "416 Range Not Satisfiable", headers: headers, body: [])
        }
        let last = min(ends[1] ?? .max, image.count - 1)
        headers["Content-Range"] = "bytes \(first)-\(last)/\(image.count)"
        headers["Content-Length"] = "\(last - first + 1)"
        return Answer(status: "206 Partial Content", headers: headers, body: image[first...last])
    }
}

extension SpecimenHost.Answer {
    /// The whole answer as it goes over the wire.
    fileprivate var bytes: [UInt8] {
        let lines = ["HTTP/1.1 \(self.status)"] + self.headers.map { "\($0.key): \($0.value)" }
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + self.body
    }
}
