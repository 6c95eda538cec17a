import Foundation
import IDCardTesting
import ServiceLifecycle
import Testing

@testable import IDCardServer

/// The end: what is under way is finished, what is left is cut off, nothing new is taken.
@Suite(.timeLimit(.minutes(Sanitizer.minutes(1))))
struct ShutdownTests {
    @Test("A request under way is answered after the end was asked for, and an idle connection ends")
    func graceful() async throws {
        try await ServerHarness.with { (harness) async throws in
            harness.intake.gate.close()
            try await harness.connected { (idle) async throws in
                try await idle.send(RawRequest("GET", "/healthz").bytes)
                #expect(try await idle.response()?.status == 200)
                let request = RawRequest.image(Specimen.jpeg(), token: ServerHarness.submit.reveal())
                async let answer = harness.send(request)
                await harness.intake.arrivals.wait(for: 1)
                await harness.group.triggerGracefulShutdown()
                // The end of the idle connection tells that the end has begun.
                #expect(try await idle.response()?.status == nil)
                await #expect(throws: (any Error).self) { try await harness.send(RawRequest("GET", "/healthz")) }
                harness.intake.gate.open()
                #expect(try await answer.status == 202)
            }
        }
    }

    @Test("What is not done when the grace is over is cut off")
    func cutOff() async throws {
        try await ServerHarness.with({ $0.shutdownGrace = .milliseconds(100) }) { (harness) async throws in
            let request = RawRequest.image(Specimen.jpeg(), token: ServerHarness.submit.reveal())
            try await harness.connected { (connection) async throws in
                try await connection.send(request.head)
                try await connection.send(Specimen.jpeg().prefix(100))
                // The first bytes have been read once there is a spool.
                while harness.spooling.now.made == 0 { await Task.yield() }
                await harness.group.triggerGracefulShutdown()
                _ = try await connection.end()
            }
            #expect(harness.intake.receptions.isEmpty)
        }
    }
}
