import Foundation
import TestSupport
import Testing

/// Answers that nobody expects: the quick form of `scripts/prove answers`, which has forty of them.
@Suite(.serialized, .timeLimit(.minutes(5))) struct UnexpectedAnswerTests {
    /// An answer, and the settings by which it means success.
    private static let forms: [(String, [String: String])] = [
        (#"{"code":0,"msg":"ok"}"#, ["IDCARD_DELIVERY_REPLY_CODE": "code"]),
        (
            #"{"head":{"ok":true}}"#,
            ["IDCARD_DELIVERY_REPLY_CODE": "head.ok", "IDCARD_DELIVERY_RETCODE_SUCCESS": "true"]
        ),
        (#"{"RETCODE":null}"#, [:]), ("", [:]),
    ]

    private func fronts(for tool: Tool) throws -> [String] {
        let photos = (1...3).map { ("R-\($0)/front.jpg", MarkedPhoto.front(UInt8($0))) }
        return ["run", try tool.folder("photos", Dictionary(uniqueKeysWithValues: photos)).path]
    }

    @Test(arguments: forms)
    func `a backend that is not understood gets each document once, and the settings that are named deliver all`(
        answer: String,
        settings: [String: String]
    ) async throws {
        let (tool, backend) = (try Tool(), ScriptedBackend { _ in .json(answer) })
        let command = try self.fronts(for: tool)
        try await tool.serving(MarkVerifier(), backend) { file in
            let errors = try await tool.run(command + file, ends: 69).errors
            #expect(errors.contains("delivery.reply.code") || answer.isEmpty, "\(errors)")
            try await tool.run(command + file, ends: 69)
            let numbers = backend.askedNumbers
            #expect(!numbers.isEmpty && Set(numbers).count == numbers.count, "\(numbers)")
            if settings.isEmpty { backend.answer { _ in nil } }
            try await tool.run(["resume", "backend"] + file, ends: 0)
            try await tool.run(command + file, settings, ends: 0)
            #expect(Set(backend.askedNumbers) == ["R-1", "R-2", "R-3"])
            let sent = backend.requests.map { [PostedForm($0)["BUSINESSNO"], $0.header("Idempotency-Key")] }
            #expect(Set(sent).count == 3, "one key for each document")
        }
    }

    @Test(arguments: [#"{"code":0}"#, "OK", "[]"])
    func `a verifier that is not understood is asked twice about a photo at the most, and then goes on`(
        answer: String
    ) async throws {
        let (tool, verifier) = (try Tool(), MarkVerifier { _ in .json(answer) })
        let command = try self.fronts(for: tool)
        try await tool.serving(verifier, ScriptedBackend()) { file in
            for _ in 1...2 { try await tool.run(command + file, ends: 69) }
            let counts = Dictionary(grouping: verifier.photos, by: \.self).values.map(\.count)
            #expect(!counts.isEmpty && counts.allSatisfy { $0 <= 2 }, "\(counts)")
            verifier.answer { _ in nil }
            try await tool.run(["resume", "verifier"] + file, ends: 0)
            try await tool.run(command + file, ends: 0)
        }
    }
}
