import CJPEG

extension ColourRaster {
    /// The vendor's limits: no edge shorter or longer than this, in pixels.
    static let edges = 48...4096

    /// Decodes a JPEG within the verifier's limits.
    ///
    /// - Throws: `EmbeddedError` with code `.imageTooLarge` when an edge is out of range, else `.imageUndecodable`.
    init(decoding jpeg: [UInt8]) throws(EmbeddedError) {
        var limits = idc_jpeg_limits()
        limits.max_pixels = UInt64(Self.edges.upperBound * Self.edges.upperBound)
        limits.max_memory_bytes = 256 << 20
        limits.max_scans = 100
        limits.max_milliseconds = 10_000
        var header = idc_jpeg_header()
        let read = idc_jpeg_read_header(jpeg, jpeg.count, &limits, &header, nil, 0)
        let (width, height) = (Int(header.width), Int(header.height))
        guard read == IDC_JPEG_OK else { throw Self.error(read) }
        guard Self.edges.contains(width), Self.edges.contains(height) else {
            throw EmbeddedError(
                code: .imageTooLarge,
                message: "the picture has \(width) x \(height) pixels; edges of \(Self.edges.lowerBound) to "
                    + "\(Self.edges.upperBound) are read"
            )
        }
        var decoded = IDC_JPEG_OK
        let pixels = [UInt8](unsafeUninitializedCapacity: width * height * 3) { target, count in
            decoded = idc_jpeg_decode(
                jpeg,
                jpeg.count,
                &limits,
                IDC_JPEG_RGB,
                8,
                target.baseAddress,
                width * 3,
                width * height * 3,
                nil,
                0
            )
            count = decoded == IDC_JPEG_OK ? width * height * 3 : 0
        }
        guard decoded == IDC_JPEG_OK else { throw Self.error(decoded) }
        self.init(width: width, height: height, pixels: pixels)
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
