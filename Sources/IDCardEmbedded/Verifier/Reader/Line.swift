/// A straight line that is nearly level or nearly upright: `u = offset + slope * (v - middle)`, where u is y for
/// level lines and x for upright ones.
struct Line: Sendable {
    let upright: Bool
    var slope: Double
    var offset: Double
    let middle: Double

    func value(at v: Double) -> Double {
        self.offset + self.slope * (v - self.middle)
    }

    /// Where a level line meets an upright one.
    static func crossing(level: Line, upright: Line) -> Point {
        // y = a + b (x - m) and x = c + d (y - n): substitute and solve for y.
        let b = level.slope
        let d = upright.slope
        let y = (level.offset + b * (upright.offset - d * upright.middle - level.middle)) / (1 - b * d)
        return Point(x: upright.value(at: y), y: y)
    }
}
