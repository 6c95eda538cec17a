/// Computes with ranges of bytes that are there and ranges that are missing.
enum RangePlan {
    /// Sorts ranges and joins those that touch.
    static func joined(_ pieces: [Range<Int>]) -> [Range<Int>] {
        var result: [Range<Int>] = []
        for piece in pieces.filter({ !$0.isEmpty }).sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = result.last, piece.lowerBound <= last.upperBound {
                result[result.count - 1] = last.lowerBound..<max(last.upperBound, piece.upperBound)
            } else {
                result.append(piece)
            }
        }
        return result
    }

    /// The ranges that are missing up to an end; `Int.max` for an end that is not known.
    static func missing(from pieces: [Range<Int>], upTo end: Int) -> [Range<Int>] {
        var gaps: [Range<Int>] = []
        var position = 0
        for piece in self.joined(pieces) where piece.lowerBound < end {
            if piece.lowerBound > position { gaps.append(position..<piece.lowerBound) }
            position = piece.upperBound
        }
        if position < end { gaps.append(position..<end) }
        return gaps
    }

    /// Cuts ranges into such of at most so many bytes.
    static func cut(_ ranges: [Range<Int>], into length: Int) -> [Range<Int>] {
        ranges.flatMap { range in
            stride(from: range.lowerBound, to: range.upperBound, by: length).map {
                $0..<(range.upperBound - $0 > length ? $0 + length : range.upperBound)
            }
        }
    }
}
