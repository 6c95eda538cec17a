import Foundation
import IDCardCore
import IDCardTesting
import MultipartForm
import NIOCore
import NIOPosix
import Testing

@testable import OutboundHTTP

/// The four timeouts and the wait for a connection, each with its own name.
@Suite(.timeLimit(.minutes(Sanitizer.minutes(1))))
struct TimeoutTests {
    /// A body of more bytes than the buffers of both sockets hold.
    private func largeForm() throws -> MultipartForm {
        try makeForm(fileBytes: 16 << 20)
    }

    @Test("A server that stops reading ends with the idle timeout for writing", arguments: [0, 1_000_000])
    func idleWrite(bodyBytes: Int) async throws {
        var configuration = OutboundHTTPClient.Configuration()
        configuration.idleWriteTimeout = .milliseconds(300)
        configuration.idleReadTimeout = .milliseconds(10)
        try await withFaultServer(.stall(at: .bodyByte(bodyBytes))) { _, port in
            let failure = try await withClient(configuration) {
                try await post(self.largeForm(), port: port, with: $0).failure
            }
            #expect(failure?.code == .idleWriteTimeout)
            #expect(failure?.phase == .afterSend)
            #expect(failure?.message.contains("took nothing of the request for too long") == true)
        }
    }

    @Test("A server that reads slowly is waited for: every byte it takes sets the clock back")
    func slowIsNotIdle() async throws {
        var configuration = OutboundHTTPClient.Configuration()
        configuration.idleWriteTimeout = .seconds(2)
        var options = FaultServer.Options()
        options.receiveBufferBytes = 65_536
        // Two megabytes in 128 steps of 40 ms take more than twice the timeout; meanwhile the kernel's buffers, once
        // full, take nothing more for longer than it. The rest is read at once.
        let slow = SlowReading(bytesPerStep: 16_384, stepMilliseconds: 40, slowBytes: 2 << 20)
        try await withFaultServer(.slow(slow, reply: FaultReply()), options: options) { server, port in
            let form = try self.largeForm()
            let reply = try await withClient(configuration) {
                try await post(form, port: port, with: $0, deadline: .seconds(50)).reply
            }
            #expect(reply?.status == 200)
            #expect(server.received.first.map { UInt64($0.bodyLength) } == form.contentLength)
        }
    }

    @Test("The deadline ends also a request that makes progress: in the body and in a dripping reply")
    func deadline() async throws {
        var options = FaultServer.Options()
        options.receiveBufferBytes = 65_536
        let slow = SlowReading(bytesPerStep: 1024, stepMilliseconds: 20)
        let reply = FaultReply(body: String(repeating: "x", count: 10_000))
        for script in [FaultScript.slow(slow, reply: reply), .drip(reply, pauseMilliseconds: 20)] {
            try await withFaultServer(script, options: options) { _, port in
                var configuration = OutboundHTTPClient.Configuration()
                configuration.idleReadTimeout = .seconds(20)
                var failure: HTTPFailure?
                // On a busy machine the first one may end before there is a connection.
                for deadline in [Duration.seconds(8), .seconds(60)] where failure.map({ $0.phase == .notSent }) ?? true
                {
                    failure = try await withClient(configuration) {
                        try await post(self.largeForm(), port: port, with: $0, deadline: deadline).failure
                    }
                    #expect(failure?.code == .deadlineExceeded)
                }
                #expect(failure?.phase == .afterSend)
            }
        }
    }

    @Test("A reply that drips resets the idle timeout for reading, and one that stops does not")
    func idleRead() async throws {
        var configuration = OutboundHTTPClient.Configuration()
        configuration.idleReadTimeout = .seconds(3)
        let reply = FaultReply(body: "0123456789")
        try await withFaultServer(.drip(reply, pauseMilliseconds: 20)) { _, port in
            let exchange = try await withClient(configuration) { try await post(makeForm(), port: port, with: $0) }
            #expect(exchange.reply?.body == Data("0123456789".utf8))
        }
        let half = FaultReply(raw: "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf")
        try await withFaultServer(.reply(half)) { _, port in
            let failure = try await withClient(configuration) {
                try await post(makeForm(), port: port, with: $0).failure
            }
            #expect(failure?.code == .idleTimeout)
            #expect(failure?.phase == .afterSend)
        }
    }

    @Test("The wait for a connection has its own limit, and the deadline holds in it, too", arguments: [true, false])
    func pool(isDeadline: Bool) async throws {
        var configuration = OutboundHTTPClient.Configuration()
        configuration.maximumConnectionsPerHost = 1
        configuration.poolTimeout = isDeadline ? .seconds(20) : .milliseconds(300)
        let (requests, atHead) = AsyncStream.makeStream(of: Void.self)
        try await withFaultServer(.atHead({ atHead.yield() }, reply: FaultReply(raw: ""))) { server, port in
            let failure = try await withClient(configuration) { client in
                try await withThrowingTaskGroup(of: HTTPFailure?.self) { group in
                    group.addTask { try await post(makeForm(), port: port, with: client).failure }
                    for await _ in requests { break }
                    let deadline: Duration = isDeadline ? .milliseconds(300) : .seconds(20)
                    let second = try await post(makeForm(), port: port, with: client, deadline: deadline).failure
                    group.cancelAll()
                    return second
                }
            }
            #expect(failure?.code == (isDeadline ? .deadlineExceeded : .poolTimeout))
            #expect(failure?.phase == .notSent)
            #expect(server.connections == 1)
        }
    }

    @Test("Who waits for a connection gets it when it is free, in the order of arrival; who is cancelled waits no more")
    func gate() async throws {
        let gate = ConnectionGate(limit: 1, loop: MultiThreadedEventLoopGroup.singleton.any())
        try await gate.enter("a:1", timeout: .seconds(20))
        try await gate.enter("b:1", timeout: .seconds(20))
        await #expect(throws: ConnectionGate.Refusal.timeout) { try await gate.enter("a:1", timeout: .milliseconds(1)) }
        await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                do throws(ConnectionGate.Refusal) {
                    try await gate.enter("a:1", timeout: .seconds(20))
                    return false
                } catch {
                    return error == .interrupted
                }
            }
            group.cancelAll()
            #expect(await group.next() == true)
        }
        gate.leave("a:1")
        try await gate.enter("a:1", timeout: .seconds(20))
        gate.close()
        await #expect(throws: ConnectionGate.Refusal.interrupted) { try await gate.enter("a:1", timeout: .seconds(20)) }
    }
}
