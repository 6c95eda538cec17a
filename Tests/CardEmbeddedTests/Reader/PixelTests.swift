import Testing

@testable import CardEmbedded

/// Loops over pixels, against values worked out by hand.
@Suite struct PixelTests {
    @Test func `Reducing takes the rounded mean of each block`() {
        let picture = Raster(width: 4, height: 2, pixels: [0, 1, 2, 3, 4, 5, 6, 7].flatMap { [$0, $0 * 10, 255] })
        let small = picture.reduced(toLongestEdge: 2)
        #expect(small.width == 2 && small.height == 1)
        // (0 + 1 + 4 + 5) / 4 = 2.5, (2 + 3 + 6 + 7) / 4 = 4.5.
        #expect(small.pixels == [3, 25, 255, 5, 45, 255])
    }

    @Test func `Grey is Rec. 601, or the brightest colour`() {
        let picture = Raster(width: 3, height: 1, pixels: [255, 0, 0, 0, 255, 0, 10, 20, 200])
        #expect(picture.grey(.luma).pixels == [77, 149, 37])
        #expect(picture.grey(.brightest).pixels == [255, 255, 200])
    }

    @Test func `A quadrilateral that is the whole frame gives the picture itself, and half a turn reverses it`() {
        let picture = Raster(width: 2, height: 2, pixels: (1...12).map { UInt8($0) })
        let frame = Quad.frame(width: 2, height: 2)
        #expect(picture.rectified(frame, width: 2, height: 2).pixels == picture.pixels)
        #expect(
            picture.rectified(frame.turned(quarters: 2), width: 2, height: 2).pixels
                == [10, 11, 12, 7, 8, 9, 4, 5, 6, 1, 2, 3]
        )
    }

    @Test func `An even ground becomes 205 however bright it is, and ink stays dark`() {
        var pixels = [UInt8](repeating: 100, count: 400)
        #expect(Raster(width: 20, height: 20, pixels: pixels).flattened(radius: 3).pixels.allSatisfy { $0 == 205 })
        pixels[210] = 20
        let flat = Raster(width: 20, height: 20, pixels: pixels).flattened(radius: 3)
        // The mean of 49 pixels is 98.37.
        #expect(flat.pixels[210] == 42 && flat.pixels[211] == 208 && flat.pixels[0] == 205)
    }

    @Test func `Stretching makes ink black and the ground white`() {
        let picture = Raster(width: 5, height: 1, pixels: [0, 40, 110, 180, 255])
        #expect(picture.stretched().pixels == [0, 0, 128, 255, 255])
    }

    @Test func `Blurring keeps an even picture and spreads a point alike to all sides`() {
        let even = Raster(width: 9, height: 9, pixels: [UInt8](repeating: 77, count: 81))
        #expect(even.blurred(sigma: 1.2).pixels == even.pixels)
        var pixels = [UInt8](repeating: 0, count: 81)
        pixels[40] = 255
        let blurred = Raster(width: 9, height: 9, pixels: pixels).blurred(sigma: 1).pixels
        // A Gaussian of 1 has 0.3991 in its middle and 0.2420 beside it, cut off at 3.
        #expect(blurred[40] == 41 && blurred[39] == 25)
        #expect(Set([31, 39, 41, 49].map { blurred[$0] }) == [25])
    }

    @Test func `The edges of a dark rectangle are found where they are`() {
        var pixels = [UInt8](repeating: 200, count: 120 * 80 * 3)
        for y in 20..<60 { for x in 30..<90 { for c in 0..<3 { pixels[(y * 120 + x) * 3 + c] = 40 } } }
        let edges = EdgeMap(of: Raster(width: 120, height: 80, pixels: pixels), threshold: 140)
        let level = edges.lines(upright: false, limit: 2).map { $0.value(at: 60) }.sorted()
        let upright = edges.lines(upright: true, limit: 2).map { $0.value(at: 40) }.sorted()
        #expect(zip(level, [20, 60]).allSatisfy { abs($0 - $1) <= 1.5 }, "\(level)")
        #expect(zip(upright, [30, 90]).allSatisfy { abs($0 - $1) <= 1.5 }, "\(upright)")
        #expect(edges.support(from: Point(x: 35, y: 20), to: Point(x: 85, y: 20)) > 0.9)
        #expect(edges.support(from: Point(x: 35, y: 40), to: Point(x: 85, y: 40)) == 0)
    }

    @Test func `Grey paper under coloured light has no colour, coloured print has`() {
        let yellow = Raster(width: 2, height: 1, pixels: [200, 180, 100, 100, 90, 50])
        #expect(yellow.chroma < 1)
        #expect(Raster(width: 2, height: 1, pixels: [250, 50, 50, 50, 250, 250]).chroma > 100)
    }

    @Test func `Lines of ink are found, specks and gaps inside characters are not`() {
        var pixels = [UInt8](repeating: 205, count: 40 * 30)
        for y in [3, 4, 6, 7, 20, 21, 22, 23] { for x in 10..<30 { pixels[y * 40 + x] = 10 } }
        pixels[12 * 40 + 5] = 0
        let window = Raster(width: 40, height: 30, pixels: pixels)
        #expect(window.linesOfText(gap: 2, minimumHeight: 3) == [3..<8, 20..<24])
        #expect(window.columnsOfText == 10..<30)
    }
}
