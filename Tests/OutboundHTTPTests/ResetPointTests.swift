import Foundation
import IDCardCore
import IDCardTesting
import MultipartForm
import Synchronization
import Testing

@testable import OutboundHTTP

/// A connection that breaks at every kind of place, and what can be said of it.
@Suite(.timeLimit(.minutes(Sanitizer.minutes(1))))
struct ResetPointTests {
    /// The kinds of places, and how far into each the connection breaks.
    enum Place: String, CaseIterable {
        case head
        case boundary
        case partHeader
        case body
        case lastBoundary
        case afterBody
    }

    private func form() throws -> MultipartForm {
        // Long enough not to lie in the buffers, so that a break in the middle meets the sender in the middle.
        try makeForm(fileBytes: 4 << 20)
    }

    /// Measures the head of the request that this client sends.
    private func headLength() async throws -> Int {
        var length = 0
        let form = try self.form()
        try await withFaultServer(.reply(FaultReply())) { server, port in
            _ = try await withClient { try await post(form, port: port, with: $0) }
            length = try #require(server.received.first).headLength
        }
        return length
    }

    @Test(
        "Wherever the connection breaks, the attempt has been sent and the next one is whole",
        arguments: Place.allCases
    )
    func everywhere(place: Place) async throws {
        let head = try await self.headLength()
        let form = try self.form()
        let total = head + Int(form.contentLength)
        let counts: [Int] =
            switch place {
            case .head: [1, head - 1]
            case .boundary: [head, head + 10]
            case .partHeader: [head + 60]
            case .body: [head + 1000, head + (2 << 20)]
            case .lastBoundary: [total - 3]
            case .afterBody: [total]
            }
        for count in counts {
            let reset = FaultScript.reset(at: .connectionByte(count))
            try await withFaultServer(reset, .reply(FaultReply())) { server, port in
                let exchanges = try await withClient { client in
                    let first = try await post(form, port: port, with: client)
                    return [first, try await post(form, port: port, with: client)]
                }
                let failure = try #require(exchanges[0].failure)
                #expect(failure.code == .connectionReset || failure.code == .connectionClosed)
                #expect(failure.phase == .afterSend)
                #expect(failure.remoteFailure(afterSend: .transient).failureClass == .transient)
                #expect(exchanges[1].reply?.status == 200)
                #expect(server.requests == 2)
                #expect(server.received.last?.isComplete == true)
                #expect(server.received.last.map { $0.connection } == 1)
            }
        }
    }

    @Test("A request that is committed before its answer is lost has been sent", arguments: FaultScript.Ending.allCases)
    func commit(ending: FaultScript.Ending) async throws {
        let ledger = Ledger()
        let commit = FaultScript.commit({ ledger.take($0) }, then: ending)
        let again = FaultScript.answer { request in
            FaultReply.json(#"{"RETCODE":"\#(ledger.take(request) ? "000000" : "ALREADY")"}"#)
        }
        try await withFaultServer(commit, again) { server, port in
            let form = try makeForm(fileBytes: 300_000)
            let headers = [(name: "Idempotency-Key", value: #""8e03978e-40d5""#)]
            let deadline: Duration = .seconds(ending == .silence ? 10 : 20)
            let exchanges = try await withClient { client in
                let first = try await post(form, port: port, with: client, headers: headers, deadline: deadline)
                return [first, try await post(form, port: port, with: client, headers: headers)]
            }
            let failure = try #require(exchanges[0].failure)
            #expect(failure.phase == .afterSend)
            #expect(failure.remoteFailure(afterSend: .unknown).failureClass == .unknown)
            if ending == .silence { #expect(failure.code == .deadlineExceeded) }
            #expect(exchanges[1].reply.map { String(decoding: $0.body, as: UTF8.self) } == #"{"RETCODE":"ALREADY"}"#)
            #expect(ledger.documents == 1)
            try #require(server.received.count == 2)
            #expect(server.received[0].body == server.received[1].body)
        }
    }

    @Test("Redirects with a body are reported and followed by nobody", arguments: [301, 302, 303, 307, 308])
    func redirects(status: Int) async throws {
        try await withFaultServer(.reply(FaultReply())) { elsewhere, otherPort in
            let location = "Location: http://127.0.0.1:\(otherPort)/elsewhere"
            try await withFaultServer(.reply(FaultReply("\(status) Moved", headers: [location]))) { server, port in
                let reply = try await withClient { try await post(makeForm(), port: port, with: $0).reply }
                #expect(reply?.status == status)
                #expect(reply?.isComplete == true)
                #expect(server.requests == 1)
            }
            #expect(elsewhere.connections == 0)
        }
    }
}

/// Documents by idempotency key.
private final class Ledger: Sendable {
    private let keys = Mutex<Set<String>>([])

    var documents: Int { self.keys.withLock { $0.count } }

    /// Takes a document; returns whether it is new.
    @discardableResult
    func take(_ request: ReceivedRequest) -> Bool {
        self.keys.withLock { $0.insert(request.header("Idempotency-Key") ?? "").inserted }
    }
}
