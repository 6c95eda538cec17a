import Foundation
import IDCardTesting
import MultipartForm
import Synchronization
import Testing

@testable import OutboundHTTP

/// The memory of an upload does not grow with it.
@Suite(.timeLimit(.minutes(Sanitizer.minutes(2))))
struct FlatMemoryTests {
    /// In a process of its own: what the other tests use is not counted.
    @Test("A file of 200 MB through a slow reader grows the process by less than 24 MB")
    func slowReader() async {
        await #expect(processExitsWith: .success) {
            let size: UInt64 = 200_000_000
            let path = FileManager.default.temporaryDirectory.appending(path: "flat-\(UUID().uuidString).bin").path
            defer { try? FileManager.default.removeItem(atPath: path) }
            try #require(FileManager.default.createFile(atPath: path, contents: nil))
            let file = try #require(FileHandle(forWritingAtPath: path))
            try file.truncate(atOffset: size)
            try file.close()
            try await Self.warmUp()

            let before = try Self.residentBytes()
            let peak = Mutex(before)
            var options = FaultServer.Options()
            options.keepsBodies = false
            options.receiveBufferBytes = 65_536
            // Four megabytes in steps, then at full speed.
            let slow = SlowReading(bytesPerStep: 65_536, stepMilliseconds: 10, slowBytes: 4 << 20)
            let part = MultipartForm.Part.file(
                .file(path: path, length: size),
                name: "f",
                filename: "f.bin",
                contentType: "application/octet-stream"
            )
            let form = try MultipartForm(parts: [part], boundary: Boundary("flat"))
            let tracker = UploadProgressTracker { _ in
                let now = (try? Self.residentBytes()) ?? .max
                peak.withLock { $0 = max($0, now) }
            }
            try await withFaultServer(.slow(slow, reply: FaultReply()), options: options) { server, port in
                let endpoint = try RemoteEndpoint("http://127.0.0.1:\(port)/")
                let exchange = try await withClient {
                    await $0.post(form, to: endpoint, deadline: .seconds(100), progress: tracker)
                }
                #expect(exchange.reply?.status == 200)
                #expect(server.received.first.map { UInt64($0.bodyLength) } == form.contentLength)
            }
            let growth = peak.withLock { $0 } - before
            #expect(growth < 24 << 20 || Sanitizer.isPresent, "grew by \(growth) bytes")
        }
    }

    /// Sends something once, so that pools, threads and the code itself are in memory before it is measured.
    private static func warmUp() async throws {
        try await withFaultServer(.reply(FaultReply())) { _, port in
            _ = try await withClient { try await post(makeForm(), port: port, with: $0) }
        }
    }

    /// The resident set of this process: the second field of `/proc/self/statm`, in pages.
    private static func residentBytes() throws -> Int {
        let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        let fields = text.split(separator: " ")
        let pages = try #require(fields.count > 1 ? Int(fields[1]) : nil)
        return pages * 4096
    }
}
