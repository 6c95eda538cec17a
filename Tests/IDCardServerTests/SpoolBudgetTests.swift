import Foundation
import IDCardTesting
import Testing

@testable import IDCardServer

/// How much of all images may lie in spools at once.
@Suite(.timeLimit(.minutes(Sanitizer.minutes(1))))
struct SpoolBudgetTests {
    private static func request(_ number: Int, isForm: Bool) -> RawRequest {
        let (token, image) = (ServerHarness.submit.reveal(), Specimen.jpeg(number, byteCount: 100_000))
        guard isForm else { return .image(image, token: token) }
        return .form([("business_no", nil, Data("CASE-1".utf8)), ("image", "a.jpg", image)], token: token)
    }

    @Test("What is too much at once is sent away, and has room when the others have gone", arguments: [true, false])
    func busy(isForm: Bool) async throws {
        try await ServerHarness.with(
            { configuration in
                configuration.submission.imageBytes = 100_000
                configuration.submission.spooledBytes = 150_000
            }
        ) { (harness) async throws in
            harness.intake.gate.close()
            async let first = harness.send(Self.request(1, isForm: isForm))
            await harness.intake.arrivals.wait(for: 1)
            let second = try await harness.send(Self.request(2, isForm: isForm))
            #expect(second.status == 503)
            #expect(second.code == "busy")
            #expect(second["retry-after"] == "2")
            harness.intake.gate.open()
            #expect(try await first.status == 202)
            #expect(try await harness.send(Self.request(2, isForm: isForm)).status == 202)
        }
    }

    @Test("One image finds room, however little is allowed")
    func one() async throws {
        try await ServerHarness.with(
            { configuration in
                configuration.submission.imageBytes = 100_000
                configuration.submission.spooledBytes = 1
            }
        ) { (harness) async throws in
            for number in 1...3 { #expect(try await harness.send(Self.request(number, isForm: true)).status == 202) }
        }
    }
}
