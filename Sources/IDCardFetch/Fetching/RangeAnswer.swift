/// Checks that a 206 is the answer to the range that was asked for.
enum RangeAnswer {
    /// So many bytes a server must send at least if it sends fewer than asked for: an image in crumbs would fill the
    /// store with rows.
    private static let minimumBytes = 65_536

    /// Returns the bytes that come, which may be fewer than asked for, and how many there are in all.
    ///
    /// - Throws: ``FetchStop/unusableRanges`` for other bytes, several ranges in one answer, a body of another length
    ///   than that of the range, and an answer that does not say how much there is.
    static func check(_ facts: ResponseFacts, for request: FetchRequest) throws(FetchStop) -> (Range<Int>, total: Int) {
        guard let range = request.range, let answer = facts.contentRange, let bytes = answer.bytes,
            let total = answer.total, facts.mediaType != "multipart/byteranges"
        else { throw .unusableRanges }
        guard bytes.lowerBound == range.lowerBound, bytes.upperBound <= range.upperBound,
            facts.contentLength ?? bytes.count == bytes.count,
            bytes.upperBound == min(range.upperBound, total) || bytes.count >= self.minimumBytes
        else { throw .unusableRanges }
        return (bytes, total)
    }
}
