import CImaging
import CLibJPEG
import Foundation
import TestSupport
import Testing

/// An RGB picture made in the test itself.
struct TestPicture: Equatable {
    var width: Int
    var height: Int
    var rgb: [UInt8]

    init(width: Int, height: Int, pixel: (_ x: Int, _ y: Int) -> (UInt8, UInt8, UInt8)) {
        self.width = width
        self.height = height
        self.rgb = []
        self.rgb.reserveCapacity(width * height * 3)
        for y in 0..<height {
            for x in 0..<width {
                let (red, green, blue) = pixel(x, y)
                self.rgb.append(red)
                self.rgb.append(green)
                self.rgb.append(blue)
            }
        }
    }

    init(width: Int, height: Int, rgb: [UInt8]) {
        self.width = width
        self.height = height
        self.rgb = rgb
    }

    subscript(x: Int, y: Int) -> (UInt8, UInt8, UInt8) {
        let at = (y * self.width + x) * 3
        return (self.rgb[at], self.rgb[at + 1], self.rgb[at + 2])
    }

    /// The three samples of one pixel.
    func samples(_ x: Int, _ y: Int) -> [UInt8] {
        let at = (y * self.width + x) * 3
        return Array(self.rgb[at..<at + 3])
    }

    // MARK: - Motifs

    /// Smooth colours with a dark disc off centre: no symmetry, and no detail that recompression would lose.
    static func photo(width: Int, height: Int) -> TestPicture {
        TestPicture(width: width, height: height) { x, y in
            let (dx, dy) = (x * 100 / width - 30, y * 100 / height - 35)
            if dx * dx + dy * dy < 200 { return (40, 60, 90) }
            return (UInt8(60 + x * 150 / width), UInt8(50 + y * 160 / height), UInt8(200 - x * 100 / width))
        }
    }

    /// Flat squares of 16 pixels, all different: each JPEG block has one colour, so turning loses nothing at all.
    static func mosaic(columns: Int, rows: Int) -> TestPicture {
        TestPicture(width: columns * 16, height: rows * 16) { x, y in
            let tile = UInt8(y / 16 * columns + x / 16)
            return (40 &+ tile &* 11, 30 &+ tile &* 5, 220 &- tile &* 7)
        }
    }

    /// Seeded noise, which no encoder can make small.
    static func noise(width: Int, height: Int, seed: UInt64) -> TestPicture {
        var random = SeededRandom(seed: seed)
        let rgb = (0..<width * height * 3).map { _ in UInt8.random(in: 0...255, using: &random) }
        return TestPicture(width: width, height: height, rgb: rgb)
    }

    // MARK: - Orientation

    /// The pixels as a camera stores them for an Exif orientation, from the table of Exif 2.32 (tag 0x0112):
    /// which visual side the stored row 0 and column 0 are.
    func stored(orientation: Int) -> TestPicture {
        let rowZeroIsFar = [3, 4, 6, 7].contains(orientation)  // bottom, or right when turned
        let columnZeroIsFar = [2, 3, 7, 8].contains(orientation)  // right, or bottom when turned
        let turned = orientation >= 5
        let (width, height) = turned ? (self.height, self.width) : (self.width, self.height)
        return TestPicture(width: width, height: height) { x, y in
            let row = rowZeroIsFar ? height - 1 - y : y
            let column = columnZeroIsFar ? width - 1 - x : x
            return turned ? self[row, column] : self[column, row]
        }
    }

    // MARK: - Codecs

    /// How many luma samples stand for one of chroma, across and down.
    enum Sampling: CaseIterable {
        case full, half420, half422, half440, quarter411

        var factors: (across: Int32, down: Int32) {
            switch self {
            case .full: (1, 1)
            case .half420: (2, 2)
            case .half422: (2, 1)
            case .half440: (1, 2)
            case .quarter411: (4, 1)
            }
        }
    }

    /// A sampling in YCbCr, or pixels in RGB or grey.
    struct Coding: Sendable, CustomTestStringConvertible {
        var sampling = Sampling.full
        var space = JCS_YCbCr
        var progressive = false
        var testDescription: String { "\(self.sampling) space \(self.space.rawValue) progressive \(self.progressive)" }
    }

