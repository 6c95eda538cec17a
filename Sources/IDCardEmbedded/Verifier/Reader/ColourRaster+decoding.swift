import CJPEG

extension ColourRaster {
    /// The longest edge that is held, in pixels; a longer one is halved while it is decoded, which leaves of a card in
    /// so large a picture more than the reader looks at.
    private static let longestEdge = 4096

    /// Decodes a JPEG within the verifier's limits.
    ///
    /// - Parameters:
    ///   - jpeg: A whole JPEG file.
    ///   - edges: The dialect's limits: no edge shorter or longer than this, in pixels; at most 8192.
    /// - Throws: `EmbeddedError` with code `.imageTooLarge` when an edge is out of range, else `.imageUndecodable`.
    init(decoding jpeg: [UInt8], edges: ClosedRange<Int>) throws(EmbeddedError) {
        var limits = idc_jpeg_limits()
        limits.max_pixels = UInt64(edges.upperBound * edges.upperBound)
        limits.max_memory_bytes = 256 << 20
        limits.max_scans = 100
        limits.max_milliseconds = 10_000
        var header = idc_jpeg_header()
        let read = idc_jpeg_read_header(jpeg, jpeg.count, &limits, &header, nil, 0)
        let (width, height) = (Int(header.width), Int(header.height))
        guard read == IDC_JPEG_OK else { throw Self.error(read) }
        guard edges.contains(width), edges.contains(height) else {
            throw EmbeddedError(
                code: .imageTooLarge,
                message: "the picture has \(width) x \(height) pixels; edges of \(edges.lowerBound) to "
                    + "\(edges.upperBound) are read"
            )
        }
        self = try Self.pixels(of: jpeg, header: header, limits: limits)
    }

    private static func pixels(
        of jpeg: [UInt8],
        header: idc_jpeg_header,
        limits: idc_jpeg_limits
    ) throws(EmbeddedError) -> ColourRaster {
        var limits = limits
        let scale: UInt32 = max(header.width, header.height) > UInt32(self.longestEdge) ? 4 : 8
        let width = Int(idc_jpeg_scaled_edge(UInt32(header.width), scale))
        let height = Int(idc_jpeg_scaled_edge(UInt32(header.height), scale))
        var decoded = IDC_JPEG_OK
        let pixels = [UInt8](unsafeUninitializedCapacity: width * height * 3) { target, count in
            decoded = idc_jpeg_decode(
                jpeg,
                jpeg.count,
                &limits,
                IDC_JPEG_RGB,
                scale,
                target.baseAddress,
                width * 3,
                width * height * 3,
                nil,
                0
            )
            count = decoded == IDC_JPEG_OK ? width * height * 3 : 0
        }
        guard decoded == IDC_JPEG_OK else { throw self.error(decoded) }
        return ColourRaster(width: width, height: height, pixels: pixels)
    }

    private static func error(_ status: idc_jpeg_status) -> EmbeddedError {
        switch status {
        case IDC_JPEG_TOO_MANY_PIXELS, IDC_JPEG_EDGE_TOO_LONG:
            EmbeddedError(
                code: .imageTooLarge,
                message: "the picture has more pixels than are read; send a smaller one"
            )
        default:
            EmbeddedError(
                code: .imageUndecodable,
                message: "the posted bytes are no JPEG that can be decoded (\(status.rawValue))"
            )
        }
    }
}
