import Glibc

/// A point in a picture, in pixels from its top left corner; pixel centres lie at .5.
struct Point: Sendable, Equatable {
    var x: Double
    var y: Double

    /// The point at a share of the way to another; beyond both for a share below 0 or above 1.
    func point(at t: Double, to end: Point) -> Point {
        Point(x: self.x + t * (end.x - self.x), y: self.y + t * (end.y - self.y))
    }

    func distance(to other: Point) -> Double { hypot(self.x - other.x, self.y - other.y) }
}

/// A straight line that is nearly level or nearly upright: `u = offset + slope * (v - middle)`, where u is y for
/// level lines and x for upright ones.
struct Line: Sendable {
    let upright: Bool
    var slope: Double
    var offset: Double
    let middle: Double

    func value(at v: Double) -> Double { self.offset + self.slope * (v - self.middle) }

    static func crossing(level: Line, upright: Line) -> Point {
        // y = a + b (x - m) and x = c + d (y - n): substitute and solve for y.
        let b = level.slope
        let d = upright.slope
        let y = (level.offset + b * (upright.offset - d * upright.middle - level.middle)) / (1 - b * d)
        return Point(x: upright.value(at: y), y: y)
    }
}

/// Four corners of a card in a picture, clockwise from the card's own top left.
struct Quad: Sendable, Equatable {
    let corners: [Point]

    var topLeft: Point { self.corners[0] }
    var topRight: Point { self.corners[1] }
    var bottomRight: Point { self.corners[2] }
    var bottomLeft: Point { self.corners[3] }

    static func frame(width: Int, height: Int) -> Quad {
        let (right, bottom) = (Double(width), Double(height))
        return Quad(corners: [(0, 0), (right, 0), (right, bottom), (0, bottom)].map { Point(x: $0.0, y: $0.1) })
    }

    /// Returns the same card rotated clockwise by `quarters` quarter turns: another side is then the top of the text.
    func turned(quarters: Int) -> Quad { Quad(corners: (0..<4).map { self.corners[($0 + quarters) % 4] }) }

    func scaled(by factor: Double) -> Quad {
        Quad(corners: self.corners.map { Point(x: $0.x * factor, y: $0.y * factor) })
    }

    /// Area by the shoelace formula; positive for clockwise corners in a picture's coordinates.
    var area: Double {
        zip(self.corners, self.turned(quarters: 1).corners).reduce(0) { $0 + $1.0.x * $1.1.y - $1.1.x * $1.0.y } / 2
    }

    /// Mean width over mean height: 1.585 for a card seen straight on (85.6 mm by 54 mm).
    var aspect: Double {
        let wide = self.topLeft.distance(to: self.topRight) + self.bottomLeft.distance(to: self.bottomRight)
        let high = self.topLeft.distance(to: self.bottomLeft) + self.topRight.distance(to: self.bottomRight)
        return high > 0 ? wide / high : 0
    }

    /// The largest distance between corners of the same name.
    func displacement(from other: Quad) -> Double {
        zip(self.corners, other.corners).map { $0.distance(to: $1) }.max() ?? 0
    }

    /// Returns the projective map, as a row-major 3 x 3 matrix, from a rectangle at the origin to this quadrilateral
    /// (Heckbert, "Fundamentals of Texture Mapping and Image Warping", 1989, section 2.2.3).
    func mapFromRectangle(width: Double, height: Double) -> [Double] {
        let (p0, p1, p2, p3) = (self.topLeft, self.topRight, self.bottomRight, self.bottomLeft)
        let (dx1, dx2, sx) = (p1.x - p2.x, p3.x - p2.x, p0.x - p1.x + p2.x - p3.x)
        let (dy1, dy2, sy) = (p1.y - p2.y, p3.y - p2.y, p0.y - p1.y + p2.y - p3.y)
        let determinant = dx1 * dy2 - dx2 * dy1
        let g = determinant == 0 ? 0 : (sx * dy2 - dx2 * sy) / determinant
        let h = determinant == 0 ? 0 : (dx1 * sy - sx * dy1) / determinant
        let unit = [
            p1.x - p0.x + g * p1.x, p3.x - p0.x + h * p3.x, p0.x,
            p1.y - p0.y + g * p1.y, p3.y - p0.y + h * p3.y, p0.y,
            g, h, 1,
        ]
        return unit.enumerated().map { index, value in
            switch index % 3 {
            case 0: value / width
            case 1: value / height
            default: value
            }
        }
    }
}
