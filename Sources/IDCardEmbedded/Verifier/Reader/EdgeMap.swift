import CJPEG
import Foundation

/// The thin edges of a reduced photograph and the straight lines they suggest.
struct EdgeMap: Sendable {
    let width: Int
    let height: Int
    private let marks: [UInt8]

    /// Lines leaning further than this from upright or level are not looked for.
    private static let steepest = 35.0
    private static let angleCount = 94

    /// Finds the edges of a picture that is small already (about 500 pixels).
    ///
    /// - Parameter threshold: The least Sobel gradient; 4 times a sharp step between two grey values.
    init(of picture: ColourRaster, threshold: Int32) {
        self.width = picture.width
        self.height = picture.height
        let area = picture.width * picture.height
        self.marks = [UInt8](unsafeUninitializedCapacity: area) { target, count in
            picture.pixels.withUnsafeBufferPointer { source in
                // On short memory the map stays empty, and the whole frame is taken for the card.
                _ = idc_raster_edges(
                    source.baseAddress,
                    picture.width,
                    picture.height,
                    threshold,
                    target.baseAddress
                )
            }
            count = area
        }
    }

    /// The share of a segment that runs along an edge with one and the same side bright, 0…1.
    func support(from start: Point, to end: Point, reach: Int = 1) -> Double {
        self.marks.withUnsafeBufferPointer { marks in
            idc_raster_edge_support(
                marks.baseAddress,
                self.width,
                self.height,
                start.x,
                start.y,
                end.x,
                end.y,
                Int32(reach)
            )
        }
    }

    /// The straight lines with most edge pixels, by a Hough transform; near-level ones or near-upright ones.
    func lines(upright: Bool, limit: Int) -> [Line] {
        let extent = upright ? self.width : self.height
        let rowLength = 2 * extent
        var votes = [UInt16](repeating: 0, count: Self.angleCount * rowLength)
        self.marks.withUnsafeBufferPointer { marks in
            idc_raster_vote(
                marks.baseAddress,
                self.width,
                self.height,
                upright ? 1 : 0,
                Self.steepest,
                Self.angleCount,
                &votes
            )
        }
        var found: [Line] = []
        let least = UInt16(max(12, (upright ? self.height : self.width) / 12))
        while found.count < limit {
            var best = 0
            var bestVotes: UInt16 = 0
            votes.withUnsafeBufferPointer { votes in
                idc_raster_most_voted(votes.baseAddress, votes.count, &best, &bestVotes)
            }
            guard bestVotes >= least else { break }
            let angleIndex = best / rowLength
            let offsetIndex = best % rowLength
            let degrees = Double(angleIndex) * 2 * Self.steepest / Double(Self.angleCount - 1) - Self.steepest
            found.append(
                Line(
                    upright: upright,
                    slope: tan(degrees * .pi / 180),
                    offset: Double(offsetIndex) + 0.5 - Double(extent) / 2,
                    middle: Double(upright ? self.height : self.width) / 2
                )
            )
            Self.clear(&votes, around: angleIndex, offsetIndex, rowLength: rowLength)
        }
        return found
    }

    /// Takes a line's neighbours out of the vote, so that the next best line is another one.
    private static func clear(_ votes: inout [UInt16], around angle: Int, _ offset: Int, rowLength: Int) {
        for row in max(0, angle - 4)...min(self.angleCount - 1, angle + 4) {
            for column in max(0, offset - 4)...min(rowLength - 1, offset + 4) {
                votes[row * rowLength + column] = 0
            }
        }
    }
}
