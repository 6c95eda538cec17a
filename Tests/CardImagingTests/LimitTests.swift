import CardModel
import Foundation
import Testing

@testable import CardImaging

@Suite struct LimitTests {
    static let picture = TestPicture.photo(width: 200, height: 100)

    private static func limits(_ change: (inout ImagingLimits) -> Void) -> ImagingLimits {
        var limits = ImagingLimits()
        change(&limits)
        return limits
    }

    private static func settings(_ change: (inout ImagingSettings) -> Void) -> ImagingSettings {
        var settings = gentle
        change(&settings)
        return settings
    }

    @Test(arguments: [false, true])
    func `As many bytes, pixels and as long an edge as the limit are allowed, one more is refused`(asPNG: Bool) throws {
        let source = asPNG ? Self.picture.png() : try Self.picture.jpeg()
        #expect(refusal(of: source, Self.settings { $0.maxSourceBytes = source.count }) == nil)
        #expect(refusal(of: source, Self.settings { $0.maxSourceBytes = source.count - 1 }) == .sourceTooLarge)
        #expect(refusal(of: source, Self.settings { $0.maxPixels = 20_000 }) == nil)
        #expect(refusal(of: source, Self.settings { $0.maxPixels = 19_999 }) == .imageTooManyPixels)
        #expect(refusal(of: source, limits: Self.limits { $0.maxSourceEdge = 200 }) == nil)
        #expect(refusal(of: source, limits: Self.limits { $0.maxSourceEdge = 199 }) == .imageEdgeTooLong)
    }

    @Test func `A PNG of width 0 is damaged`() {
        var source = TestPicture.mosaic(columns: 1, rows: 1).png()
        source.replaceSubrange(16..<24, with: bigEndian(0, bytes: 4) + bigEndian(5, bytes: 4))
        #expect(refusal(of: source) == .imageCorrupt)
    }

    @Test func `As many scans as the limit are allowed, one more is refused`() throws {
        let source = try Self.picture.jpeg(progressive: true)
        let count = (0..<source.count - 1).count { source[$0] == 0xFF && source[$0 + 1] == 0xDA }
        #expect(count > 2)
        #expect(refusal(of: source, limits: Self.limits { $0.maxScans = count }) == nil)
        #expect(refusal(of: source, limits: Self.limits { $0.maxScans = count - 1 }) == .imageTooManyScans)
    }

    @Test func `A thousand repeated scans are refused as soon as they contradict what came before`() throws {
        var source = try Self.picture.jpeg(progressive: true)
        let scans = (0..<source.count - 1).filter { source[$0] == 0xFF && source[$0 + 1] == 0xDA }
        let last = Array(source[try #require(scans.last)..<source.count - 2])
        source.removeLast(2)
        for _ in 0..<1000 { source += last }
        source += [0xFF, 0xD9]
        #expect(refusal(of: source) == .imageCorrupt)
    }

    /// What a source is, the longest edge of its image, the bytes that decoding may take, and whether they do.
    private static let memory: [(source: @Sendable () throws -> [UInt8], edge: Int, bytes: Int, isEnough: Bool)] = {
        let square = TestPicture.photo(width: 800, height: 800)
        let wide = TestPicture.photo(width: 4000, height: 200)
        let narrow = TestPicture.photo(width: 4, height: 8000)
        let grey = TestPicture(width: 1000, height: 1000) { _, _ in (128, 128, 128) }
        return [
            // A progressive JPEG and an interlaced PNG need memory for the whole picture, others do not.
            ({ try square.jpeg() }, 100, 1 << 20, true), ({ try square.jpeg(progressive: true) }, 100, 1 << 20, false),
            ({ square.png() }, 100, 1 << 20, true), ({ square.png(interlaced: true) }, 100, 1 << 20, false),
            // Planes that are to be kept count, too.
            ({ try square.jpeg() }, 200, 1 << 20, true), ({ try square.jpeg() }, 1600, 1 << 20, false),
            // Rows are padded: those of a narrow plane take a hundred bytes for four.
            ({ try narrow.jpeg() }, 8000, 4 << 20, true), ({ try narrow.jpeg() }, 8000, 1 << 20, false),
            // At 40 pixels each row of the target is made of all rows of the source.
            ({ wide.png() }, 400, 2 << 20, true), ({ wide.png() }, 40, 2 << 20, false),
            // A row of the target is made of four times 100 rows of luma and eight times 100 of each chroma: 2 MB.
            ({ grey.png() }, 10, 2_600_000, true), ({ grey.png() }, 10, 1_990_000, false),
        ]
    }()

    @Test(arguments: Self.memory.indices) func `What decoding takes at once counts as memory`(index: Int) throws {
        let (source, edge, bytes, isEnough) = Self.memory[index]
        let limits = Self.limits { $0.maxDecodeBytes = bytes }
        let bytesOfSource = try source()
        let code = refusal(of: bytesOfSource, Self.settings { $0.maxEdge = edge }, limits: limits)
        #expect(code == (isEnough ? nil : .imageDecodeMemory))
        guard !isEnough else { return }
        let error = #expect(throws: CodedError.self) {
            try prepare(bytesOfSource, Self.settings { $0.maxEdge = edge }, limits: limits)
        }
        // What helps: smaller planes, and another kind of file for what is decoded as a whole.
        let remedy = [1, 3].contains(index) ? "save it neither progressive nor" : "lower imaging.max_edge (\(edge))"
        #expect(error?.message.text().contains(remedy) == true, "\(String(describing: error))")
    }

    @Test func `A turn that has no memory to stay coefficients takes the path that needs less`() throws {
        let source = try TestPicture.photo(width: 1600, height: 1200).jpeg(sampling: .half420)
        let limits = Self.limits { $0.maxDecodeBytes = 5 << 20 }
        for orientation in 1...8 {
            #expect(refusal(of: source.withOrientation(orientation), limits: limits) == nil)
        }
    }

    @Test func `A decoder out of time stops, and the photo may succeed another time`() throws {
        let source = try TestPicture.noise(width: 1200, height: 1200, seed: 8).jpeg(quality: 100, progressive: true)
        let error = #expect(throws: CodedError.self) {
            try prepare(source, limits: Self.limits { $0.maxDecodeTime = .milliseconds(1) })
        }
        #expect(error?.code == .imageDecodeTime)
        #expect(error?.kind == .temporary)
    }

    @Test func `A refusal says the value, the limit and what to do`() throws {
        let source = try Self.picture.jpeg()
        let error = #expect(throws: CodedError.self) { try prepare(source, Self.settings { $0.maxPixels = 10 }) }
        #expect(error?.kind == .input)
        let text = "the image has 200x100 pixels, more than 10; supply a smaller one"
        #expect(error?.message.text() == text)
    }
}
