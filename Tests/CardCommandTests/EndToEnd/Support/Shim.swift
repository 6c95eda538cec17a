import Foundation
import Subprocess
import Testing

extension Tool {
    /// Builds a library that the proofs preload into the home.
    ///
    /// - Returns: the path of the library.
    func shim(_ name: String) async throws -> String {
        try await self.library(name + ".so", of: Project.root.appending(path: "scripts/proofs/shim/\(name).c").path)
    }

    /// Builds a library out of a file of C into the home.
    ///
    /// - Returns: the path of the library.
    func library(_ name: String, of source: String) async throws -> String {
        let library = self.home.appending(path: name).path
        let result = try await Subprocess.run(
            .name("cc"),
            arguments: ["-shared", "-fPIC", "-O1", "-w", "-o", library, source, "-ldl"],
            output: .discarded,
            error: .string(limit: 1 << 16)
        )
        try #require(result.terminationStatus.isSuccess, "\(result.standardError)")
        return library
    }
}
