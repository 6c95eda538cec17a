import Foundation
import Subprocess
import Testing

/// The promises, each by the shortened form of its script: real processes, real faults. The seed is printed on failure.
@Suite("Proofs", .serialized, .timeLimit(.minutes(20)))
struct ProofTests {
    private static let scripts = [
        "prove-crashes", "prove-kills", "prove-failing-calls", "prove-lost-answers", "prove-several-processes",
        "prove-upkeep", "prove-canaries", "prove-erasure", "prove-clock", "prove-watch",
        "prove-serve", "prove-clients", "prove-order",
    ].map { ProofScript(name: $0) }

    /// Proofs that mount file systems. What else they need, `scripts/setup` installs: without it they fail.
    private static let rootScripts = ["prove-power-cut", "prove-full-disk"].map { ProofScript(name: $0) }

    private func expectProof(_ script: ProofScript) async throws {
        let outcome = try await script.run()
        #expect(outcome.status == .exited(0), "\(outcome.output)")
        #expect(outcome.output.contains("\(script.name): proved"), "\(outcome.output)")
    }

    @Test("Nothing is lost, nothing is sent twice, nothing leaks, whatever happens", arguments: scripts)
    func proof(_ script: ProofScript) async throws {
        try await self.expectProof(script)
    }

    @Test(
        "Nothing is lost when the power is cut or the disk is full",
        .enabled(if: geteuid() == 0, "mounting file systems needs root"),
        arguments: rootScripts
    )
    func proofAsRoot(_ script: ProofScript) async throws {
        try await self.expectProof(script)
    }
}
