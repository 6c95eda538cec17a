import CJPEG

/// Finds where the ink of printed lines lies in a picture whose light has been evened out.
struct TextBandFinder: Sendable {
    /// Darker than this is ink; `GreyRaster.flattened(radius:)` puts the ground at about 205.
    private static let inkThreshold: Int32 = 128

    /// The rows of each line of text inside a window, from top to bottom.
    ///
    /// - Parameters:
    ///   - gap: Rows without ink that still belong to one line (the gap between the parts of a character).
    ///   - least: The least height of a line.
    func rows(in window: GreyRaster, gap: Int, least: Int) -> [Range<Int>] {
        let profile = Self.profile(of: window, direction: 0)
        return Self.runs(in: profile, threshold: 2, gap: gap).filter { $0.count >= least }
    }

    /// From the first to the last column with ink, `nil` without any.
    func columns(in window: GreyRaster) -> Range<Int>? {
        let profile = Self.profile(of: window, direction: 1)
        let runs = Self.runs(in: profile, threshold: 2, gap: window.width)
        return runs.first
    }

    private static func profile(of window: GreyRaster, direction: Int32) -> [UInt32] {
        let length = direction == 0 ? window.height : window.width
        return [UInt32](unsafeUninitializedCapacity: length) { target, count in
            window.pixels.withUnsafeBufferPointer { source in
                idc_raster_ink_profile(
                    source.baseAddress,
                    window.width,
                    window.height,
                    Self.inkThreshold,
                    direction,
                    target.baseAddress
                )
            }
            count = length
        }
    }

    private static func runs(in profile: [UInt32], threshold: UInt32, gap: Int) -> [Range<Int>] {
        var runs: [Range<Int>] = []
        for (index, value) in profile.enumerated() where value >= threshold {
            if let last = runs.last, index - last.upperBound <= gap {
                runs[runs.count - 1] = last.lowerBound..<(index + 1)
            } else {
                runs.append(index..<(index + 1))
            }
        }
        return runs
    }
}
