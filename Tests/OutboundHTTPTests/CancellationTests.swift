import Foundation
import IDCardTesting
import MultipartForm
import Synchronization
import Testing

@testable import OutboundHTTP

/// Interrupted is not failed.
@Suite(.timeLimit(.minutes(Sanitizer.minutes(1))))
struct CancellationTests {
    @Test("A task cancelled while the request is under way ends as cancelled, after the sending")
    func cancelled() async throws {
        let (heads, atHead) = AsyncStream.makeStream(of: Void.self)
        try await withFaultServer(.atHead({ atHead.yield() }, reply: FaultReply(raw: ""))) { _, port in
            let phase = try await withClient { client in
                try await withThrowingTaskGroup(of: HTTPPhase?.self) { group in
                    group.addTask {
                        guard case .cancelled(let phase) = try await post(makeForm(), port: port, with: client) else {
                            return nil
                        }
                        return phase
                    }
                    for await _ in heads { break }
                    group.cancelAll()
                    return try await group.next() ?? nil
                }
            }
            #expect(phase == .afterSend)
        }
    }

    @Test("A task that was cancelled before sends nothing")
    func cancelledBefore() async throws {
        try await withFaultServer(.reply(FaultReply("200 OK"))) { server, port in
            let phase = try await withClient { client in
                try await withThrowingTaskGroup(of: HTTPPhase?.self) { group in
                    group.cancelAll()
                    group.addTask {
                        guard case .cancelled(let phase) = try await post(makeForm(), port: port, with: client) else {
                            return nil
                        }
                        return phase
                    }
                    return try await group.next() ?? nil
                }
            }
            #expect(phase == .notSent)
            #expect(server.connections == 0)
        }
    }

    @Test("A client that was shut down ends requests as cancelled, and may be shut down again")
    func shutDown() async throws {
        let client = OutboundHTTPClient()
        await client.shutdown()
        await client.shutdown()
        let exchange = try await post(makeForm(), port: 9, with: client)
        guard case .cancelled(.notSent) = exchange else {
            Issue.record("expected cancelled, got \(exchange)")
            return
        }
    }
}
