import Foundation
import Glibc
import Subprocess
import SystemPackage
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(5))) struct StalledReaderTests {
    /// A pipe that takes no further byte before somebody reads.
    private struct FullPipe {
        let readEnd: FileDescriptor
        let writeEnd: FileDescriptor

        init() throws {
            let ends = try FileDescriptor.pipe()
            (self.readEnd, self.writeEnd) = (ends.readEnd, ends.writeEnd)
            let flags = fcntl(self.writeEnd.rawValue, F_GETFL)
            _ = fcntl(self.writeEnd.rawValue, F_SETFL, flags | O_NONBLOCK)
            // Whole pages first; the last bytes one by one.
            let blanks = [UInt8](repeating: UInt8(ascii: "\n"), count: 4096)
            for size in [4096, 1] { while Glibc.write(self.writeEnd.rawValue, blanks, size) > 0 {} }
            _ = fcntl(self.writeEnd.rawValue, F_SETFL, flags)
            _ = fcntl(self.readEnd.rawValue, F_SETFD, FD_CLOEXEC)
        }

        /// Reads to the end and returns the lines.
        func lines() throws -> [String] {
            let data = try FileHandle(fileDescriptor: self.readEnd.rawValue, closeOnDealloc: true).readToEnd() ?? Data()
            return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
        }
    }

    @Test func `cards are verified and delivered, signals heard, all lines there for a later reader`() async throws {
        let (tool, readings, acceptances) = (try Tool(), Gate(), Gate())
        let verifier = MarkVerifier { _ in await readings.wait() }
        let backend = ScriptedBackend { _ in await acceptances.wait() }
        // Only the photo in the folder has a number: the line of the other one meets the full pipe first.
        let photos = try tool.folder("photos", ["S-1/front.jpg": .front(1), "odd.jpg": .front(2)])
        let pipe = try FullPipe()
        try await tool.serving(verifier, backend) { file in
            let command = ["run", photos.appending(path: "odd.jpg").path, photos.path, "--format", "jsonl"] + file
            let result = try await Subprocess.run(
                .path(FilePath(Project.binary.path)),
                arguments: Arguments(command),
                environment: .custom([
                    "HOME": tool.home.path, "PATH": "/usr/bin:/bin",
                    // Each event writes words, too.
                    "IDCARD_LOG_LEVEL": "debug",
                ]),
                input: .none,
                output: .fileDescriptor(pipe.writeEnd, closeAfterSpawningProcess: true),
                error: .string(limit: 1 << 20)
            ) { execution in
                await readings.arrival()
                readings.open()
                await acceptances.arrival()
                try execution.send(signal: .terminate)
                acceptances.open()
                // Another process sees what this one has concluded; its words wait for the reader, too.
                while !(try await tool.run(["cards", "list"] + file).output.contains("delivered")) {}
                return try pipe.lines()
            }
            let lines = result.closureResult
            #expect(lines.contains { $0.contains("business_no_missing") })
            #expect(lines.contains { $0.contains(#""state":"delivered""#) })
            #expect(lines.last?.contains(#""counts""#) == true)
            #expect(result.terminationStatus == .exited(1))
            #expect(result.standardError.contains("interrupted"))
        }
    }
}
