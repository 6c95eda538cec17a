import Foundation
import Subprocess
import SystemPackage

/// The variables that give a command a wrong wall clock, by the shim of the proofs.
struct WrongClock {
    private let library: String

    /// Builds the shim into the home of a tool.
    init(for tool: Tool) async throws {
        self.library = tool.home.appending(path: "clock.so").path
        let source = Project.root.appending(path: "scripts/proofs/shim/clock.c").path
        let result = try await Subprocess.run(
            .name("cc"),
            arguments: ["-shared", "-fPIC", "-o", self.library, source, "-ldl"],
            output: .discarded,
            error: .string(limit: 1 << 16)
        )
        guard result.terminationStatus.isSuccess else { throw Failure(errors: result.standardError) }
    }

    /// Why the shim could not be built.
    struct Failure: Error {
        var errors: String?
    }

    /// A clock that is ahead by so many days, or behind by a negative number.
    func days(_ days: Double) -> [String: String] {
        ["LD_PRELOAD": self.library, "PROOF_CLOCK_OFFSET": "\(Int(days * 86_400))"]
    }
}
