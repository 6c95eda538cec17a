import Foundation

/// A place in a picture, in pixels from its top left corner; pixel centres lie at .5.
struct Point: Sendable, Equatable {
    var x: Double
    var y: Double

    func distance(to other: Point) -> Double {
        hypot(self.x - other.x, self.y - other.y)
    }
}
