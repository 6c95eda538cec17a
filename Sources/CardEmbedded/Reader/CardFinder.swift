/// Finds where a card may lie in a photograph.
///
/// The picture is reduced, its straight edges are found, and every plausible pair of level and pair of upright lines
/// is judged as the outline of a card: how much of it runs along an edge, with the same side bright throughout, and
/// whether its proportions are a card's under perspective. The best outlines are then sharpened on the full picture.
/// Which of them holds a card is decided by reading, not here.
struct CardFinder: Sendable {
    private static let workingEdge = 480
    private static let lineLimit = 16
    private static let candidateLimit = 3
    /// Gradients for finding edges: the first and, while no outline has a good score, fainter ones.
    private static let thresholds = [140, 64, 32]
    /// From which score no fainter edges are searched, and from which the frame is only the last candidate.
    private static let (goodScore, convincingScore) = (0.85, 0.6)

    /// The weights of the parts of a score.
    private enum Weight {
        static let (meanSupport, weakestSupport, size, overrun) = (0.6, 0.4, 0.12, 0.4)
    }

    private typealias Outline = (quad: Quad, score: Double)

    /// Returns possible outlines of a card in order of likelihood, the whole frame among them.
    func candidates(in photo: Raster) -> [Quad] {
        let small = photo.reduced(toLongestEdge: Self.workingEdge)
        let scale = Double(photo.width) / Double(small.width)
        var outlines: [Outline] = []
        for threshold in Self.thresholds {
            let edges = EdgeMap(of: small, threshold: threshold)
            outlines += Self.outlines(in: edges)
            if let best = outlines.map(\.score).max(), best > Self.goodScore { break }
        }
        var quads: [Quad] = []
        var isConvincing = false
        for outline in outlines.sorted(by: { $0.score > $1.score }) {
            guard quads.count < Self.candidateLimit else { break }
            let apart = 0.015 * Double(photo.width + photo.height)
            let quad = outline.quad.scaled(by: scale)
            if quads.contains(where: { $0.displacement(from: quad) < apart }) { continue }
            quads.append(OutlineRefiner(photo: photo, reach: 2.5 * scale).refined(quad))
            isConvincing = isConvincing || outline.score > Self.convincingScore
        }
        let frame = Quad.frame(width: photo.width, height: photo.height)
        quads.insert(frame, at: isConvincing ? quads.count : 0)
        return quads
    }

    private static func outlines(in edges: EdgeMap) -> [Outline] {
        let level = edges.lines(upright: false, limit: self.lineLimit)
        let upright = edges.lines(upright: true, limit: self.lineLimit)
        let levelPairs = self.pairs(of: level, extent: Double(edges.height))
        let uprightPairs = self.pairs(of: upright, extent: Double(edges.width))
        var found: [Outline] = []
        for (top, bottom) in levelPairs {
            for (left, right) in uprightPairs {
                let pairs = [(top, left), (top, right), (bottom, right), (bottom, left)]
                let quad = Quad(corners: pairs.map { Line.crossing(level: $0, upright: $1) })
                guard self.isPlausible(quad, in: edges), let score = self.score(quad, on: edges) else { continue }
                found.append((quad, score))
            }
        }
        return Array(found.sorted { $0.score > $1.score }.prefix(24))
    }

    /// Returns pairs of lines far enough apart to be opposite sides of a card, the smaller offset first.
    private static func pairs(of lines: [Line], extent: Double) -> [(Line, Line)] {
        let sorted = lines.sorted { $0.offset < $1.offset }
        var pairs: [(Line, Line)] = []
        for (index, first) in sorted.enumerated() {
            for second in sorted[(index + 1)...] where second.offset - first.offset > extent * 0.22 {
                pairs.append((first, second))
            }
        }
        return pairs
    }

    /// Whether an outline lies in the picture, nearly, and may have the size and the proportions of a card under perspective.
    private static func isPlausible(_ quad: Quad, in edges: EdgeMap) -> Bool {
        let (width, height) = (Double(edges.width), Double(edges.height))
        let inside = quad.corners.allSatisfy { corner in
            corner.x > -0.04 * width && corner.x < 1.04 * width && corner.y > -0.04 * height
                && corner.y < 1.04 * height
        }
        guard inside, quad.area > 0.10 * width * height else { return false }
        let aspect = quad.aspect
        guard (1.25...2.0).contains(aspect) || (1.25...2.0).contains(1 / aspect) else { return false }
        let top = quad.topLeft.distance(to: quad.topRight)
        let bottom = quad.bottomLeft.distance(to: quad.bottomRight)
        let left = quad.topLeft.distance(to: quad.bottomLeft)
        let right = quad.topRight.distance(to: quad.bottomRight)
        return (0.6...1.67).contains(top / bottom) && (0.6...1.67).contains(left / right)
    }

    /// Scores an outline by the share of its sides that runs along edges, and by its size. Edges that continue beyond the corners
    /// count against it: the sides then follow longer lines, such as the grain of a table. `nil` if a side has hardly any edge.
    private static func score(_ quad: Quad, on edges: EdgeMap) -> Double? {
        var (total, weakest, overrun) = (0.0, 1.0, 0.0)
        for (start, end) in zip(quad.corners, quad.turned(quarters: 1).corners) {
            func point(_ t: Double) -> Point { start.point(at: t, to: end) }
            // The corners of a card are round, without a straight edge.
            let support = edges.support(from: point(0.07), to: point(0.93))
            guard support > 0.2 else { return nil }
            total += support
            weakest = min(weakest, support)
            overrun += edges.support(from: point(-0.18), to: point(-0.02))
            overrun += edges.support(from: point(1.02), to: point(1.18))
        }
        let share = quad.area / Double(edges.width * edges.height)
        return Weight.meanSupport * total / 4 + Weight.weakestSupport * weakest + Weight.size * share.squareRoot()
            - Weight.overrun * overrun / 8
    }
}
