import CImaging
import Foundation

/// The few parts of an ICC profile (ICC.1:2010) needed to turn matrix/TRC colours into sRGB. Every read is bounded.
struct ICCProfile {
    private let bytes: [UInt8]
    private let tags: [String: Range<Int>]

    /// Whether device colours are RGB.
    let isRGB: Bool
    /// Whether the connection space is XYZ, as matrix profiles require.
    private let connectsThroughXYZ: Bool

    /// Parses header and tag table; nil when the bytes are not a profile.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= 132, Self.text(bytes, at: 36) == "acsp" else { return nil }
        self.bytes = bytes
        self.isRGB = Self.text(bytes, at: 16) == "RGB "
        self.connectsThroughXYZ = Self.text(bytes, at: 20) == "XYZ "
        let room = (bytes.count - 132) / 12
        let count = min(Self.integer(bytes, at: 128, bytes: 4), room, 100)
        var tags: [String: Range<Int>] = [:]
        for index in 0..<count {
            let entry = 132 + index * 12
            let offset = Self.integer(bytes, at: entry + 4, bytes: 4)
            let size = Self.integer(bytes, at: entry + 8, bytes: 4)
            guard offset <= bytes.count, size <= bytes.count - offset else { continue }
            tags[Self.text(bytes, at: entry)] = offset..<offset + size
        }
        self.tags = tags
    }

    /// Returns the conversion to sRGB, or nil when this is not a usable matrix/TRC profile.
    func transformToSRGB() -> idci_colour_transform? {
        guard self.isRGB, self.connectsThroughXYZ,
            let red = self.colourant("rXYZ"), let green = self.colourant("gXYZ"), let blue = self.colourant("bXYZ"),
            let redCurve = self.curve("rTRC"), let greenCurve = self.curve("gTRC"), let blueCurve = self.curve("bTRC")
        else { return nil }
        let matrix = Self.linearSRGB(ofColourants: red, green, blue)
        // A profile that does not map white to white is wrong.
        let rows = stride(from: 0, to: 9, by: 3).map { matrix[$0..<$0 + 3].reduce(0, +) }
        guard rows.allSatisfy({ abs($0 - 1) < 0.15 }) else { return nil }

        var transform = idci_colour_transform()
        withUnsafeMutableBytes(of: &transform.linear) {
            $0.copyBytes(from: Self.raw(redCurve + greenCurve + blueCurve))
        }
        withUnsafeMutableBytes(of: &transform.matrix) { $0.copyBytes(from: Self.raw(matrix)) }
        return transform
    }

    /// XYZ relative to D50 to linear sRGB, Bradford-adapted.
    private static let linearSRGBFromXYZ: [[Double]] = [
        [3.1338561, -1.6168667, -0.4906146],
        [-0.9787684, 1.9161415, 0.0334540],
        [0.0719453, -0.2289914, 1.4052427],
    ]

    /// The row-major matrix from linear device RGB to linear sRGB.
    private static func linearSRGB(ofColourants red: [Double], _ green: [Double], _ blue: [Double]) -> [Float] {
        var matrix: [Float] = []
        for row in self.linearSRGBFromXYZ {
            for column in [red, green, blue] {
                let value: Double = row[0] * column[0] + row[1] * column[1] + row[2] * column[2]
                matrix.append(Float(value))
            }
        }
        return matrix
    }

    // MARK: - Tags

    /// Returns the XYZ of a colourant (XYZType, section 10.31).
    private func colourant(_ name: String) -> [Double]? {
        guard let tag = self.tags[name], tag.count >= 20, Self.text(self.bytes, at: tag.lowerBound) == "XYZ " else {
            return nil
        }
        return (0..<3).map { self.fixed(at: tag.lowerBound + 8 + $0 * 4) }
    }

    /// Returns a curve as 256 values of linear light.
    private func curve(_ name: String) -> [Float]? {
        guard let tag = self.tags[name], tag.count >= 12 else { return nil }
        let values: [Double]? =
            switch Self.text(self.bytes, at: tag.lowerBound) {
            case "curv": self.sampledCurve(tag)
            case "para": self.parametricCurve(tag)
            default: nil
            }
        guard let values, values.allSatisfy(\.isFinite) else { return nil }
        return values.map { Float(min(1, max(0, $0))) }
    }

    /// Returns a curve (curveType, section 10.6): linear without an entry, with one a gamma, with more a table.
    private func sampledCurve(_ tag: Range<Int>) -> [Double]? {
        let count = Self.integer(self.bytes, at: tag.lowerBound + 8, bytes: 4)
        let start = tag.lowerBound + 12
        guard count <= (tag.count - 12) / 2 else { return nil }
        func entry(_ index: Int) -> Double {
            Double(Self.integer(self.bytes, at: start + index * 2, bytes: 2))
        }
        switch count {
        case 0:
            return Self.deviceValues
        case 1:
            let gamma = entry(0) / 256
            return Self.deviceValues.map { pow($0, gamma) }
        default:
            return Self.deviceValues.map { value in
                let position = value * Double(count - 1)
                let low = min(Int(position), count - 2)
                let fraction = position - Double(low)
                return (entry(low) * (1 - fraction) + entry(low + 1) * fraction) / 65535
            }
        }
    }

    /// Returns a curve by one of the functions 0 to 4 (parametricCurveType, section 10.16).
    private func parametricCurve(_ tag: Range<Int>) -> [Double]? {
        let kind = Self.integer(self.bytes, at: tag.lowerBound + 8, bytes: 2)
        let parameterCounts = [1, 3, 4, 5, 7]
        guard parameterCounts.indices.contains(kind), tag.count >= 12 + parameterCounts[kind] * 4 else { return nil }
        let p = (0..<parameterCounts[kind]).map { self.fixed(at: tag.lowerBound + 12 + $0 * 4) }
        let (gamma, a, b) = (p[0], kind > 0 ? p[1] : 1, kind > 0 ? p[2] : 0)
        return Self.deviceValues.map { x in
            let power = pow(max(0, a * x + b), gamma)
            switch kind {
            case 0: return power
            case 1: return a * x + b >= 0 ? power : 0
            case 2: return a * x + b >= 0 ? power + p[3] : p[3]
            case 3: return x >= p[4] ? power : p[3] * x
            default: return x >= p[4] ? power + p[5] : p[3] * x + p[6]
            }
        }
    }

    // MARK: - Numbers

    private static let deviceValues = (0..<256).map { Double($0) / 255 }

    private static func text(_ bytes: [UInt8], at offset: Int) -> String {
        String(decoding: bytes[offset..<offset + 4], as: UTF8.self)
    }

    private static func integer(_ bytes: [UInt8], at offset: Int, bytes count: Int) -> Int {
        bytes[offset..<offset + count].reduce(0) { $0 << 8 | Int($1) }
    }

    /// Reads a number (s15Fixed16Number, section 4.6).
    private func fixed(at offset: Int) -> Double {
        Double(Int32(truncatingIfNeeded: Self.integer(self.bytes, at: offset, bytes: 4))) / 65536
    }

    private static func raw(_ values: [Float]) -> [UInt8] { values.withUnsafeBytes { Array($0) } }
}
