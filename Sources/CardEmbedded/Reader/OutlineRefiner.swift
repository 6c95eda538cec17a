/// Moves the sides of a roughly found outline onto the edges of the full picture.
struct OutlineRefiner: Sendable {
    let photo: Raster
    /// The search distance for an edge to either side, in pixels.
    let reach: Double

    private static let sampleCount = 48

    /// Fits each side to the strongest edge near it. A side whose edge points do not agree is unchanged.
    func refined(_ quad: Quad) -> Quad {
        let corners = quad.corners
        let sides = (0..<4).map { self.refinedSide(from: corners[$0], to: corners[($0 + 1) % 4]) }
        let fitted = (0..<4).map { Self.crossing(sides[($0 + 3) % 4], sides[$0]) ?? corners[$0] }
        let result = Quad(corners: fitted)
        return result.displacement(from: quad) < 4 * self.reach ? result : quad
    }

    private typealias Side = (start: Point, end: Point)

    /// Fits a side to the points near it at which the colour changes most.
    private func refinedSide(from start: Point, to end: Point) -> Side {
        let length = start.distance(to: end)
        guard length > 20 else { return (start, end) }
        let normal = Point(x: -(end.y - start.y) / length, y: (end.x - start.x) / length)
        var points: [(t: Double, shift: Double, weight: Double)] = []
        for index in 0..<Self.sampleCount {
            let t = 0.08 + 0.84 * (Double(index) + 0.5) / Double(Self.sampleCount)
            let point = start.point(at: t, to: end)
            if let step = self.strongestStep(at: point, along: normal) { points.append((t, step.shift, step.strength)) }
        }
        guard let (base, slope) = Self.line(through: points) else { return (start, end) }
        func moved(_ point: Point, by shift: Double) -> Point {
            Point(x: point.x + normal.x * shift, y: point.y + normal.y * shift)
        }
        return (moved(start, by: base), moved(end, by: base + slope))
    }

    /// Returns the shift across a side at which the colour changes most.
    private func strongestStep(at point: Point, along normal: Point) -> (shift: Double, strength: Double)? {
        let steps = Int(self.reach.rounded(.up))
        let profile = (-steps - 2...steps + 2).map { offset in
            self.colours(x: point.x + normal.x * Double(offset), y: point.y + normal.y * Double(offset))
        }
        var best = (index: 0, size: 0)
        for index in 2..<(profile.count - 2) {
            var size = 0
            for colour in 0..<3 {
                let before = profile[index - 2][colour] + profile[index - 1][colour]
                let after = profile[index + 1][colour] + profile[index + 2][colour]
                size += abs(after - before)
            }
            if size > best.size { best = (index, size) }
        }
        // A weaker change is noise; a stronger one than 200 counts no more.
        guard best.size >= 40 else { return nil }
        return (Double(best.index - steps - 2), Double(min(best.size, 200)))
    }

    private func colours(x: Double, y: Double) -> [Int] {
        let column = min(max(Int(x), 0), self.photo.width - 1)
        let row = min(max(Int(y), 0), self.photo.height - 1)
        let at = (row * self.photo.width + column) * 3
        return [Int(self.photo.pixels[at]), Int(self.photo.pixels[at + 1]), Int(self.photo.pixels[at + 2])]
    }

    /// Fits a least-squares line through (t, shift), drops outliers and fits again.
    private static func line(
        through all: [(t: Double, shift: Double, weight: Double)]
    ) -> (base: Double, slope: Double)? {
        var points = all
        var fit: (base: Double, slope: Double)?
        for allowed in [4.0, 2.5, 1.5, 1.5] {
            guard points.count >= self.sampleCount / 3 else { return nil }
            let weight = points.reduce(0) { $0 + $1.weight }
            let meanPosition = points.reduce(0) { $0 + $1.t * $1.weight } / weight
            let meanShift = points.reduce(0) { $0 + $1.shift * $1.weight } / weight
            var product = 0.0
            var square = 0.0
            for point in points {
                product += point.weight * (point.t - meanPosition) * (point.shift - meanShift)
                square += point.weight * (point.t - meanPosition) * (point.t - meanPosition)
            }
            guard square > 0 else { return nil }
            let slope = product / square
            let base = meanShift - slope * meanPosition
            fit = (base, slope)
            points = all.filter { abs($0.shift - base - slope * $0.t) <= allowed }
        }
        return fit
    }

    private static func crossing(_ first: Side, _ second: Side) -> Point? {
        let (ax, ay) = (first.end.x - first.start.x, first.end.y - first.start.y)
        let (bx, by) = (second.end.x - second.start.x, second.end.y - second.start.y)
        let determinant = ax * by - ay * bx
        guard abs(determinant) > 1e-6 else { return nil }
        let t = ((second.start.x - first.start.x) * by - (second.start.y - first.start.y) * bx) / determinant
        return first.start.point(at: t, to: first.end)
    }
}
