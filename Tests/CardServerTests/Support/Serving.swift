import CardModel
import Foundation
import Testing

@testable import CardServer

/// Gives each test of a suite a server of its own: `harness`.
struct Serving: SuiteTrait, TestTrait, TestScoping {
    var isWorking = false
    var hasWebhooks = false
    /// What stands at a test takes the place of what stands at its suite.
    var isOfSuite = true
    var isRecursive: Bool { true }

    @concurrent
    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        if self.isOfSuite, test.traits.contains(where: { ($0 as? Serving)?.isOfSuite == false }) {
            return try await function()
        }
        try await ServerHarness.with(
            { if self.hasWebhooks { $0.webhookSecrets = try SpecimenWebhook.secrets } },
            isWorking: self.isWorking,
            now: { self.hasWebhooks ? SpecimenWebhook.time : Timestamp(Date()) }
        ) { harness in try await ServerHarness.$current.withValue(harness) { try await function() } }
    }
}

extension Trait where Self == Serving {
    static var serving: Self { Serving() }
    /// It takes webhooks of two senders, at the time of these.
    static var servingWebhooks: Self { Serving(hasWebhooks: true) }
    /// For one test: the engine works on the cards, too.
    static var working: Self { Serving(isWorking: true, isOfSuite: false) }
}

extension ServerHarness {
    @TaskLocal static var current: ServerHarness?
}

/// The server of the test.
var harness: ServerHarness {
    guard let harness = ServerHarness.current else { preconditionFailure("the suite is not .serving") }
    return harness
}
