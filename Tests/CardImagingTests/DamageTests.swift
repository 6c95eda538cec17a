import CImaging
import CLibJPEG
import CardModel
import Foundation
import Testing

@testable import CardImaging

@Suite struct DamageTests {
    static let kinds: [TestPicture.Coding] = [
        .init(), .init(sampling: .half420), .init(progressive: true), .init(sampling: .half420, progressive: true),
        .init(sampling: .half422), .init(space: JCS_GRAYSCALE), .init(space: JCS_RGB),
    ]

    @Test(arguments: Self.kinds) func `A JPEG cut anywhere is refused as truncated`(_ kind: TestPicture.Coding) throws {
        let source = try TestPicture.photo(width: 96, height: 80).jpeg(quality: 90, kind)
        for count in stride(from: 4, to: source.count, by: 5) {
            #expect(refusal(of: Array(source.prefix(count))) == .imageTruncated, "cut at \(count)")
        }
        #expect(refusal(of: Array(source.dropLast())) == .imageTruncated)
    }

    @Test(arguments: Self.kinds)
    func `A cut JPEG whose end marker was put back is refused, at any size`(_ kind: TestPicture.Coding) throws {
        let source = try TestPicture.noise(width: 96, height: 80, seed: 3).jpeg(quality: 90, kind)
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

    @Test func `Two thousand APP2 and Exif segments cost nothing but their bytes`() throws {
        var source = try TestPicture.mosaic(columns: 2, rows: 2).jpeg()
        for index in 0..<2000 {
            let chunk = Array("ICC_PROFILE\0".utf8) + [UInt8(index % 256), 255, 1, 2, 3]
            source = source.insertingSegment(0xE2, chunk)
        }
        #expect(try prepare(source).width == 32)
    }
}