    func jpeg(quality: Int32, _ coding: Coding) throws -> [UInt8] {
        try self.jpeg(quality: quality, sampling: coding.sampling, progressive: coding.progressive, space: coding.space)
    }

    /// Encodes with libjpeg itself, which can do more than the product does.
    func jpeg(
        quality: Int32 = 95,
        sampling: Sampling = .full,
        progressive: Bool = false,
        arithmetic: Bool = false,
        hasOwnTables: Bool = false,
        space: J_COLOR_SPACE = JCS_YCbCr,
        icc: [UInt8] = []
    ) throws -> [UInt8] {
        let encoder = UnsafeMutablePointer<jpeg_compress_struct>.allocate(capacity: 1)
        let errors = UnsafeMutablePointer<jpeg_error_mgr>.allocate(capacity: 1)
        let out = UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>.allocate(capacity: 1)
        let count = UnsafeMutablePointer<UInt>.allocate(capacity: 1)
        (encoder.pointee, out.pointee, count.pointee) = (jpeg_compress_struct(), nil, 0)
        encoder.pointee.err = jpeg_std_error(errors)
        jpeg_CreateCompress(encoder, JPEG_LIB_VERSION, MemoryLayout<jpeg_compress_struct>.size)
        defer {
            jpeg_destroy_compress(encoder)
            free(out.pointee)
            encoder.deallocate()
            errors.deallocate()
            out.deallocate()
            count.deallocate()
        }
        jpeg_mem_dest(encoder, out, count)
        (encoder.pointee.image_width, encoder.pointee.image_height) = (UInt32(self.width), UInt32(self.height))
        (encoder.pointee.input_components, encoder.pointee.in_color_space) = (3, JCS_RGB)
        jpeg_set_defaults(encoder)
        jpeg_set_colorspace(encoder, space)
        jpeg_set_quality(encoder, quality, 1)
        (encoder.pointee.comp_info[0].h_samp_factor, encoder.pointee.comp_info[0].v_samp_factor) = sampling.factors
        encoder.pointee.optimize_coding = hasOwnTables ? 1 : 0
        encoder.pointee.arith_code = arithmetic ? 1 : 0
        if progressive { jpeg_simple_progression(encoder) }
        jpeg_start_compress(encoder, 1)
        if !icc.isEmpty { jpeg_write_icc_profile(encoder, icc, UInt32(icc.count)) }
        var rgb = self.rgb
        rgb.withUnsafeMutableBufferPointer { rgb in
            for y in 0..<self.height {
                var row = rgb.baseAddress?.advanced(by: y * self.width * 3)
                jpeg_write_scanlines(encoder, &row, 1)
            }
        }
        jpeg_finish_compress(encoder)
        return Array(UnsafeBufferPointer(start: out.pointee, count: Int(count.pointee)))
    }

    init(decoding jpeg: some Collection<UInt8>) throws {
        let bytes = Array(jpeg)
        let header = try jpegHeader(of: bytes)
        let (width, height) = (Int(header.width), Int(header.height))
        var rgb = [UInt8](repeating: 0, count: width * height * 3)
        let status = idci_jpeg_decode(bytes, bytes.count, nil, 8, &rgb, rgb.count, nil, 0)
        try #require(status == IDCI_OK)
        self.init(width: width, height: height, rgb: rgb)
    }

    // MARK: - Comparison

    /// The largest difference of any sample, or nil for different sizes.
    func largestDifference(from other: TestPicture) -> Int? {
        guard self.width == other.width, self.height == other.height else { return nil }
        return zip(self.rgb, other.rgb).map { abs(Int($0) - Int($1)) }.max()
    }

    /// The mean difference of all samples, or nil for different sizes.
    func meanDifference(from other: TestPicture) -> Double? {
        guard self.width == other.width, self.height == other.height else { return nil }
        let sum = zip(self.rgb, other.rgb).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
        return Double(sum) / Double(self.rgb.count)
    }
}

/// What the shim says about a JPEG.
func jpegHeader(of bytes: some Collection<UInt8>) throws -> idci_header {
    let bytes = Array(bytes)
    var header = idci_header()
    try #require(idci_jpeg_read_header(bytes, bytes.count, nil, &header, nil, 0) == IDCI_OK)
    return header
}
