import Foundation

extension ImageRecompressor {
    /// An encoded picture and how it came out.
    struct Encoded {
        var jpeg: Data
        var size: PixelSize
        var quality: Int
    }

    /// Pictures are not made smaller than this to meet a budget: nobody could read the card.
    static let smallestEdge = 64

    /// Each step shortens the edges to this share, so that the area roughly halves.
    private static let edgeStep = 0.7

    /// Lowers the quality step by step, then, at the lowest, the edges; each time from the same full pixels.
    func encodeWithinBudget(
        _ pixels: borrowing PixelBuffer,
        profile: [UInt8]
    ) throws(ImagingError) -> Encoded {
        let ladder = self.settings.qualityLadder
        for quality in ladder {
            if let jpeg = try self.attempt(pixels, quality: quality, profile: profile) {
                return Encoded(jpeg: jpeg, size: pixels.size, quality: quality)
            }
        }
        let floor = ladder[ladder.count - 1]
        var edge = pixels.size.longestEdge
        while edge > Self.smallestEdge {
            edge = max(Self.smallestEdge, Int(Double(edge) * Self.edgeStep))
            let smaller = try pixels.reduced(to: pixels.size.fitted(to: edge))
            if let jpeg = try self.attempt(smaller, quality: floor, profile: profile) {
                return Encoded(jpeg: jpeg, size: smaller.size, quality: floor)
            }
        }
        let message = """
            even \(edge) pixels wide at quality \(floor) the JPEG exceeds \(self.settings.byteBudget) bytes: raise the \
            byte budget
            """
        throw ImagingError(code: .overBudget, message: message)
    }

    private func attempt(
        _ pixels: borrowing PixelBuffer,
        quality: Int,
        profile: [UInt8]
    ) throws(ImagingError) -> Data? {
        try JPEGEncoder.encode(pixels, self.encoding(quality: quality, profile: profile))
    }
}
