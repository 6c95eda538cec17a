import Foundation
import IDCardTesting
import Testing

@testable import IDCardServer

/// What strangers can do to `POST /v1/webhooks/cards`, and what they cannot.
@Suite(.timeLimit(.minutes(Sanitizer.minutes(1))))
struct WebhookDefenceTests {
    private func serving(
        _ configure: (inout CardServer.Configuration) -> Void = { _ in },
        _ body: (ServerHarness) async throws -> Void
    ) async throws {
        try await ServerHarness.with(
            { configuration in
                configuration.webhookSecrets = [try WebhookSecret(SpecimenWebhook.secret.base64EncodedString())]
                configure(&configuration)
            },
            body
        )
    }

    private static func large(_ id: String) -> RawRequest { SpecimenWebhook(id: id, imageByteCount: 120_000).request }

    @Test("Without a secret nothing is read: a client that waits for leave to send is refused at once")
    func noSecrets() async throws {
        try await ServerHarness.with { (harness) async throws in
            var request = SpecimenWebhook(id: "m-1").request
            request.headers.append(("Expect", "100-continue"))
            let head = request.head
            let status = try await harness.connected { (connection) async throws -> Int? in
                try await connection.send(head)
                return try await connection.response()?.status
            }
            #expect(status == 401)
        }
    }

    @Test("A refusal says what would be believed (RFC 9110 section 15.5.2)")
    func challenge() async throws {
        try await self.serving { (harness) async throws in
            var headless = SpecimenWebhook(id: "m-1").request
            headless.headers.removeAll { $0.0 == "webhook-signature" }
            for request in [SpecimenWebhook(id: "m-2", isForged: true).request, headless] {
                let response = try await harness.send(request)
                #expect(response.status == 401)
                #expect(response["www-authenticate"] == "Signature realm=\"idcard-pipeline\"")
            }
        }
    }

    @Test(
        "Of an address that was not believed too often large messages are read one at a time, small ones as ever",
        arguments: [true, false]
    )
    func failures(isWhole: Bool) async throws {
        try await self.serving({ $0.failureRate = RatePolicy(quota: 1, window: .seconds(3_600)) }) {
            (harness) async throws in
            if isWhole {
                let forged = SpecimenWebhook(id: "m-0", imageByteCount: 120_000, isForged: true).request
                #expect(try await harness.send(forged).status == 401)
            } else {
                let status = try await harness.connected { (connection) async throws -> Int? in
                    try await connection.send(Self.large("m-0").bytes.dropLast(10))
                    connection.finish()
                    return try await connection.response()?.status
                }
                #expect(status == 400)
            }
            harness.intake.gate.close()
            async let first = harness.send(Self.large("m-1"))
            await harness.intake.arrivals.wait(for: 1)
            let second = try await harness.send(Self.large("m-2"))
            #expect(second.status == 429)
            #expect(second.code == "rate_limited")
            #expect(second["retry-after"] != nil)
            #expect(try await harness.send(SpecimenWebhook(id: "m-3", isForged: true).request).status == 401)
            harness.intake.gate.open()
            #expect(try await first.status == 202)
            #expect(try await harness.send(Self.large("m-2")).status == 202)
            #expect(try await harness.send(SpecimenWebhook(id: "m-4").request).status == 202)
        }
    }

    @Test("One address has a share of the memory, and small messages find room beside it")
    func share() async throws {
        try await self.serving(
            { configuration in
                configuration.submission.webhookBytes = 200_000
                configuration.submission.webhookMemoryBytes = 320_000
            }
        ) { (harness) async throws in
            // Each takes some 94,500 bytes beyond the 64 KiB that are free.
            harness.intake.gate.close()
            async let first = harness.send(Self.large("m-1"))
            async let second = harness.send(Self.large("m-2"))
            await harness.intake.arrivals.wait(for: 2)
            let third = try await harness.send(Self.large("m-3"))
            #expect(third.status == 503)
            #expect(third.code == "busy")
            async let small = harness.send(SpecimenWebhook(id: "m-4").request)
            await harness.intake.arrivals.wait(for: 3)
            harness.intake.gate.open()
            #expect(try await [first.status, second.status, small.status] == [202, 202, 202])
            #expect(try await harness.send(Self.large("m-3")).status == 202)
        }
    }
}
