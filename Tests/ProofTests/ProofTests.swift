import Subprocess
import Testing

/// The promises, each by the shortened form of its script: real processes, real faults. The seed is printed on failure.
@Suite("Proofs", .serialized, .timeLimit(.minutes(20)))
struct ProofTests {
    private static let scripts = [
        "prove-crashes", "prove-kills", "prove-failing-calls", "prove-lost-answers", "prove-several-processes",
        "prove-upkeep", "prove-canaries", "prove-erasure", "prove-watch",
        "prove-serve", "prove-clients",
    ].map { ProofScript(name: $0) }

    private static let powerCut = ProofScript(
        name: "prove-power-cut",
        programs: ["nbdkit", "nbdfuse", "mkfs.ext4"]
    )
    private static let fullDisk = ProofScript(name: "prove-full-disk", programs: ["mount"])

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
        .enabled(if: powerCut.canRun, "needs root and the Debian packages nbdkit, libnbd-bin and fuse3")
    )
    func powerCutProof() async throws {
        try await self.expectProof(Self.powerCut)
    }

    @Test("Nothing is lost when the disk is full, and erasing works", .enabled(if: fullDisk.canRun, "needs root"))
    func fullDiskProof() async throws {
        try await self.expectProof(Self.fullDisk)
    }
}
