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
        let bytes = try self.stored()
        if bytes.starts(with: [0x89, 0x50]) {
            var header = idci_header()
            try #require(idci_png_read_header(bytes, bytes.count, nil, &header, nil, 0) == IDCI_OK)
            return try Self.jpeg(header.width, header.height, turned: header.orientation) { planes in
                var (profile, count): (UnsafeMutablePointer<UInt8>?, Int) = (nil, 0)
                defer { free(profile) }
                return idci_png_decode_planes(bytes, bytes.count, nil, planes, &profile, &count, nil, 0)
            }
        }
        var header = idci_header()
        try #require(idci_jpeg_read_header(bytes, bytes.count, nil, &header, nil, 0) == IDCI_OK)
        guard header.orientation > 1 else { return bytes }
        return try Self.jpeg(header.width, header.height, turned: header.orientation) { planes in
            idci_jpeg_decode_planes(bytes, bytes.count, nil, planes, nil, 0)
        }
    }

    private static func jpeg(
        _ width: UInt32,
        _ height: UInt32,
        turned orientation: Int32,
        decode: (OpaquePointer) -> idci_status
    ) throws -> [UInt8] {
        var reduction = idci_reduction(
            width: width,
            height: height,
            scale: 8,
            target_width: width,
            target_height: height,
            orientation: orientation
        )
        let planes = try #require(idci_planes_create(&reduction))
        defer { idci_planes_destroy(planes) }
        try #require(decode(planes) == IDCI_OK)
        var encoding = idci_jpeg_encoding()
        encoding.quality = 90
        var (out, count): (UnsafeMutablePointer<UInt8>?, Int) = (nil, 0)
        defer { free(out) }
        try #require(idci_jpeg_encode_planes(planes, &encoding, &out, &count, nil, 0) == IDCI_OK)
        return Array(UnsafeBufferPointer(start: out, count: count))
    }

    func stored() throws -> [UInt8] { [UInt8](try Data(contentsOf: self.file)) }
}

extension CardText {
    var front: Front? { if case .front(let front) = self.side { front } else { nil } }
    var back: Back? { if case .back(let back) = self.side { back } else { nil } }
}
