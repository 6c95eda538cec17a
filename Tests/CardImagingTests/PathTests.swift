import CImaging
import CLibJPEG
import CardModel
import Foundation
import Testing

@testable import CardImaging

/// How samples become other samples, or coefficients other coefficients.
@Suite struct PathTests {
    /// Decibels below which the output differs from the true picture in more than rounding. Chroma moved by half a
    /// sample, or an odd edge stretched, falls below it.
    static let leastRatio = 37.0

    /// Smooth waves in luma and, steeper and across, in chroma, without symmetry. `shown` is the size of the picture
    /// after a reduction: its waves are as long there, whatever the size is now.
    static func waves(_ width: Int, _ height: Int, shown: (width: Int, height: Int)? = nil) -> TestPicture {
        let shown = shown ?? (width, height)
        func position(_ index: Int, _ edge: Int, _ shown: Int) -> Double {
            ((Double(index) + 0.5) * Double(shown) / Double(edge) - 0.5) / 25
        }
        return TestPicture(width: width, height: height) { x, y in
            let (across, down) = (position(x, width, shown.width), position(y, height, shown.height) * 0.8)
            let (luma, blue, red) = (128 + 50 * cos(across * 0.7 + down), 60 * sin(across * 2), 60 * sin(down * 2))
            let rgb = [luma + 1.402 * red, luma - 0.344 * blue - 0.714 * red, luma + 1.772 * blue]
            let samples = rgb.map { UInt8(min(255, max(0, $0.rounded()))) }
            return (samples[0], samples[1], samples[2])
        }
    }

    static let codings =
        TestPicture.Sampling.allCases.map { TestPicture.Coding(sampling: $0) }
        + [TestPicture.Coding(space: JCS_RGB), TestPicture.Coding(sampling: .half420, progressive: true)]

    private func expectTruth(_ width: Int, _ height: Int, edge: Int, orientation: Int, _ coding: TestPicture.Coding)
        throws
    {
        let target = PixelSize(width: width, height: height).fitted(to: edge)
        let picture = Self.waves(width, height, shown: (target.width, target.height))
        let source = try picture.stored(orientation: orientation).jpeg(quality: 100, coding)
        let image = try prepare(source.withOrientation(orientation), settings(quality: 1, maxEdge: edge))
        let ratio = try TestPicture(decoding: image.jpeg).signalToNoise(
            against: Self.waves(target.width, target.height)
        )
        #expect(try #require(ratio) >= Self.leastRatio, "\(width)x\(height) to \(edge), orientation \(orientation)")
    }

    @Test(arguments: codings, 1...8)
    func `At its own size a picture comes out as it is`(coding: TestPicture.Coding, orientation: Int) throws {
        for (width, height) in [(128, 96), (127, 97), (126, 67), (33, 31), (16, 16), (1, 1), (17, 1), (2, 3)] {
            // Three pixels with a single sample of chroma are not as they were.
            if coding.sampling == .quarter411, width == 2 { continue }
            try self.expectTruth(width, height, edge: 1600, orientation: orientation, coding)
        }
    }

    @Test(arguments: codings, 1...8)
    func `Reduced, a picture comes out as it is`(coding: TestPicture.Coding, orientation: Int) throws {
        for (width, height, edge) in [(200, 150, 150), (203, 151, 100), (129, 257, 56), (401, 3, 50)] {
            try self.expectTruth(width, height, edge: edge, orientation: orientation, coding)
        }
    }

    @Test(arguments: 1...8)
    func `At the quality it was made with a picture keeps every coefficient in any turn`(orientation: Int) throws {
        let stored = TestPicture.noise(width: 64, height: 48, seed: 7).stored(orientation: orientation)
        // Other tables than of quality 100 are not the same for rows and columns: a quarter turn rounds.
        for quality in orientation >= 5 ? [100] : [100, 60] {
            let settings = settings(quality: Double(quality) / 100)
            let source = try stored.jpeg(quality: Int32(quality), sampling: .half420)
            let upright = Array(try prepare(source.withOrientation(orientation), settings).jpeg)
            // Of the turns only those by a quarter are not their own opposite.
            let opposite = [6: 8, 8: 6][orientation] ?? orientation
            let back = try prepare(upright.withOrientation(opposite), settings)
            #expect(back.jpeg == (try prepare(source, settings)).jpeg, "at \(quality)")
        }
    }

    @Test(arguments: [1, 3, 6])
    func `A picture stored coarser than it becomes keeps every coefficient, too`(orientation: Int) throws {
        let source = try TestPicture.noise(width: 64, height: 48, seed: 9).jpeg(quality: 15, sampling: .half420)
        let turned = Array(try prepare(source.withOrientation(orientation)).jpeg)
        let opposite = [6: 8][orientation] ?? orientation
        let back = try TestPicture(decoding: try prepare(turned.withOrientation(opposite)).jpeg)
        #expect(back == (try TestPicture(decoding: Data(source))))
    }

    @Test(arguments: [1, 6, 3])
    func `Coefficients no picture has are brought into what can be written`(orientation: Int) throws {
        var source = try TestPicture.noise(width: 64, height: 64, seed: 3).jpeg(quality: 100, sampling: .half420)
        // Every quantisation step becomes 255: what was one is two hundred and fifty-five times as much.
        for start in source.indices.dropLast(68) where source[start] == 0xFF && source[start + 1] == 0xDB {
            for index in start + 5..<start + 69 { source[index] = 255 }
        }
        for quality in [1.0, 0.5, 0.01] {
            let image = try prepare(source.withOrientation(orientation), settings(quality: quality))
            #expect(try TestPicture(decoding: image.jpeg).width == 64)
        }
    }

    @Test(arguments: [1, 2, 3, 6], [120, 4000])
    func `A picture cut anywhere is refused, never sent in part`(orientation: Int, edge: Int) throws {
        for (width, height) in [(400, 304), (400, 300)] {
            let whole = try Self.waves(width, height).jpeg(quality: 90, sampling: .half420).withOrientation(orientation)
            let settings = settings(maxEdge: edge)
            #expect(refusal(of: whole, settings) == nil)
            for end in stride(from: 4, to: whole.count - 1, by: 397) {
                #expect(refusal(of: Array(whole[..<end]), settings) == .imageTruncated, "cut at \(end)")
            }
        }
    }
}

extension TestPicture {
    /// The peak signal to noise ratio in decibels; infinite when equal, nil for different sizes.
    func signalToNoise(against other: TestPicture) -> Double? {
        guard self.width == other.width, self.height == other.height else { return nil }
        var squares = 0
        for (mine, others) in zip(self.rgb, other.rgb) {
            let difference = Int(mine) - Int(others)
            squares += difference * difference
        }
        return 10 * log10(255 * 255 * Double(self.rgb.count) / Double(squares))
    }
}
