import Foundation
import Glibc
import TestSupport
import Testing

@testable import CardCommand

@Suite(.serialized, .timeLimit(.minutes(5))) struct FileModeTests {
    @Test(arguments: ["000", "022", "777"])
    func `whatever the umask, every file and folder of a run is for its owner alone`(umask: String) async throws {
        let tool = try Tool()
        let pair = try tool.folder("in/pair", ["S-1/front.jpg": "cards/LOAN-2026-0001/front.jpg"])
        let documents = tool.home.appending(path: "documents")
        let temporary = try tool.folder("temporary")
        try await tool.run(
            ["run", pair.path, "--embedded", "--documents", documents.path],
            ["TMPDIR": temporary.path],
            wrapper: ["/bin/sh", "-c", "umask \(umask); exec \"$@\"", "sh"],
            ends: 0
        )
        var looked = 0
        let walk = try #require(FileManager.default.enumerator(atPath: tool.home.path))
        // What the test has made itself is another's affair.
        let ours = ["in", "temporary", ".config"]
        for case let name as String in walk where !ours.contains(where: name.hasPrefix) {
            let attributes = try FileManager.default.attributesOfItem(atPath: tool.home.path + "/" + name)
            let mode = try #require(attributes[.posixPermissions] as? Int)
            #expect(mode & 0o077 == 0, "\(name) has mode \(String(mode, radix: 8))")
            looked += 1
        }
        #expect(looked > 8, "the run left nothing to look at")
        #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.path) == [])
    }

    @Test func `a process begins without core dumps and backtraces, and with a umask of its own`() async {
        await #expect(processExitsWith: .exitCode(42)) {
            unsetenv("SWIFT_BACKTRACE")
            umask(0)
            ProcessSetup.begin()
            guard umask(0) == 0o077 else { exit(1) }
            var limit = rlimit()
            guard getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit) == 0, limit.rlim_max == 0 else {
                exit(2)
            }
            var action = sigaction()
            guard sigaction(SIGSEGV, nil, &action) == 0, action.__sigaction_handler.sa_handler == nil else { exit(3) }
            exit(42)
        }
    }
}
