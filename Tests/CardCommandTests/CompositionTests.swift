import CardInput
import CardModel
import CardRemote
import Foundation
import Logging
import TestSupport
import Testing

@testable import CardCommand

@Suite struct CompositionTests {
    @Test func `the built-in endpoints get as many connections and as much time as is configured`() async throws {
        var configuration = Configuration(sandboxPath: "/nowhere")
        configuration.verifier.endpoint.concurrency = 64
        configuration.verifier.endpoint.timeout = Duration.seconds(45)
        configuration.backend.endpoint.concurrency = 48
        let folder = FileManager.default.temporaryDirectory.appending(path: "embedded-\(UUID().uuidString)")
        configuration.documents = folder.path
        defer { try? FileManager.default.removeItem(at: folder) }
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let endpoints = EmbeddedEndpoints(configuration: configuration, logger: logger)
        let (verifier, backend) = try await endpoints.serve { ($0.endpoint, $1.endpoint) }
        #expect(verifier.concurrency == 64 && verifier.timeout == .seconds(45))
        #expect(backend.concurrency == 48)
    }

    @Test(arguments: [
        (ReasonCode.sandboxBusy, CodedError.Kind.temporary, "later"), (.queueFull, .storage, "later"),
        (.diskSpaceLow, .storage, "later"), (.tooManyPhotos, .input, "waits"),
        (ReasonCode(rawValue: "image_timeout"), .temporary, "refused"),
        (ReasonCode(rawValue: "image_truncated"), .input, "refused"), (.cardConflict, .conflict, "refused"),
        (.sandboxDamaged, .storage, "thrown"), (.wrongKey, .configuration, "thrown"),
    ])
    func `a photo of a watched folder is tried later only for what passes without it`(
        code: ReasonCode,
        kind: CodedError.Kind,
        expected: String
    ) {
        let error = CodedError(code, kind, "it failed")
        let outcome = Result { try WatchIntake.outcome(of: error) }
        let found =
            switch outcome {
            case .success(.later(_)): "later"
            case .success(.refused(_, _)): "refused"
            case .success(.waits(_)): "waits"
            case .success: "taken"
            case .failure: "thrown"
            }
        #expect(found == expected)
    }
}
