import Foundation
import Subprocess
import SystemPackage
import Testing

/// Photos whose decoding brings processes down: a library in the place of libjpeg's entry ends them.
@Suite("A photo that brings the decoder down", .serialized, .timeLimit(.minutes(3)))
struct DecoderCrashTests {
    private let tool: Tool
    private let verifier: HeldServer
    private let backend: HeldServer

    init() throws {
        self.tool = try Tool()
        let reading =
            #"{"request_id":"r","time_used":1,"side":"front","name":"样本甲","gender":"男","race":"汉","#
            + #""address":"样本省样本市样本路1号","id_card_number":"110101199003070011","#
            + #""birthday":{"year":"1990","month":"3","day":"7"},"#
            + #""legality":{"Edited":0.001,"Photocopy":0.0,"ID Photo":0.95,"Screen":0.0,"Temporary ID Photo":0.04}}"#
        self.verifier = try HeldServer { _ in reading }
        self.backend = try HeldServer { _ in #"{"RETCODE":"000000","RETMSG":"ok"}"# }
        self.verifier.release()
        self.backend.release()
    }

    private func arguments(_ others: [String] = []) throws -> [String] {
        let file = try RemoteConfiguration(others: others)
            .write(for: self.tool, verifier: self.verifier.url, backend: self.backend.url)
        let photos = self.tool.home.appending(path: "photos")
        if !FileManager.default.fileExists(atPath: photos.path) {
            _ = try self.tool.folder("photos", ["S-1/front.jpg": "cards/LOAN-2026-0001/front.jpg"])
        }
        return ["run", photos.path, "--format", "json"] + file
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
        let command = try self.arguments()
        for _ in 1...2 { #expect(try await self.tool.run(command, preload).status == 128 + 6) }
        let third = try await self.tool.run(command, preload)
        #expect(third.status == 0, "\(third.errors)")
        #expect(try third.json().counts["delivered"] == 1)
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
        let command = try self.arguments()
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
        #expect(self.verifier.requests.isEmpty)
    }

    @Test("imaging.isolation: process decodes every photo in a child")
    func isolated() async throws {
        let preload = ["LD_PRELOAD": try await self.library("crash.so", Self.crash)]
        let outcome = try await self.tool.run(self.arguments(["imaging: {isolation: process}"]), preload)
        #expect(outcome.status == 0, "\(outcome.errors)")
    }

    @Test("A machine without memory for a child rejects nothing: 75, and all goes on when there is some")
    func noMemory() async throws {
        let source = "#include <errno.h>\nint memfd_create(const char *n, unsigned f) { errno = ENOMEM; return -1; }\n"
        let preload = ["LD_PRELOAD": try await self.library("memory.so", source)]
        let command = try self.arguments(["imaging: {isolation: process}"])
        let outcome = try await self.tool.run(command, preload)
        #expect(outcome.status == 75, "\(outcome.errors)")
        let report = try outcome.json()
        #expect(report.cards.map(\.state) == ["unchanged"])
        #expect(report.cards.map(\.reason) == ["decoder_unavailable"])
        #expect(report.counts["rejected"] == 0 && report.counts["unchanged"] == 1)
        #expect(try await self.tool.run(command).status == 0)
    }

    @Test("A disk with less space than intake wants rejects nothing: 74, and all goes on when there is some")
    func noSpace() async throws {
        let outcome = try await self.tool.run(self.arguments(["sandbox: {intake_free_space: 1000000GB}"]))
        #expect(outcome.status == 74, "\(outcome.errors)")
        let report = try outcome.json()
        #expect(report.cards.map(\.state) == ["unchanged"])
        #expect(report.cards.map(\.reason) == ["disk_space_low"])
        #expect(report.counts["rejected"] == 0)
        #expect(try await self.tool.run(self.arguments()).status == 0)
    }
}
