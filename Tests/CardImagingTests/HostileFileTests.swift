import CImaging
import CLibJPEG
import CardModel
import Foundation
import Glibc
import Testing

@testable import CardImaging

/// The decoder before files that were made to harm it, in a process whose memory and time are bounded by the kernel.
///
/// `IDCARD_HOSTILE_FILES=20000 IDCARD_HOSTILE_SEED=7` tries more, and others.
@Suite(.timeLimit(.minutes(60))) struct HostileFileTests {
    private static func number(_ name: String, default fallback: Int) -> Int {
        ProcessInfo.processInfo.environment[name].flatMap(Int.init) ?? fallback
    }

    private static func originals() throws -> [[UInt8]] {
        let picture = TestPicture.photo(width: 96, height: 80)
        let exif = try picture.jpeg(quality: 80, sampling: .half420).withOrientation(6)
        return [
            exif, try picture.jpeg(quality: 90), try picture.jpeg(quality: 60, progressive: true),
            try picture.jpeg(quality: 60, sampling: .half420, progressive: true),
            try picture.jpeg(space: JCS_GRAYSCALE), try picture.jpeg(space: JCS_RGB),
            try picture.jpeg(sampling: .half422),
            picture.png(), picture.png(interlaced: true),
            picture.png(extra: [("tEXt", rawProfile(exifBlock(orientation: 6)))]),
        ]
    }

    /// Whether an outcome is one that our own limits allow.
    private static func isSound(_ bytes: [UInt8], maxEdge: Int, limits: ImagingLimits) -> Bool {
        do {
            let image = try prepare(bytes, settings(maxEdge: maxEdge), limits: limits)
            return ImageFormat.sniff(image.jpeg) == .jpeg && max(image.width, image.height) <= maxEdge
        } catch {
            // What the limit of the process refuses, our own limits should have refused before.
            return error.code != .imageOutOfMemory && error.code != .imageInternalError
        }
    }

    /// Whether so many hostile files are each prepared or refused as our own limits allow.
    private static func areSound(_ count: Int, seed: Int, _ originals: [[UInt8]]) -> Bool {
        var limits = ImagingLimits()
        limits.maxDecodeTime = .seconds(2)
        limits.maxDecodeBytes = 16 << 20
        var mutation = PictureMutation(seed: UInt64(seed), of: originals)
        // By turns at its own size and reduced.
        return (0..<count).allSatisfy { number in
            Self.isSound(mutation.next(), maxEdge: number.isMultiple(of: 2) ? 200 : 40, limits: limits)
        }
    }

    @Test func `libjpeg and libpng print nothing, whatever they are given`() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            guard Self.areSound(2000, seed: 11, try Self.originals()) else { exit(3) }
        }
        let printed = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(!printed.contains("JPEG") && !printed.lowercased().contains("libpng"))
    }

    @Test func `None of them brings the process down or takes more memory than there may be`() async {
        await #expect(processExitsWith: .exitCode(42)) {
            let count = Self.number("IDCARD_HOSTILE_FILES", default: 800)
            let seed = Self.number("IDCARD_HOSTILE_SEED", default: 20_260_512)
            guard let originals = try? Self.originals() else { exit(1) }
            var confinement = idci_confinement(memory_bytes: 64 << 20, cpu_seconds: 3600, file_bytes: 2 << 20)
            guard idci_confine(&confinement) == 0 else { exit(2) }
            exit(Self.areSound(count, seed: seed, originals) ? 42 : 3)
        }
    }
}
