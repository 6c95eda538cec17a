import CardEmbedded
import Foundation
import TestSupport
import Testing

/// Business numbers that have the backend fail: the table in the page *Remotes*, row by row.
@Suite(.timeLimit(.minutes(1))) struct TestNumberTests {
    private let folder = BackendFolder()

    @Test(arguments: [400, 403, 404, 429, 500, 503, 599])
    func `a number FAIL is answered with its status, each time, and stores nothing`(status: Int) async throws {
        try await withBackend(in: self.folder) { client async throws in
            for _ in 1...2 {
                let answer = try await client.upload(.single(number: "FAIL-\(status)-1"), key: "\"k\"")
                #expect(answer.status == status && answer.json["code"] as? String == "test_number")
            }
            #expect(try await client.get("/healthz").json["documents"] as? Int == 0)
        }
    }

    @Test func `a number DROP is read and has the connection closed without an answer`() async throws {
        try await withBackend(in: self.folder) { client async throws in
            let answer = try await client.connected { (connection) async throws in
                try await connection.send(RawRequest.form(.single(number: "DROP-1"), key: "\"k\"").bytes)
                return try await connection.response()?.status
            }
            #expect(answer == nil)
            #expect(try await client.get("/healthz").json["documents"] as? Int == 0)
        }
    }

    @Test func `a number SLOW is stored and answered, after a while`() async throws {
        try await withBackend(in: self.folder) {
            $0.slowTime = .milliseconds(300)
        } body: { client async throws in
            let began = ContinuousClock.now
            #expect(try await client.upload(.single(number: "SLOW-1"), key: "\"k\"").retcode == "000000")
            #expect(began.duration(to: .now) >= .milliseconds(300))
        }
        #expect(try self.folder.ledger().map(\.businessNo) == ["SLOW-1"])
    }

    @Test func `a number HOLD is under way until the client goes, and keeps no end of the backend waiting`()
        async throws
    {
        try await withBackend(in: self.folder) { client async throws in
            try await client.connected { (connection) async throws in
                try await connection.send(RawRequest.form(.single(number: "HOLD-1"), key: "\"k\"").bytes)
                try await client.waitForRunning(1)
            }
            try await client.waitForRunning(0)
            #expect(try await client.get("/healthz").json["documents"] as? Int == 0)
        }
    }

    @Test(arguments: ["FAIL-399-1", "FAIL-600-1", "FAIL-503", "FAIL", "DROP", "drop-1", "X-DROP-1", "SLOWLY-1"])
    func `any other number is one like all others`(number: String) async throws {
        try await withBackend(in: self.folder) { client async throws in
            #expect(try await client.upload(.single(number: number), key: "\"k\"").retcode == "000000")
        }
    }
}
