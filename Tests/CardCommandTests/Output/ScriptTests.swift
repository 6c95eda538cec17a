import Foundation
import Subprocess
import SystemPackage
import Testing

/// The scripts that a fresh clone begins with.
@Suite(.timeLimit(.minutes(1))) struct ScriptTests {
    /// Compilers that only make the files that they are asked for, as real ones do where the folder is there.
    private static let standIns = [
        "swiftc": "echo '\"runtimeResourcePath\": \"'$HOME'\"'",
        "python3": "touch \"${@: -1}\" && echo symbol",
        "clang": "cat >/dev/null; while [ \"$1\" != -o ]; do shift; done; touch \"$2\"",
        "swift": "case \"$*\" in *--show-bin-path*) echo /bin/path ;; esac",
        "readelf": "true",
    ]

    @Test func `a fresh clone, which has no folder .build, builds the release`() async throws {
        let tool = try Tool()
        let programs = try tool.folder("programs")
        for (name, text) in Self.standIns {
            _ = try tool.secretFile("programs/\(name)", "#!/bin/bash\n\(text)\n", mode: 0o700)
        }
        _ = try tool.folder("linux")
        try Data().write(to: tool.home.appending(path: "linux/lib_FoundationICU.a"))
        let clone = try tool.folder("clone")
        let scripts = Project.root.appending(path: "scripts")
        try FileManager.default.copyItem(at: scripts, to: clone.appending(path: "scripts"))
        let result = try await Subprocess.run(
            .path(FilePath(clone.appending(path: "scripts/build-release").path)),
            environment: .custom(["PATH": "\(programs.path):/usr/bin:/bin", "HOME": tool.home.path]),
            output: .string(limit: 1 << 16),
            error: .string(limit: 1 << 16)
        )
        #expect(result.terminationStatus.isSuccess, "\(result.standardError)")
        #expect(result.standardOutput == "/bin/path/idcard-pipeline\n")
    }
}
