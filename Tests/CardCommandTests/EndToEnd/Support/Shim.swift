import Foundation
import Subprocess
import SystemPackage

extension Tool {
    /// Builds a library that the proofs preload into the home.
    ///
    /// - Returns: the path of the library.
    func shim(_ name: String) async throws -> String {
        let library = self.home.appending(path: "\(name).so").path
        let source = Project.root.appending(path: "scripts/proofs/shim/\(name).c").path
        let result = try await Subprocess.run(
            .name("cc"),
            arguments: ["-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"],
            output: .discarded,
            error: .string(limit: 1 << 16)
        )
        guard result.terminationStatus.isSuccess else { throw ShimFailure(errors: result.standardError) }
        return library
    }

    private struct ShimFailure: Error {
        var errors: String
    }
}

/// The variables that have a command count its calls, by the shim of the proofs, and what it counted.
struct CallCounter {
    private let library: String
    private let report: URL

    /// Builds the shim into the home of a tool.
    init(for tool: Tool) async throws {
        self.library = try await tool.shim("shim")
        self.report = tool.home.appending(path: "calls.txt")
    }

    /// The variables for the next command, which forget what was counted before.
    ///
    /// - Parameters:
    ///   - mode: `count`, or `place` with the variables that this takes.
    ///   - folders: what to count below; everywhere if there are none.
    func variables(_ mode: String = "count", below folders: [String] = []) throws -> [String: String] {
        if FileManager.default.fileExists(atPath: self.report.path) {
            try FileManager.default.removeItem(at: self.report)
        }
        var variables = [
            "LD_PRELOAD": self.library, "PROOF_SHIM_MODE": mode, "PROOF_SHIM_REPORT": self.report.path,
        ]
        guard !folders.isEmpty else { return variables }
        variables["PROOF_SHIM_SCOPE"] = "files"
        variables["PROOF_SHIM_BELOW"] = folders.joined(separator: ":")
        return variables
    }

    /// How often each kind of call came, once the command has ended by itself.
    func counts() throws -> [String: Int] {
        let lines = try String(contentsOf: self.report, encoding: .utf8).split(separator: "\n")
        return lines.reduce(into: [:]) { counts, line in
            let words = line.split { $0 == " " || $0 == "=" }
            if words.count == 2 { counts[String(words[0]), default: 0] += Int(words[1]) ?? 0 }
        }
    }
}
