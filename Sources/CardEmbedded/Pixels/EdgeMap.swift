import Glibc

/// The thin edges of a reduced photograph and the straight lines they suggest.
struct EdgeMap: Sendable {
    let width: Int
    let height: Int
    /// 0 where there is no edge, else 1 + the direction of the steepest rise in steps of 360/240 degree.
    private let marks: [UInt8]

    /// The maximum angle, in degrees, of a line from upright or level.
    private static let steepest = 35.0
    private static let angleCount = 94
    /// An edge votes for lines whose angle differs by up to this many degrees.
    private static let spread = 5.0

    private struct Gradient {
        var x = 0
        var y = 0
        var size = -1
    }

    /// Finds the edges of a reduced picture (about 500 pixels).
    ///
    /// - Parameter threshold: the minimum Sobel gradient; 4 times a sharp step between two grey values.
    init(of picture: Raster, threshold: Int) {
        let (width, height) = (picture.width, picture.height)
        self.width = width
        self.height = height
        guard width > 4, height > 4 else {
            self.marks = [UInt8](repeating: 0, count: width * height)
            return
        }
        var gradients = [Gradient](repeating: Gradient(), count: width * height)
        gradients.withUnsafeMutableBufferPointer { gradients in
            picture.withSamples { samples in
                for y in 1..<height - 1 {
                    for x in 1..<width - 1 {
                        gradients[y * width + x] = Self.gradient(at: samples + (y * width + x) * 3, stride: width * 3)
                    }
                }
            }
        }
        self.marks = Raster.samples(width * height) { target in
            gradients.withUnsafeBufferPointer { gradients in
                for y in 2..<height - 2 {
                    for x in 2..<width - 2 where gradients[y * width + x].size >= threshold {
                        target[y * width + x] = Self.mark(y * width + x, in: gradients, width: width)
                    }
                }
            }
        }
    }

    /// Returns the Sobel gradient of the colour in which it is strongest.
    private static func gradient(at here: Raster.Samples, stride: Int) -> Gradient {
        var best = Gradient()
        for colour in 0..<3 {
            let (above, level, below) = (here + (colour - stride), here + colour, here + (colour + stride))
            let left = Int(above[-3]) + 2 * Int(level[-3]) + Int(below[-3])
            let right = Int(above[3]) + 2 * Int(level[3]) + Int(below[3])
            let upper = Int(above[-3]) + 2 * Int(above[0]) + Int(above[3])
            let lower = Int(below[-3]) + 2 * Int(below[0]) + Int(below[3])
            let size = abs(right - left) + abs(lower - upper)
            if size > best.size { best = Gradient(x: right - left, y: lower - upper, size: size) }
        }
        return best
    }

    /// Returns the mark of a pixel; only a local maximum is an edge, so both neighbours along the gradient are
    /// compared.
    private static func mark(_ index: Int, in gradients: UnsafeBufferPointer<Gradient>, width: Int) -> UInt8 {
        let here = gradients[index]
        let step: Int
        if abs(here.x) > 2 * abs(here.y) {
            step = 1
        } else if abs(here.y) > 2 * abs(here.x) {
            step = width
        } else {
            step = (here.x > 0) == (here.y > 0) ? width + 1 : width - 1
        }
        guard here.size >= gradients[index - step].size, here.size > gradients[index + step].size else { return 0 }
        let turn = atan2(Double(here.y), Double(here.x)) / (2 * .pi)
        return UInt8(1 + Int((turn < 0 ? turn + 1 : turn) * 240 + 0.5) % 240)
    }

