import CImaging

extension Raster {
    /// Decodes a complete JPEG file whose edges must be within the limits of the dialect.
    ///
    /// - Throws: ``EmbeddedError`` `imageTooLarge` when an edge is out of range, else `imageUndecodable`.
    init(decoding jpeg: [UInt8], edges: ClosedRange<Int>) throws(EmbeddedError) {
        var limits = idci_limits()
        limits.max_pixels = UInt64(edges.upperBound * edges.upperBound)
        limits.max_memory_bytes = Limits.decodeBytes
        limits.max_scans = Limits.scans
        limits.max_milliseconds = Limits.decodeMilliseconds
        var header = idci_header()
        try Self.check(idci_jpeg_read_header(jpeg, jpeg.count, &limits, &header, nil, 0))
        guard edges.contains(Int(header.width)), edges.contains(Int(header.height)) else {
            throw .edgesOutOfRange(header.width, header.height, edges)
        }
        // In eighths.
        let scale: UInt32 = max(header.width, header.height) > Limits.longestHeldEdge ? 4 : 8
        let width = Int(idci_jpeg_scaled_edge(header.width, scale))
        let height = Int(idci_jpeg_scaled_edge(header.height, scale))
        let count = width * height * 3
        var status = IDCI_OK
        let pixels = Self.samples(count) { target in
            status = idci_jpeg_decode(jpeg, jpeg.count, &limits, scale, target, count, nil, 0)
        }
        try Self.check(status)
        self.init(width: width, height: height, pixels: pixels)
    }

    private static func check(_ status: idci_status) throws(EmbeddedError) {
        switch status {
        case IDCI_OK: return
        case IDCI_TOO_MANY_PIXELS, IDCI_EDGE_TOO_LONG: throw .tooManyPixels
        default: throw .undecodable(status.rawValue)
        }
    }
}
