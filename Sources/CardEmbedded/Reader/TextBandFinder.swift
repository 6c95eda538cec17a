/// Finds where the ink of printed lines lies in a picture whose light has been evened out.
struct TextBandFinder: Sendable {
    /// Darker than this is ink; ``GreyRaster/flattened(radius:)`` puts the ground at about 205.
    private static let inkThreshold: UInt8 = 128
    /// So many dark pixels in a row or column are ink and not a speck.
    private static let leastInk = 2

    /// The rows of each line of text inside a window, from top to bottom.
    ///
    /// - Parameters:
    ///   - gap: rows without ink that still belong to one line (the gap between the parts of a character).
    ///   - least: the least height of a line.
    func rows(in window: GreyRaster, gap: Int, least: Int) -> [Range<Int>] {
        Self.runs(in: Self.inkCounts(of: window).rows, gap: gap).filter { $0.count >= least }
    }

    /// From the first to the last column with ink, `nil` without any.
    func columns(in window: GreyRaster) -> Range<Int>? {
        Self.runs(in: Self.inkCounts(of: window).columns, gap: window.width).first
    }

    private static func inkCounts(of window: GreyRaster) -> (rows: [Int], columns: [Int]) {
        var rows = [Int](repeating: 0, count: window.height)
        var columns = [Int](repeating: 0, count: window.width)
        PixelLoops.with(window.pixels, window.width, window.height, channels: 1) { source in
            for y in 0..<window.height {
                let line = source.samples + y * window.width
                var x = 0
                while x < window.width {
                    if line[x] < Self.inkThreshold {
                        rows[y] += 1
                        columns[x] += 1
                    }
                    x += 1
                }
            }
        }
        return (rows, columns)
    }

    private static func runs(in counts: [Int], gap: Int) -> [Range<Int>] {
        var runs: [Range<Int>] = []
        for (index, value) in counts.enumerated() where value >= self.leastInk {
            if let last = runs.last, index - last.upperBound <= gap {
                runs[runs.count - 1] = last.lowerBound..<(index + 1)
            } else {
                runs.append(index..<(index + 1))
            }
        }
        return runs
    }
}
