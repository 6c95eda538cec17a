import Foundation
import IDCardTesting
import Testing

@testable import IDCardServer

/// Many connections at once: those beyond the limit are told so, those that do nothing end, everybody else is served.
@Suite(.timeLimit(.minutes(Sanitizer.minutes(2))), .serialized)
struct CrowdTests {
    @Test("A connection beyond the limit is told so at once, and has room again when one has gone")
    func limit() async throws {
        try await ServerHarness.with({ $0.connections.connections = 2 }) { (harness) async throws in
            try await harness.connected { (first) async throws in
                try await first.send(RawRequest("GET", "/healthz").bytes)
                #expect(try await first.response()?.status == 200)
                try await harness.connected { (second) async throws in
                    try await second.send(RawRequest("GET", "/healthz").bytes)
                    #expect(try await second.response()?.status == 200)
                    let refused = try await harness.connected { third in try await third.response() }
                    #expect(refused?.status == 503)
                    #expect(refused?.code == "connections_exhausted")
                    #expect(refused?["retry-after"] == "5")
                    try await first.send(RawRequest("GET", "/healthz").bytes)
                    #expect(try await first.response()?.status == 200)
                }
            }
            // Until the server has noticed that they have gone.
            var status: Int?
            while status != 200 {
                // What is still refused may end before it has been asked.
                status = try? await harness.connected { (connection) async throws -> Int? in
                    try await connection.send(RawRequest("GET", "/healthz").bytes)
                    return try await connection.response()?.status
                }
            }
            #expect(status == 200)
        }
    }

    @Test("One address may be held to a share")
    func share() async throws {
        try await ServerHarness.with({ $0.connections.connectionsPerAddress = 1 }) { (harness) async throws in
            try await harness.connected { (first) async throws in
                try await first.send(RawRequest("GET", "/healthz").bytes)
                #expect(try await first.response()?.status == 200)
                let refused = try await harness.connected { second in try await second.response()?.status }
                #expect(refused == 503)
            }
        }
    }

    @Test("300 connections that never finish their heads end with 408 while others are served")
    func slowLoris() async throws {
        try await ServerHarness.with(
            { configuration in
                configuration.connections.headTime = .seconds(2)
                configuration.connections.connections = 400
            }
        ) { (harness) async throws in
            let opened = AsyncSignal()
            try await withThrowingTaskGroup(of: Int?.self) { group in
                for _ in 0..<300 {
                    group.addTask {
                        try await harness.connected { (connection) async throws -> Int? in
                            try await connection.send("POST /v1/cards HTTP/1.1\r\nHost: a\r\nX-Slow: ")
                            opened.signal()
                            return try await connection.response()?.status
                        }
                    }
                }
                await opened.wait(for: 300)
                let token = ServerHarness.submit.reveal()
                #expect(try await harness.send(.image(Specimen.jpeg(), token: token)).status == 202)
                for try await status in group { #expect(status == 408) }
            }
        }
    }

    @Test("Of 120 idle connections at a limit of 50 the others are refused, and one that is inside is served")
    func idle() async throws {
        try await ServerHarness.with({ $0.connections.connections = 50 }) { (harness) async throws in
            let refused = AsyncSignal()
            try await harness.connected { (inside) async throws in
                try await inside.send(RawRequest("GET", "/healthz").bytes)
                #expect(try await inside.response()?.status == 200)
                await withTaskGroup(of: Void.self) { group in
                    for _ in 0..<120 {
                        group.addTask {
                            _ = try? await harness.connected { (connection) async throws in
                                // Only a refusal comes without having been asked for.
                                if try await connection.response()?.status == 503 { refused.signal() }
                            }
                        }
                    }
                    await refused.wait(for: 71)
                    group.cancelAll()
                }
                try await inside.send(RawRequest("GET", "/healthz").bytes)
                #expect(try await inside.response()?.status == 200)
            }
        }
    }

    @Test("Beyond those that are being told so, connections end without a word, and nobody inside notices")
    func dropped() async throws {
        try await ServerHarness.with(
            { configuration in
                configuration.connections.connections = 1
                configuration.connections.refusalsUnderWay = 0
            }
        ) { (harness) async throws in
            try await harness.connected { (inside) async throws in
                try await inside.send(RawRequest("GET", "/healthz").bytes)
                #expect(try await inside.response()?.status == 200)
                for _ in 0..<20 {
                    // It may have ended before it could be looked at.
                    let answer = try? await harness.connected { outside in try await outside.response() }
                    #expect(answer?.status == nil)
                }
                try await inside.send(RawRequest("GET", "/healthz").bytes)
                #expect(try await inside.response()?.status == 200)
            }
        }
    }
}
