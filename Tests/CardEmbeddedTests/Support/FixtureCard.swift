import CImaging
import Foundation
import Testing

@testable import CardEmbedded

/// A drawn card and its true fields, as `truth.json` gives them.
struct FixtureCard: Sendable, CustomTestStringConvertible {
    struct Truth: Decodable, Sendable {
        struct Fields: Decodable, Sendable {
            var name: String?
            var gender: String?
            var ethnicity: String?
            var birth: String?
            var address: String?
            var number: String?
            var issuer: String?
            var validFrom: String?
            var validTo: String?

            /// The period as it is printed.
            var validity: String? {
                guard let validFrom, let validTo else { return nil }
                return "\(validFrom)-\(validTo)".replacing(/(\d{4})-(\d\d)-(\d\d)/) {
                    "\($0.output.1).\($0.output.2).\($0.output.3)"
                }
            }
        }

        var side: String?
        var kind: String?
        var fields: Fields?
    }

    let file: URL
    let truth: Truth

    var testDescription: String { self.file.pathComponents.suffix(2).joined(separator: "/") }

    /// The fields that must be there.
    var fields: Truth.Fields { get throws { try #require(self.truth.fields) } }

    private static let fixtures = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "fixtures")

    /// The pictures that a `truth.json` knows below one of the folders, in order of their paths.
    static func all(below folder: String) throws -> [FixtureCard] {
        let data = try Data(contentsOf: Self.fixtures.appending(path: "truth.json"))
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let truths = try decoder.decode([String: Truth].self, from: data).filter { $0.key.hasPrefix(folder + "/") }
        return truths.sorted { $0.key < $1.key }.map {
            FixtureCard(file: Self.fixtures.appending(path: $0.key), truth: $0.value)
        }
    }

    static func first(below folder: String, side: String = "front") throws -> FixtureCard {
        try #require(try Self.all(below: folder).first { $0.truth.side == side || $0.truth.side == nil })
    }

    /// The picture upright and as a JPEG, as the pipeline posts it.
    func jpeg() throws -> [UInt8] {
        let bytes = [UInt8](try Data(contentsOf: self.file))
        if bytes.starts(with: [0x89, 0x50]) { return try Pixels(png: bytes).jpeg(orientation: 1) }
        var limits = idci_limits()
        var header = idci_jpeg_header()
        try #require(idci_jpeg_read_header(bytes, bytes.count, &limits, &header, nil, 0) == IDCI_OK)
        guard header.orientation > 1 else { return bytes }
        return try Pixels(jpeg: bytes, header).jpeg(orientation: header.orientation)
    }

    /// The picture as it is stored.
    func stored() throws -> [UInt8] { [UInt8](try Data(contentsOf: self.file)) }
}

/// A decoded picture: RGBX.
private struct Pixels {
    let width: UInt32
    let height: UInt32
    var pixels: [UInt8]

    init(jpeg: [UInt8], _ header: idci_jpeg_header) throws {
        (self.width, self.height) = (header.width, header.height)
        let stride = Int(header.width) * 4
        var limits = idci_limits()
        self.pixels = [UInt8](repeating: 0, count: stride * Int(header.height))
        try #require(
            idci_jpeg_decode(
                jpeg,
                jpeg.count,
                &limits,
                IDCI_JPEG_RGBX,
                8,
                &self.pixels,
                stride,
                self.pixels.count,
                nil,
                0
            ) == IDCI_OK
        )
    }

    init(png: [UInt8]) throws {
        var limits = idci_limits()
        var header = idci_png_header()
        try #require(idci_png_read_header(png, png.count, &limits, &header, nil, 0) == IDCI_OK)
        (self.width, self.height) = (header.width, header.height)
        let stride = Int(header.width) * 4
        self.pixels = [UInt8](repeating: 0, count: stride * Int(header.height))
        var (profile, count): (UnsafeMutablePointer<UInt8>?, Int) = (nil, 0)
        let status = self.pixels.withUnsafeMutableBufferPointer { buffer in
            var target = (buffer.baseAddress, stride)
            let keep: idci_row_function = { context, row, y in
                typealias Target = (UnsafeMutablePointer<UInt8>?, Int)
                guard let target = context?.load(as: Target.self), let row else { return false }
                target.0?.advanced(by: Int(y) * target.1).update(from: row, count: target.1)
                return true
            }
            return idci_png_read_rows(png, png.count, &limits, keep, &target, &profile, &count, nil, 0)
        }
        free(profile)
        try #require(status == IDCI_OK)
    }

    /// Turns the picture upright and encodes it.
    func jpeg(orientation: Int32) throws -> [UInt8] {
        var upright = [UInt8](repeating: 0, count: self.pixels.count)
        try upright.withUnsafeMutableBufferPointer { upright in
            let size = (self.width, self.height)
            let turner = try #require(
                idci_resampler_create(size.0, size.1, size.0, size.1, orientation, upright.baseAddress)
            )
            defer { idci_resampler_destroy(turner) }
            self.pixels.withUnsafeBufferPointer { source in
                for y in 0..<self.height {
                    let row = source.baseAddress?.advanced(by: Int(y) * Int(self.width) * 4)
                    _ = idci_resampler_push(UnsafeMutableRawPointer(turner), row, y)
                }
            }
        }
        let (width, height) = orientation > 4 ? (self.height, self.width) : (self.width, self.height)
        var encoding = idci_jpeg_encoding()
        encoding.quality = 90
        var (out, count): (UnsafeMutablePointer<UInt8>?, Int) = (nil, 0)
        try #require(
            idci_jpeg_encode(
                upright,
                width,
                height,
                Int(width) * 4,
                IDCI_JPEG_RGBX,
                &encoding,
                &out,
                &count,
                nil,
                0
            ) == IDCI_OK
        )
        defer { free(out) }
        return Array(UnsafeBufferPointer(start: out, count: count))
    }
}

extension CardText {
    var front: Front? { if case .front(let front) = self.side { front } else { nil } }
    var back: Back? { if case .back(let back) = self.side { back } else { nil } }
}
