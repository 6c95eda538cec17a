import Foundation
import IDCardTesting
import Testing

@testable import IDCardServer

/// Requests with some of their bytes changed at random, from a seed: whatever comes of each, the service goes on.
@Suite(.timeLimit(.minutes(Sanitizer.minutes(2))))
struct HostileBytesTests {
    private struct SeededNumbers: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            // SplitMix64.
            self.state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = self.state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }

    private static var requests: [Data] {
        let token = ServerHarness.all.reveal()
        let parts = [
            (name: "business_no", filename: String?.none, bytes: Data("CASE-1".utf8)),
            (name: "image", filename: "a.jpg", bytes: Specimen.jpeg(byteCount: 300)),
        ]
        return [
            RawRequest.form(parts, token: token, headers: [("Idempotency-Key", "\"k\"")]).bytes,
            RawRequest.image(Specimen.jpeg(byteCount: 300), token: token).bytes,
            RawRequest("GET", "/v1/cards?state=held&limit=5&cursor=i1&business_no=%E6%A0%B7", token: token).bytes,
            RawRequest.json("POST", "/v1/cards/x/resolve", token: token, "{\"as\":\"reject\",\"why\":\"x\"}").bytes,
        ]
    }

    @Test("Changed bytes never stop the service", arguments: 1...6)
    func mutations(seed: UInt64) async throws {
        try await ServerHarness.with(
            { configuration in
                configuration.connections.headTime = .milliseconds(50)
                configuration.connections.bodyStandstill = .milliseconds(50)
                configuration.connections.lingerTime = .milliseconds(50)
            }
        ) { (harness) async throws in
            var random = SeededNumbers(state: seed)
            for round in 0..<60 {
                var bytes = Self.requests[round % Self.requests.count]
                for _ in 0..<Int.random(in: 1...6, using: &random) {
                    let place = bytes.index(bytes.startIndex, offsetBy: Int.random(in: 0..<bytes.count, using: &random))
                    switch Int.random(in: 0..<3, using: &random) {
                    case 0: bytes[place] = UInt8.random(in: .min ... .max, using: &random)
                    case 1: bytes.remove(at: place)
                    default: bytes.insert(UInt8.random(in: .min ... .max, using: &random), at: place)
                    }
                }
                let sent = bytes
                // The answer may be any, or none, if the connection ends first.
                let status = try? await harness.connected { (connection) async throws -> Int? in
                    try await connection.send(sent)
                    connection.finish()
                    return try await connection.response()?.status
                }
                if let status = status ?? nil { #expect(status < 500 || status == 505, "seed \(seed), round \(round)") }
            }
            #expect(try await harness.send(RawRequest("GET", "/healthz")).status == 200)
        }
    }
}
