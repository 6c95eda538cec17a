import CJPEG
import Foundation
import IDCardImaging
import Testing

struct LimitTests {
    static let picture = TestPicture.photo(width: 200, height: 100)

    @Test("Source bytes: the limit itself is allowed, one more is refused")
    func sourceBytes() throws {
        let source = try Self.picture.jpeg()
        #expect(refusal(of: source, limits: ImagingLimits(maximumSourceBytes: source.count)) == nil)
        #expect(refusal(of: source, limits: ImagingLimits(maximumSourceBytes: source.count - 1)) == .tooLargeBytes)
    }

    @Test("Pixels: the limit itself is allowed, one less is refused", arguments: [false, true])
    func pixels(asPNG: Bool) throws {
        let source = asPNG ? Self.picture.png() : try Self.picture.jpeg()
        #expect(refusal(of: source, limits: ImagingLimits(maximumPixels: 20_000)) == nil)
        #expect(refusal(of: source, limits: ImagingLimits(maximumPixels: 19_999)) == .tooManyPixels)
    }

    @Test("Edge: the limit itself is allowed, one less is refused", arguments: [false, true])
    func edge(asPNG: Bool) throws {
        let source = asPNG ? Self.picture.png() : try Self.picture.jpeg()
        #expect(refusal(of: source, limits: ImagingLimits(maximumEdge: 200)) == nil)
        #expect(refusal(of: source, limits: ImagingLimits(maximumEdge: 199)) == .edgeTooLong)
    }

    @Test("A small JPEG that claims 64,000 by 64,000 pixels is refused from its header")
    func hugeClaim() throws {
        var source = try TestPicture.mosaic(columns: 1, rows: 1).jpeg()
        let frame = try #require(source.offset(ofMarker: 0xC0))
        source.replaceSubrange(frame + 5..<frame + 9, with: bigEndian(64_000, bytes: 2) + bigEndian(64_000, bytes: 2))
        #expect(refusal(of: source) == .tooManyPixels)
    }

    @Test("A small PNG that claims 60,000 by 60,000 pixels is refused from its header")
    func hugePNGClaim() {
        var source = TestPicture.mosaic(columns: 1, rows: 1).png()
        source.replaceSubrange(16..<24, with: bigEndian(60_000, bytes: 4) + bigEndian(60_000, bytes: 4))
        #expect(refusal(of: source) == .tooManyPixels)
        source.replaceSubrange(16..<24, with: bigEndian(0, bytes: 4) + bigEndian(5, bytes: 4))
        #expect(refusal(of: source) == .corrupt)
    }

    @Test("Scans: as many as the limit are allowed, one more is refused")
    func scans() throws {
        let source = try Self.picture.jpeg(progressive: true)
        let count = (0..<source.count - 1).count { source[$0] == 0xFF && source[$0 + 1] == 0xDA }
        #expect(count > 2)
        #expect(refusal(of: source, limits: ImagingLimits(maximumScans: count)) == nil)
        #expect(refusal(of: source, limits: ImagingLimits(maximumScans: count - 1)) == .tooManyScans)
    }

    @Test("A thousand repeated scans are refused as soon as they contradict what came before")
    func repeatedScans() throws {
        var source = try Self.picture.jpeg(progressive: true)
        let scans = (0..<source.count - 1).filter { source[$0] == 0xFF && source[$0 + 1] == 0xDA }
        let last = Array(source[try #require(scans.last)..<source.count - 2])
        source.removeLast(2)
        for _ in 0..<1000 { source += last }
        source += [0xFF, 0xD9]
        #expect(refusal(of: source) == .corrupt)
    }

    @Test("Memory: a progressive JPEG needs its coefficients, a baseline one does not")
    func memory() throws {
        let picture = TestPicture.photo(width: 800, height: 800)
        let limits = ImagingLimits(maximumDecodeMemoryBytes: 1 << 20)
        let settings = RecompressionSettings(maximumEdge: 100)
        #expect(refusal(of: try picture.jpeg(), settings, limits: limits) == nil)
        #expect(refusal(of: try picture.jpeg(progressive: true), settings, limits: limits) == .decodeMemory)
        #expect(refusal(of: picture.png(), settings, limits: limits) == nil)
        #expect(refusal(of: picture.png(interlaced: true), settings, limits: limits) == .decodeMemory)
    }

    @Test("Memory: pixels that are to be kept count too")
    func memoryOfTarget() throws {
        let source = try TestPicture.photo(width: 800, height: 800).jpeg()
        let limits = ImagingLimits(maximumDecodeMemoryBytes: 2 << 20)
        #expect(refusal(of: source, RecompressionSettings(maximumEdge: 1600), limits: limits) == .decodeMemory)
        #expect(refusal(of: source, RecompressionSettings(maximumEdge: 200), limits: limits) == nil)
    }

    @Test("Time: a decoder out of time stops")
    func time() throws {
        let source = try TestPicture.noise(width: 1200, height: 1200, seed: 8).jpeg(quality: 100, progressive: true)
        #expect(refusal(of: source, limits: ImagingLimits(maximumDecodeTime: .milliseconds(1))) == .decodeTime)
    }

    @Test("Every refusal says a value and what to do, and names no file")
    func messages() throws {
        let source = try Self.picture.jpeg()
        let error = #expect(throws: ImagingError.self) {
            try recompress(source, limits: ImagingLimits(maximumPixels: 10))
        }
        let message = try #require(error?.message)
        #expect(message.contains("200x100") && message.contains("10") && message.contains("supply"))
        #expect("\(try #require(error))".hasPrefix("image_too_many_pixels: "))
    }
}
