import Foundation
import Subprocess
import SystemPackage
import TestSupport
import Testing

/// Photos whose decoding brings processes down: a library in the place of libjpeg's entry ends them.
@Suite("A photo that brings the decoder down", .serialized, .timeLimit(.minutes(3)))
struct DecoderCrashTests {
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
        let file = self.tool.home.appending(path: "\(name).c")
        try Data(source.utf8).write(to: file)
        let library = self.tool.home.appending(path: name).path
        let result = try await Subprocess.run(
            .name("cc"),
            arguments: ["-shared", "-fPIC", "-w", "-o", library, file.path],
            output: .discarded,
            error: .string(limit: 1 << 16)
        )
        try #require(result.terminationStatus.isSuccess, "\(result.standardError)")
        return library
    }

    /// Ends the process that first uses libjpeg.
    private static let crash = "#include <stdlib.h>\nvoid *jpeg_std_error(void *e) { abort(); }\n"

    @Test("The third time it is decoded in a child, and delivered if that lives")
    func childLives() async throws {
        // The child gets no environment, so it has the real library.
        let preload = ["LD_PRELOAD": try await self.library("crash.so", Self.crash)]
        try await self.serving { command in
            for _ in 1...2 { #expect(try await self.tool.run(command, preload).status == 128 + 6) }
            let third = try await self.tool.run(command, preload, ends: 0)
            #expect(try third.json().counts["delivered"] == 1)
        }
    }

    @Test("If the child dies, too, the card is rejected with words")
    func childDies() async throws {
        // Beside the binary libraries are found that the child loads, too: the same binary, under another name.
        _ = try await self.library(
            "libjpeg.so.62",
            Self.crash + "int jpeg_resync_to_restart(void *c, int d) { abort(); }\n"
        )
        let binary = self.tool.home.appending(path: "tool")
        try FileManager.default.copyItem(at: Project.binary.resolvingSymlinksInPath(), to: binary)
        try await self.serving { command in
            func run() async throws -> (status: TerminationStatus, output: String) {
                let result = try await Subprocess.run(
                    .path(FilePath(binary.path)),
                    arguments: Arguments(command),
                    environment: .custom(["HOME": self.tool.home.path, "PATH": "/usr/bin:/bin"]),
                    output: .string(limit: 1 << 20),
                    error: .discarded
                )
                return (result.terminationStatus, result.standardOutput)
            }
            for _ in 1...2 { #expect(try await run().status == .signaled(6)) }
            let third = try await run()
            #expect(third.status == .exited(1))
            #expect(third.output.contains("decoder_crashed") && third.output.contains("supply another photo"))
        }
        #expect(self.verifier.photos.isEmpty)
    }

    @Test("imaging.isolation: process decodes every photo in a child")
    func isolated() async throws {
        let preload = ["LD_PRELOAD": try await self.library("crash.so", Self.crash)]
        try await self.serving(["imaging: {isolation: process}"]) { command in
            try await self.tool.run(command, preload, ends: 0)
        }
    }

    @Test("A machine without memory for a child rejects nothing: 75, and all goes on when there is some")
    func noMemory() async throws {
        let source = "#include <errno.h>\nint memfd_create(const char *n, unsigned f) { errno = ENOMEM; return -1; }\n"
        let preload = ["LD_PRELOAD": try await self.library("memory.so", source)]
        try await self.serving(["imaging: {isolation: process}"]) { command in
            let outcome = try await self.tool.run(command, preload, ends: 75)
            let report = try outcome.json()
            #expect(report.cards.map(\.state) == ["unchanged"])
            #expect(report.cards.map(\.reason) == ["decoder_unavailable"])
            #expect(report.counts["rejected"] == 0 && report.counts["unchanged"] == 1)
            #expect(try await self.tool.run(command).status == 0)
        }
    }

    @Test("A disk with less space than intake wants rejects nothing: 74, and all goes on when there is some")
    func noSpace() async throws {
        try await self.serving(["sandbox: {intake_free_space: 1000000GB}"]) { command in
            let outcome = try await self.tool.run(command, ends: 74)
            let report = try outcome.json()
            #expect(report.cards.map(\.state) == ["unchanged"])
            #expect(report.cards.map(\.reason) == ["disk_space_low"])
            #expect(report.counts["rejected"] == 0)
        }
        try await self.serving { command in
            try await self.tool.run(command, ends: 0)
        }
    }
}
