import Subprocess
import Testing

/// The promises, each by the shortened form of its script: real processes, real faults. The seed is printed on failure.
@Suite("Proofs", .serialized, .timeLimit(.minutes(20)))
struct ProofTests {
    private static let scripts = [
        "prove-crashes", "prove-kills", "prove-failing-calls", "prove-lost-answers", "prove-several-processes",
        "prove-upkeep", "prove-erasure",
    ].map { ProofScript(name: $0) }

    private static let mounting = [
        ProofScript(name: "prove-power-cut", programs: ["nbdkit", "nbdfuse", "mkfs.ext4"])
    ]

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
        "Nothing is lost when the power is cut",
        .enabled(if: mounting.allSatisfy(\.canRun), "needs root and the Debian packages nbdkit, libnbd-bin and fuse3"),
        arguments: mounting
    )
    func mountingProof(_ script: ProofScript) async throws {
        try await self.expectProof(script)
    }
}
