import Foundation
import Glibc
import Subprocess
import SystemPackage
import Testing

@Suite("A reader of standard output that stops reading", .serialized, .timeLimit(.minutes(2)))
struct StalledReaderTests {
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

    @Test("Cards are verified and delivered, signals are heard, and all lines are there once somebody reads again")
    func goesOn() async throws {
        let tool = try Tool()
        let reading =
            #"{"request_id":"r","time_used":1,"side":"front","name":"样本甲","gender":"男","race":"汉","#
            + #""address":"样本省样本市样本路1号","id_card_number":"110101199003070011","#
            + #""birthday":{"year":"1990","month":"3","day":"7"},"#
            + #""legality":{"Edited":0.001,"Photocopy":0.0,"ID Photo":0.95,"Screen":0.0,"Temporary ID Photo":0.04}}"#
        let verifier = try HeldServer { _ in reading }
        let backend = try HeldServer { _ in #"{"RETCODE":"000000","RETMSG":"ok"}"# }
        let file = try RemoteConfiguration().write(for: tool, verifier: verifier.url, backend: backend.url)
        // Only the photo in the folder has a number: the line of the other one meets the full pipe first.
        let photos = try tool.folder(
            "photos",
            ["S-1/front.jpg": "cards/LOAN-2026-0001/front.jpg", "odd.jpg": "cards/LOAN-2026-0011/front.jpg"]
        )
        let pipe = try FullPipe()
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
            await verifier.arrival()
            verifier.release()
            await backend.arrival()
            try execution.send(signal: .terminate)
            backend.release()
            // Another process sees what this one has concluded.
            while !(try await tool.run(["cards", "list"] + file).output.contains("delivered")) {}
            return try pipe.lines()
        }
        let lines = result.closureResult
        #expect(lines.contains { $0.contains("business_no_missing") })
        #expect(lines.contains { $0.contains(#""state":"delivered""#) })
        #expect(lines.last?.contains(#""counts""#) == true)
        #expect(result.terminationStatus == .exited(1))
        #expect(result.standardError.contains("interrupted: finishing 1 request"))
    }
}
