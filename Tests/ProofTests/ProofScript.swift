import Foundation
import Subprocess
import SystemPackage
import Testing

/// One of the scripts named `scripts/prove-…`, in the shortened form.
struct ProofScript: CustomTestStringConvertible, Sendable {
    /// How a script ended, and everything it printed.
    struct Outcome: Sendable {
        var status: TerminationStatus
        var output: String
    }

    private static let root = URL(filePath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The command that was built beside this test bundle.
    private static var binary: URL {
        URL(filePath: ProcessInfo.processInfo.arguments[0]).deletingLastPathComponent()
            .appending(path: "idcard-pipeline")
    }

    let name: String

    var testDescription: String { self.name }

    /// Runs the script to its end.
    func run() async throws -> Outcome {
        let script = Self.root.appending(path: "scripts/\(self.name)").path
        let result = try await Subprocess.run(
            .path(FilePath("/usr/bin/env")),
            arguments: ["bash", script, "--quick", "--binary", Self.binary.path],
            environment: .inherit,
            workingDirectory: FilePath(Self.root.path),
            input: .none,
            output: .string(limit: 1 << 20),
            error: .combinedWithOutput
        )
        return Outcome(status: result.terminationStatus, output: result.standardOutput)
    }
}