    /// Returns the share of a segment that runs along an edge with the same side bright throughout, 0…1.
    func support(from start: Point, to end: Point) -> Double {
        let (dx, dy) = (end.x - start.x, end.y - start.y)
        let length = (dx * dx + dy * dy).squareRoot()
        guard length > 4 else { return 0 }
        let normal = Point(x: -dy / length, y: dx / length)
        let turn = atan2(normal.y, normal.x) / (2 * .pi) * 240
        let count = Int(length / 2)
        // How many points lie on an edge that rises along the normal, and on one that rises against it.
        var (alike, opposite) = (0, 0)
        for index in 0..<count {
            let t = (Double(index) + 0.5) / Double(count)
            var (isAlike, isOpposite) = (false, false)
            for reach in -1...1 {
                let x = start.x + t * dx + Double(reach) * normal.x
                let y = start.y + t * dy + Double(reach) * normal.y
                guard x >= 0, y >= 0, x < Double(self.width), y < Double(self.height) else { continue }
                let mark = self.marks[Int(y) * self.width + Int(x)]
                guard mark > 0 else { continue }
                // In steps of 1.5 degrees: up to 12 degrees apart, directions count as the same.
                let difference = fmod(Double(mark) - 1 - turn + 720, 240)
                isAlike = isAlike || difference <= 8 || difference >= 232
                isOpposite = isOpposite || (112...128).contains(difference)
            }
            alike += isAlike ? 1 : 0
            opposite += isOpposite ? 1 : 0
        }
        return Double(max(alike, opposite)) / Double(count)
    }

    /// Returns the straight lines with most edge pixels, by a Hough transform; nearly level or nearly upright lines.
    func lines(upright: Bool, limit: Int) -> [Line] {
        let (extent, length) = upright ? (self.width, self.height) : (self.height, self.width)
        let rowLength = 2 * extent
        var votes = self.votes(upright: upright)
        var found: [Line] = []
        let minimumVotes = UInt16(max(12, length / 12))
        while found.count < limit {
            let best = Self.mostVoted(votes)
            guard votes[best] >= minimumVotes else { break }
            let (angle, offset) = (best / rowLength, best % rowLength)
            let position = Double(offset) + 0.5 - Double(extent) / 2
            found.append(Line(upright: upright, slope: Self.slope(angle), offset: position, middle: Double(length) / 2))
            // Clear the votes of similar lines, so that the next best line is a different one.
            for row in max(0, angle - 4)...min(Self.angleCount - 1, angle + 4) {
                for column in max(0, offset - 4)...min(rowLength - 1, offset + 4) {
                    votes[row * rowLength + column] = 0
                }
            }
        }
        return found
    }

    private static func slope(_ angle: Int) -> Double {
        tan((Double(angle) * 2 * self.steepest / Double(self.angleCount - 1) - self.steepest) * .pi / 180)
    }

    private static func mostVoted(_ votes: [UInt16]) -> Int {
        votes.withUnsafeBufferPointer { votes in
            var best = 0
            for index in 1..<votes.count where votes[index] > votes[best] { best = index }
            return best
        }
    }

    /// Returns a row of counters for each angle; offsets are whole pixels, starting half the extent before the picture.
    private func votes(upright: Bool) -> [UInt16] {
        let extent = upright ? self.width : self.height
        let middle = Double(upright ? self.height : self.width) / 2
        let step = 2 * Self.steepest / Double(Self.angleCount - 1)
        let slopes = (0..<Self.angleCount).map(Self.slope)
        var votes = [UInt16](repeating: 0, count: Self.angleCount * 2 * extent)
        votes.withUnsafeMutableBufferPointer { votes in
            for index in self.marks.indices where self.marks[index] > 0 {
                // A line's angle is that of its gradient, measured from the u axis; the bright side does not matter.
                let degrees = Double(self.marks[index] - 1) * 1.5
                let lean = fmod((upright ? -degrees : degrees - 90) + 630, 180) - 90
                guard abs(lean) <= Self.steepest + Self.spread else { continue }
                let (x, y) = (Double(index % self.width), Double(index / self.width))
                let (u, v) = upright ? (x, y - middle) : (y, x - middle)
                let first = max(0, Int(((lean - Self.spread + Self.steepest) / step).rounded(.up)))
                let last = min(Self.angleCount - 1, Int(((lean + Self.spread + Self.steepest) / step).rounded(.down)))
                for angle in stride(from: first, through: last, by: 1) {
                    let offset = u - slopes[angle] * v + Double(extent) / 2
                    if offset >= 0, offset < Double(2 * extent) {
                        let slot = angle * 2 * extent + Int(offset)
                        if votes[slot] < .max { votes[slot] += 1 }
                    }
                }
            }
        }
        return votes
    }
}
