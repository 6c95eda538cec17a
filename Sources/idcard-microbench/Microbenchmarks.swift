import Foundation
import Glibc
import IDCardCore
import IDCardImaging
import IDCardMultipartForm
import IDCardPipeline
import IDCardSandbox

/// Times single pieces of the job, each by itself; `scripts/bench --micro` runs it.
///
/// Usage: `idcard-microbench PHOTO…`, where each photo is a JPEG. Prints a line per piece: its name, the median over five
/// rounds in microseconds, and the spread. What computes is measured in processor time of its thread, what waits for the
/// disk in wall-clock time.
@main
struct Microbenchmarks {
    /// How often each piece is measured; odd, so that one is in the middle.
    private static let rounds = 5
    /// How long each round goes on at least, in seconds.
    private static let roundLength = 0.4

    static func main() async throws {
        for path in CommandLine.arguments.dropFirst() {
            let photo = try Data(contentsOf: URL(filePath: path))
            let name = URL(filePath: path).lastPathComponent
            try self.codec(photo, name)
        }
        try self.form()
        try await self.sandbox()
    }

    // MARK: Pieces

    private static func codec(_ photo: Data, _ name: String) throws {
        for (quality, edge) in [(0.5, 1600), (0.75, 65_500)] {
            let settings = RecompressionSettings(quality: quality, maximumEdge: edge)
            let recompressor = ImageRecompressor(settings: settings)
            try self.measure("recompress \(name), quality \(quality), edge \(edge)") {
                _ = try recompressor.recompress(photo)
            }
        }
        self.measure("SHA-256 of \(name)") { _ = ContentDigest(of: photo) }
    }

    private static func form() throws {
        let image = Data((0..<150_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) })
        let parts: [MultipartForm.Part] = [
            .text("specimen-token", name: "TOKEN"), .text("10086", name: "USERNO"),
            .file(.bytes(image), name: "FILE", filename: "front.jpg", contentType: "image/jpeg"),
        ]
        let key = "5f0f1e62-8f0e-4d0f-9d55-0c8f3a1b2c3d"
        try self.measure("derive a boundary and prove it absent, 150 kB") {
            _ = try Boundary.derived(from: key, absentFrom: parts)
        }
        let form = try MultipartForm(parts: parts, boundary: Boundary.derived(from: key, absentFrom: parts))
        var body = Data()
        try self.measure("encode a form, 150 kB") {
            var reader = try form.makeReader()
            body.removeAll(keepingCapacity: true)
            while let chunk = try reader.read() { body.append(chunk) }
        }
        let whole = body
        try self.measure("parse a form, 150 kB") {
            var parser = try MultipartParser(contentType: form.contentType, contentLength: Int64(whole.count))
            parser.append(whole)
            parser.finish()
            while try parser.next() != nil {}
        }
    }

    private static func sandbox() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "microbench-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let keys = KeyRing(VaultKey.random())
        let store = try SandboxStore.open(
            directory: folder.path,
            options: SandboxOptions(
                endpoints: .embedded,
                isReadOnly: false,
                vault: .encrypted(keys),
                storage: SandboxStorage(),
                now: Timestamp(Date())
            )
        )
        var number = 0
        for width in [1, 16] {
            try await self.measureWaiting("admit a card of 90 kB durably, \(width) at a time", per: width) {
                let first = number
                number += width
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for index in first..<first + width {
                        group.addTask { _ = try await store.admit(self.admission(index), now: Timestamp(Date())) }
                    }
                    try await group.waitForAll()
                }
            }
        }
        try await store.close()
    }

    private static func admission(_ number: Int) throws -> Admission {
        let jpeg = Data(repeating: UInt8(truncatingIfNeeded: number), count: 90_000) + Data("\(number)".utf8)
        guard let businessNumber = BusinessNumber("CASE-\(number)") else { preconditionFailure("no business number") }
        return Admission(
            id: CardID(rawValue: "card-\(number)"),
            metadata: CardMetadata(businessNumber: businessNumber),
            sourceDigest: ContentDigest(of: Data("source \(number)".utf8)),
            file: nil,
            intakeOrder: Int64(number),
            content: .prepared(PreparedImage(jpeg: jpeg, width: 1200, height: 900, digest: ContentDigest(of: jpeg)))
        )
    }

    // MARK: Measuring

    private static func measure(_ name: String, _ piece: () throws -> Void) rethrows {
        try piece()
        var results: [Double] = []
        for _ in 0..<self.rounds {
            let start = self.processorTime()
            var count = 0
            while self.processorTime() - start < self.roundLength {
                try piece()
                count += 1
            }
            results.append((self.processorTime() - start) / Double(count))
        }
        self.report(name, results)
    }

    private static func measureWaiting(_ name: String, per width: Int, _ piece: () async throws -> Void) async throws {
        try await piece()
        var results: [Double] = []
        let clock = ContinuousClock()
        for _ in 0..<self.rounds {
            let start = clock.now
            var count = 0
            while clock.now - start < .seconds(self.roundLength) {
                try await piece()
                count += width
            }
            results.append((clock.now - start) / .seconds(1) / Double(count))
        }
        self.report(name, results)
    }

    private static func processorTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private static func report(_ name: String, _ results: [Double]) {
        let sorted = results.sorted()
        let median = sorted[sorted.count / 2]
        let spread = 50 * (sorted[sorted.count - 1] - sorted[0]) / median
        let figure = String(format: "%12.1f us  ±%.0f %%", median * 1e6, spread)
        let line = "\(name.padding(toLength: 64, withPad: " ", startingAt: 0))\(figure)\n"
        FileHandle.standardOutput.write(Data(line.utf8))
    }
}
