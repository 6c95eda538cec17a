import Foundation
import Glibc
import IDCardImaging
import IDCardTesting
import Testing

/// The decoder before files that were made to harm it, in a process whose memory and time are bounded by the kernel.
///
/// `IDCARD_HOSTILE_FILES=20000 IDCARD_HOSTILE_SEED=7` tries more, and others.
@Suite("Files made to harm the decoder", .timeLimit(.minutes(Sanitizer.minutes(60))))
struct HostileFileTests {
    /// What came of all of them.
    private struct Tally {
        var accepted = 0
        var refused: [String: Int] = [:]
        var longest = Duration.zero

        mutating func add(_ bytes: [UInt8], limits: ImagingLimits) -> Bool {
            let clock = ContinuousClock()
            let start = clock.now
            defer { self.longest = max(self.longest, clock.now - start) }
            do {
                let image = try recompress(bytes, RecompressionSettings(maximumEdge: 200), limits: limits)
                self.accepted += 1
                return ImageFormat.sniff(image.jpeg) == .jpeg && max(image.width, image.height) <= 200
            } catch {
                self.refused[error.code.rawValue, default: 0] += 1
                // What the limit of the process refuses, our own limits should have refused before.
                return error.code != .outOfMemory && error.code != .internalError
            }
        }
    }

    private static func number(_ name: String, default fallback: Int) -> Int {
        ProcessInfo.processInfo.environment[name].flatMap(Int.init) ?? fallback
    }

    private static func originals() throws -> [[UInt8]] {
        let picture = TestPicture.photo(width: 160, height: 120)
        let exif = try picture.jpeg(quality: 80, subsampled: true).withOrientation(6)
        return [
            exif, try picture.jpeg(quality: 90), try picture.jpeg(quality: 60, progressive: true),
            try picture.jpeg(quality: 60, subsampled: true, progressive: true), try picture.jpeg(grey: true),
            picture.png(), picture.png(interlaced: true),
            picture.png(extra: [("tEXt", Array("Comment\0text".utf8)), ("gAMA", bigEndian(45_455, bytes: 4))]),
        ]
    }

    @Test("None of them brings it down, keeps it longer than it may take, or takes more memory than there may be")
    func survives() async {
        await #expect(processExitsWith: .exitCode(42)) {
            let count = Self.number("IDCARD_HOSTILE_FILES", default: 600)
            let seed = Self.number("IDCARD_HOSTILE_SEED", default: 20_260_512)
            var limits = ImagingLimits()
            limits.maximumDecodeTime = .seconds(2)
            limits.maximumDecodeMemoryBytes = 16 << 20
            guard let originals = try? Self.originals() else { exit(1) }
            var mutation = PictureMutation(seed: UInt64(seed), of: originals)
            var confinement = DecoderConfinement(limits: limits, outputBytes: 2 << 20)
            // Shadow memory is address space, too.
            confinement.memoryBytes = Sanitizer.isPresent ? 1 << 45 : 64 << 20
            confinement.processorSeconds = 3600
            guard confinement.apply(keepingDescriptorsThrough: 1000) else { exit(2) }
            var tally = Tally()
            for _ in 0..<count where !tally.add(mutation.next(), limits: limits) { exit(3) }
            if count > 10_000 {
                // By hand, on a machine that has time: twice the limit, for encoding comes after decoding.
                guard tally.longest < limits.maximumDecodeTime * 2 else { exit(4) }
                let kinds = tally.refused.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
                let line = "\(count) files: \(tally.accepted) accepted, longest \(tally.longest), \(kinds)\n"
                FileHandle.standardError.write(Data(line.utf8))
            }
            exit(42)
        }
    }
}
