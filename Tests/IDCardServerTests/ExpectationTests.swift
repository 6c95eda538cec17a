import Foundation
import IDCardCore
import IDCardPipeline
import IDCardTesting
import Testing

@testable import IDCardServer

/// `Expect: 100-continue`: a client that waits is told to go on, or has its refusal without having sent the body.
@Suite(.timeLimit(.minutes(Sanitizer.minutes(1))))
struct ExpectationTests {
    private static let expect = [("Expect", "100-continue")]

    private func statuses(_ harness: ServerHarness, token: String, headers: [(String, String)] = []) async throws
        -> [Int]
    {
        let image = Specimen.jpeg()
        let request = RawRequest.image(image, token: token, headers: Self.expect + headers)
        return try await harness.connected { (connection) async throws -> [Int] in
            try await connection.send(request.head)
            let first = try #require(try await connection.response())
            guard first.status == 100 else { return [first.status] }
            try await connection.send(image)
            let second = try #require(try await connection.response())
            return [100, second.status]
        }
    }

    @Test("A body that is wanted is asked for")
    func wanted() async throws {
        try await ServerHarness.with { (harness) async throws in
            #expect(try await self.statuses(harness, token: ServerHarness.submit.reveal()) == [100, 202])
        }
    }

    @Test("A client of HTTP/1.0 is not sent what it would take for its answer")
    func oldVersion() async throws {
        try await ServerHarness.with { (harness) async throws in
            let image = Specimen.jpeg()
            let request = RawRequest.image(image, token: ServerHarness.submit.reveal(), headers: Self.expect)
            let status = try await harness.connected { (connection) async throws -> Int? in
                try await connection.send(request.head.replacing("HTTP/1.1\r\n", with: "HTTP/1.0\r\n"))
                try await connection.send(image)
                return try await connection.response()?.status
            }
            #expect(status == 202)
        }
    }

    @Test("A wrong token, closed intake, a bad field: refused without the body")
    func unwanted() async throws {
        try await ServerHarness.with { (harness) async throws in
            #expect(try await self.statuses(harness, token: "wrong") == [401])
            let token = ServerHarness.submit.reveal()
            #expect(try await self.statuses(harness, token: token, headers: [("Card-Side", "top")]) == [422])
            harness.intake.close(.closed(.diskSpaceLow, message: "low", retryAfter: .seconds(60)))
            #expect(try await self.statuses(harness, token: token) == [503])
        }
    }
}
