package import IDCardCore
package import IDCardPipeline

extension CardServer {
    /// What a server works with.
    package struct Ports: Sendable {
        /// Erases a card and gives its certificate.
        package typealias Erase = @Sendable (CardID, ReasonCode, AccessOrigin) async throws -> ErasureCertificate?

        /// What is not as it should be beyond stages and room, one sentence each; strangers read it.
        package typealias Findings = @Sendable () async throws -> [String]

        /// Where images go.
        package var intake: any CardIntake
        /// Where their bytes are gathered; the store, unless something else is given.
        package var spooling: any SourceSpooling
        /// What is known of cards.
        package var cards: any CardStore
        /// Batches over the sources of the configuration; `nil` if there are none.
        package var runs: (any SourceRuns)?
        /// Erases a card; by default in the store alone.
        package var erase: Erase
        /// What the store finds wrong with itself; by default nothing.
        package var findings: Findings
        /// Is called after a person's decision, so that the stages look for work.
        package var workChanged: @Sendable () -> Void
        /// The wall-clock time.
        package var now: @Sendable () -> Timestamp

        /// Joins what a server works with.
        package init(
            intake: any CardIntake,
            cards: any CardStore,
            runs: (any SourceRuns)? = nil,
            spooling: (any SourceSpooling)? = nil,
            erase: Erase? = nil,
            findings: @escaping Findings = { [] },
            workChanged: @escaping @Sendable () -> Void = {},
            now: @escaping @Sendable () -> Timestamp = PipelineTime.system.now
        ) {
            self.intake = intake
            self.spooling = spooling ?? cards
            self.cards = cards
            self.runs = runs
            self.erase =
                erase ?? { card, reason, origin in
                    // What an earlier request could not finish; a long search is left to the engine.
                    _ = try await cards.continueErasures(within: .zero)
                    return try await cards.erase([card], reason: reason, by: origin, now: now()).first
                }
            self.findings = findings
            self.workChanged = workChanged
            self.now = now
        }
    }
}
