import CardModel
import Foundation
import Testing

@testable import CardImaging

/// Text chunks that inflate: a few kilobytes of file each, megabytes of memory if they were kept.
@Suite struct PNGTextTests {
    /// A zlib stream of `count` times the letter a, written by hand: one literal, then matches of 258 bytes at distance
    /// 1 in fixed Huffman codes (RFC 1951 section 3.2.6).
    private static func inflating(to count: Int) -> [UInt8] {
        var bits: [Bool] = [true, true, false]  // Last block, fixed codes.
        func code(_ value: Int, _ length: Int) { bits += (0..<length).reversed().map { value >> $0 & 1 == 1 } }
        code(0x30 + 0x61, 8)
        for _ in 0..<(count - 1) / 258 {
            code(0b1100_0101, 8)
            code(0, 5)
        }
        code(0, 7)
        bits += [Bool](repeating: false, count: (8 - bits.count % 8) % 8)
        let stream = stride(from: 0, to: bits.count, by: 8).map { at in
            (0..<8).reduce(UInt8(0)) { $0 | (bits[at + $1] ? 1 << UInt8($1) : 0) }
        }
        let length = 1 + (count - 1) / 258 * 258
        let a = (1 + length * 0x61) % 65521
        let b = (length + length * (length + 1) / 2 % 65521 * 0x61) % 65521
        return [0x78, 0x9C] + stream + [UInt8(b >> 8), UInt8(b & 0xFF), UInt8(a >> 8), UInt8(a & 0xFF)]
    }

    @Test func `Text that inflates to 480 MB is skipped: the picture is read, in little memory`() async {
        await #expect(processExitsWith: .success) {
            let text = Array("k\0\0".utf8) + PNGTextTests.inflating(to: 4_000_000)
            let chunks = (0..<120).map { _ in (type: "zTXt", body: text) }
            let image = try prepare(PNGTests.picture.png(extra: chunks))
            #expect(image.width == PNGTests.picture.width)
            // Not `getrusage`, whose peak begins with that of the process this one was made from.
            let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
            let peak = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
            let kibibytes = try #require(peak.split(separator: " ").dropLast().last.flatMap { Int($0) })
            #expect(kibibytes < 200 * 1024, "peak of \(kibibytes) KiB")
        }
    }
}
