import Foundation
import TestSupport
import Testing

/// Photos whose decoding brings processes down: a library in the place of libjpeg's entry ends them.
@Suite(.serialized, .timeLimit(.minutes(3))) struct DecoderCrashTests {
    private let tool: Tool
    private let verifier = MarkVerifier()

    init() throws {
        self.tool = try Tool()
    }

    /// Serves both endpoints for as long as a function runs, which is given a command that runs over a front.
    private func serving(_ others: [String] = [], _ body: (_ command: [String]) async throws -> Void) async throws {
        let photos = try self.tool.folder("photos", ["S-1/front.jpg": .front(1)])
        try await self.tool.serving(self.verifier, ScriptedBackend(), RemoteConfiguration(others: others)) { file in
            try await body(["run", photos.path, "--format", "json"] + file)
        }
    }

    /// Builds a library out of C in a folder of the home.
    private func library(_ name: String, _ source: String) async throws -> String {
        try await self.tool.library(name, of: try self.tool.secretFile("\(name).c", source).path)
    }

    /// Ends the process that first uses libjpeg.
    private static let crash = "#include <stdlib.h>\nvoid *jpeg_std_error(void *e) { abort(); }\n"

    @Test func `the third time it is decoded in a child, and delivered if that lives`() async throws {
        // The child gets no environment, so it has the real library.
        let preload = ["LD_PRELOAD": try await self.library("crash.so", Self.crash)]
        try await self.serving { command in
            for _ in 1...2 { #expect(try await self.tool.run(command, preload).status == 128 + 6) }
            let third = try await self.tool.run(command, preload, ends: 0)
            #expect(try third.json().counts["delivered"] == 1)
        }
    }

    @Test func `if the child dies, too, the card is rejected with words`() async throws {
        // Beside the binary libraries are found that the child loads, too: the same binary, under another name.
        _ = try await self.library(
            "libjpeg.so.62",
            Self.crash + "int jpeg_resync_to_restart(void *c, int d) { abort(); }\n"
        )
        let binary = self.tool.home.appending(path: "tool")
        try FileManager.default.copyItem(at: Project.binary.resolvingSymlinksInPath(), to: binary)
        // Runs that binary in the place of the built one, which stands first among the arguments.
        let wrapper = ["/bin/sh", "-c", "shift; exec \"$0\" \"$@\"", binary.path]
        try await self.serving { command in
            for _ in 1...2 { #expect(try await self.tool.run(command, wrapper: wrapper).status == 128 + 6) }
            let third = try await self.tool.run(command, wrapper: wrapper, ends: 1).output
            #expect(third.contains("decoder_crashed") && third.contains("supply another photo"))
        }
        #expect(self.verifier.photos.isEmpty)
    }

    @Test func `imaging.isolation: process decodes every photo in a child`() async throws {
        let preload = ["LD_PRELOAD": try await self.library("crash.so", Self.crash)]
        try await self.serving(["imaging: {isolation: process}"]) { command in
            try await self.tool.run(command, preload, ends: 0)
        }
    }

    @Test func `by default what comes over HTTP is decoded in a child, so it brings serve down for nobody`()
        async throws
    {
        let preload = ["LD_PRELOAD": try await self.library("crash.so", Self.crash)]
        try await self.tool.serving(self.verifier, ScriptedBackend(), RemoteConfiguration()) { file in
            let token = try await self.tool.token("desk", "submit")
            _ = try await self.tool.serve(file, preload) { service, _ in
                let answer = try await service.submit(.front(1), token: token)
                #expect(answer.status < 300, "\(answer.text)")
            }
        }
    }

    @Test(arguments: [("auto", Int32(0), "imaging.isolation: none"), ("process", 78, "imaging.isolation: auto")])
    func `where no process can confine itself, auto says so and process is refused`(
        isolation: String,
        status: Int32,
        remedy: String
    ) async throws {
        let source = "#include <errno.h>\nint memfd_create(const char *n, unsigned f) { errno = EPERM; return -1; }\n"
        let preload = ["LD_PRELOAD": try await self.library("memory.so", source)]
        try await self.serving(["imaging: {isolation: \(isolation)}"]) { command in
            let file = Array(command.suffix(2))
            let checked = try await self.tool.run(["config", "check"] + file, preload, ends: status)
            #expect(checked.output.contains("seccomp, or set \(remedy)"), "\(checked.output)")
            guard status == 0 else {
                let refused = try await self.tool.run(
                    ["serve", "--listen", "127.0.0.1:0"] + file,
                    preload,
                    ends: status
                )
                #expect(refused.errors.contains(remedy), "\(refused.errors)")
                return
            }
            let said = try await self.tool.serve(file, preload) { _, _ in }
            #expect(said.contains { $0.contains(remedy) }, "\(said)")
        }
    }

    @Test(arguments: [
        ("decoder_unavailable", "imaging: {isolation: process}", Int32(75)),
        ("disk_space_low", "sandbox: {intake_free_space: 1000000GB}", 74),
    ])
    func `a lack of memory or disk only delays its cards`(reason: String, line: String, status: Int32) async throws {
        let source = "#include <errno.h>\nint memfd_create(const char *n, unsigned f) { errno = ENOMEM; return -1; }\n"
        let preload = ["LD_PRELOAD": try await self.library("memory.so", source)]
        try await self.serving([line]) { command in
            let report = try await self.tool.run(command, preload, ends: status).json()
            #expect(report.cards.map(\.state) == ["unchanged"])
            #expect(report.cards.map(\.reason) == [reason])
            #expect(report.counts["refused"] == 0 && report.counts["rejected"] == 0 && report.counts["unchanged"] == 1)
            try await self.tool.run(command, ["IDCARD_SANDBOX_INTAKE_FREE_SPACE": "1MB"], ends: 0)
        }
    }
}
