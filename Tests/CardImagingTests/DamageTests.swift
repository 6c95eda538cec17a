import CImaging
import CLibJPEG
import CardModel
import Foundation
import TestSupport
import Testing

@testable import CardImaging

@Suite struct DamageTests {
    struct Kind: Sendable, CustomTestStringConvertible {
        var sampling = TestPicture.Sampling.full
        var progressive = false
        var space = JCS_YCbCr
        var testDescription: String { "\(self.sampling) progressive \(self.progressive) space \(self.space.rawValue)" }

        func source(_ picture: TestPicture) throws -> [UInt8] {
            try picture.jpeg(quality: 90, sampling: self.sampling, progressive: self.progressive, space: self.space)
        }
    }

    static let kinds = [
        Kind(), Kind(sampling: .half420), Kind(progressive: true), Kind(sampling: .half420, progressive: true),
        Kind(sampling: .half422), Kind(space: JCS_GRAYSCALE), Kind(space: JCS_RGB),
    ]

    @Test(arguments: Self.kinds) func `A JPEG cut anywhere is refused as truncated`(_ kind: Kind) throws {
        let source = try kind.source(.photo(width: 96, height: 80))
        for count in stride(from: 4, to: source.count, by: 5) {
            #expect(refusal(of: Array(source.prefix(count))) == .imageTruncated, "cut at \(count)")
        }
        #expect(refusal(of: Array(source.dropLast())) == .imageTruncated)
    }

    @Test(arguments: Self.kinds)
    func `A cut JPEG whose end marker was put back is refused too, at full and reduced size`(_ kind: Kind) throws {
        let source = try kind.source(.noise(width: 96, height: 80, seed: 3))
        let start = try #require(source.scanDataOffset)
        let scanEnd = source[start...].indices.first { source[$0] == 0xFF && source[$0 + 1] != 0 } ?? source.count
        for share in [0.1, 0.5, 0.9] {
            let count = start + Int(Double(scanEnd - start) * share)
            let repaired = Array(source.prefix(count)) + [0xFF, 0xD9]
            for edge in [1600, 12] {
                let code = refusal(of: repaired, settings(maxEdge: edge))
                #expect(code == .imageTruncated, "share \(share) edge \(edge)")
            }
        }
    }

    @Test func `A component whose scan never comes is refused`() throws {
        let source = try TestPicture.photo(width: 64, height: 64).jpeg(progressive: true)
        let scans = (0..<source.count - 1).filter { source[$0] == 0xFF && source[$0 + 1] == 0xDA }
        // Turn the first scan (the DC terms of all three components) into nothing.
        let next = try #require(
            (scans[0] + 2..<source.count - 1).first { source[$0] == 0xFF && source[$0 + 1] == 0xC4 }
        )
        let without = Array(source[..<scans[0]]) + Array(source[next...])
        #expect(refusal(of: without) == .imageCorrupt)
    }

    @Test func `A sequential JPEG whose one-component scans repeat without end is stopped at the scan limit`() throws {
        let colour = try TestPicture.mosaic(columns: 2, rows: 2).jpeg()
        let grey = try TestPicture.mosaic(columns: 2, rows: 2).jpeg(space: JCS_GRAYSCALE)
        // A frame of three components, then the grey picture's scan (component 1 alone) again and again: legal.
        let start = try #require(grey.offset(ofMarker: 0xDA))
        let scan = Array(grey[start..<grey.count - 2])
        let tables = try #require(colour.offset(ofMarker: 0xDA))
        let bomb = Array(colour[..<tables]) + Array(repeating: scan, count: 500).joined() + [0xFF, 0xD9]
        var limits = ImagingLimits()
        limits.maxScans = 1000
        #expect(refusal(of: bomb) == .imageTooManyScans)
        #expect(refusal(of: bomb, limits: limits) == .imageCorrupt)  // Chroma never comes.
    }

    @Test func `Bytes after the end, between segments and before the end are accepted`() throws {
        let picture = TestPicture.photo(width: 64, height: 48)
        let source = try picture.jpeg()
        let expected = try prepare(source).jpeg
        let stray = Array(source[..<2]) + [0xFF, 0xFF, 0xFF] + Array(source[2...])
        let beforeEnd = Array(source.dropLast(2)) + [0, 0, 0, 0] + [0xFF, 0xD9]
        for variant in [source + Array("trailing".utf8), source + source, stray, beforeEnd] {
            #expect(try prepare(variant).jpeg == expected)
        }
    }

    @Test(arguments: Self.kinds)
    func `600 seeded changes of each kind never crash, and every outcome is a picture or a known refusal`(_ kind: Kind)
        throws
    {
        let source = try kind.source(.photo(width: 64, height: 48)).withOrientation(6)
        var random = SeededRandom(seed: 42)
        var outcomes: [ReasonCode?: Int] = [:]
        for _ in 0..<600 {
            var file = source
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let at = Int.random(in: 0..<file.count, using: &random)
                if Bool.random(using: &random) {
                    file[at] ^= 1 << UInt8.random(in: 0...7, using: &random)
                } else {
                    file[at] = .random(in: 0...255, using: &random)
                }
            }
            outcomes[refusal(of: file, settings(maxEdge: 40)), default: 0] += 1
        }
        #expect(outcomes.count > 1)
        #expect(outcomes[.imageInternalError] == nil)
        #expect(outcomes[.imageOutOfMemory] == nil)
    }

    @Test func `Two thousand APP2 and Exif segments cost nothing but their bytes`() throws {
        var source = try TestPicture.mosaic(columns: 2, rows: 2).jpeg()
        for index in 0..<2000 {
            let chunk = Array("ICC_PROFILE\0".utf8) + [UInt8(index % 256), 255, 1, 2, 3]
            source = source.insertingSegment(0xE2, chunk)
        }
        #expect(try prepare(source).width == 32)
    }

    @Test func `libjpeg and libpng print nothing, whatever they are given`() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let picture = TestPicture.photo(width: 48, height: 48)
            let files = [try picture.jpeg(), try picture.jpeg(progressive: true), picture.png()]
            var random = SeededRandom(seed: 11)
            for round in 0..<300 {
                var file = files[round % 3]
                for _ in 0..<4 { file[Int.random(in: 0..<file.count, using: &random)] ^= 0x55 }
                _ = refusal(of: file)
            }
        }
        let printed = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(!printed.contains("JPEG") && !printed.lowercased().contains("libpng"))
    }
}
