import CardModel
import Foundation
import Logging
import ServiceLifecycle
import TestSupport
import Testing

@testable import CardServer

/// The end: what is under way is finished, what is left is cut off, nothing new is taken, and nothing traps.
@Suite(.timeLimit(.minutes(5))) struct EndingTests {
    @Test func `a request under way is answered after the end was asked for, an idle connection ends`() async throws {
        try await ServerHarness.with { (harness) async throws in
            harness.intake.gate.close()
            try await harness.connected { (idle) async throws in
                try await idle.send(RawRequest("GET", "/healthz").bytes)
                #expect(try await idle.response()?.status == 200)
                async let answer = harness.send(RawRequest.image(Specimen.jpeg(), token: "submitter"))
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

    @Test func `what is not done when the time is over is cut off`() async throws {
        try await ServerHarness.with({ $0.shutdownTimeout = .milliseconds(100) }) { (harness) async throws in
            let request = RawRequest.image(Specimen.jpeg(), token: "submitter", headers: [("Expect", "100-continue")])
            try await harness.connected { (connection) async throws in
                try await connection.send(request.head)
                // The body is being read once it was asked for.
                #expect(try await connection.response()?.status == 100)
                await harness.group.triggerGracefulShutdown()
                _ = try await connection.end()
            }
            #expect(try await harness.cards().isEmpty)
        }
    }

    @Test(arguments: [true, false])
    func `fifty ends under clients that connect trap nothing`(isCancelled: Bool) async throws {
        let intake = ServerHarness.Intake()
        try await ServerHarness.withEngine(intake, isWorking: false) { (store, engine) async throws in
            for _ in 0..<25 {
                let (bound, announce) = AsyncStream.makeStream(of: Int.self)
                var configuration = CardServer.Configuration()
                configuration.port = 0
                let server = try CardServer(
                    configuration: configuration,
                    ports: ServerHarness.ports(store, engine, intake),
                    logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
                    onRunning: { announce.yield($0) }
                )
                try await self.endUnderClients(server, bound, isCancelled: isCancelled)
            }
        }
    }

    /// Runs a server, has clients connect without a pause, ends it among them, and returns once it has ended.
    private func endUnderClients(_ server: CardServer, _ bound: AsyncStream<Int>, isCancelled: Bool) async throws {
        let group = ServiceGroup(services: [server], logger: Logger(label: "group") { _ in SwiftLogNoOpLogHandler() })
        let running = Task { try await group.run() }
        let port = try #require(await bound.first { _ in true })
        let answers = AsyncSignal()
        let isOver = ServerHarness.Mutexed(false)
        await withTaskGroup(of: Void.self) { clients in
            for _ in 0..<8 {
                clients.addTask {
                    while !isOver.withLock({ $0 }) {
                        let status = try? await RawConnection.with(port: port) { (connection) async throws -> Int? in
                            try await connection.send(RawRequest("GET", "/healthz").bytes)
                            return try await connection.response()?.status
                        }
                        #expect(status == nil || status == 200)
                        if status == 200 { answers.signal() }
                    }
                }
            }
            await answers.wait(for: 20)
            if isCancelled { running.cancel() } else { await group.triggerGracefulShutdown() }
            _ = await running.result
            isOver.withLock { $0 = true }
        }
    }
}
