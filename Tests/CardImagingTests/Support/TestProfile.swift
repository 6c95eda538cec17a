/// ICC profiles made by hand.
enum TestProfile {
    struct Colourants {
        var red: [Double]
        var green: [Double]
        var blue: [Double]
    }

    /// D50-adapted, as Apple's and the ICC's own profiles have them.
    static let displayP3Colourants = Colourants(
        red: [0.51512, 0.24120, -0.00105],
        green: [0.29198, 0.69225, 0.04189],
        blue: [0.15710, 0.06657, 0.78407]
    )
    static let sRGBColourants = Colourants(
        red: [0.43607, 0.22249, 0.01392],
        green: [0.38515, 0.71687, 0.09708],
        blue: [0.14307, 0.06061, 0.71410]
    )

    /// sRGB's curve as parametric function 3.
    static let sRGBCurve =
        tagText("para") + [0, 3, 0, 0]
        + [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045].flatMap(fixed)

    static let sRGB = matrix(sRGBColourants, curve: sRGBCurve)
    static let displayP3 = matrix(displayP3Colourants, curve: sRGBCurve)

    /// A one-entry curve: a gamma with eight fractional bits.
    static func gammaCurve(_ gamma: Double) -> [UInt8] {
        tagText("curv") + bigEndian(1, bytes: 4) + bigEndian(Int(gamma * 256), bytes: 2) + [0, 0]
    }

    /// A sampled curve of x squared.
    static func squareCurve(entries: Int) -> [UInt8] {
        let values = (0..<entries).map { index in
            let x = Double(index) / Double(entries - 1)
            return Int((x * x * 65535).rounded())
        }
        return tagText("curv") + bigEndian(entries, bytes: 4) + values.flatMap { bigEndian($0, bytes: 2) }
    }

    static func matrix(_ colourants: Colourants, curve: [UInt8], space: String = "RGB ") -> [UInt8] {
        func xyz(_ values: [Double]) -> [UInt8] { tagText("XYZ ") + values.flatMap(fixed) }
        return profile(
            space: space,
            tags: [
                ("rXYZ", xyz(colourants.red)), ("gXYZ", xyz(colourants.green)), ("bXYZ", xyz(colourants.blue)),
                ("rTRC", curve), ("gTRC", curve), ("bTRC", curve),
            ]
        )
    }

    /// A profile of tables only, which needs a colour engine.
    static let tables = profile(space: "RGB ", tags: [("A2B0", tagText("mft1") + [UInt8](repeating: 7, count: 400))])

    static func profile(space: String, tags: [(name: String, body: [UInt8])]) -> [UInt8] {
        var table = bigEndian(tags.count, bytes: 4)
        var bodies: [UInt8] = []
        let start = 132 + tags.count * 12
        for tag in tags {
            table +=
                Array(tag.name.utf8) + bigEndian(start + bodies.count, bytes: 4) + bigEndian(tag.body.count, bytes: 4)
            bodies += tag.body
        }
        var header = [UInt8](repeating: 0, count: 128)
        header.replaceSubrange(0..<4, with: bigEndian(start + bodies.count, bytes: 4))
        header.replaceSubrange(8..<10, with: [4, 0x30])
        header.replaceSubrange(12..<16, with: Array("mntr".utf8))
        header.replaceSubrange(16..<20, with: Array(space.utf8))
        header.replaceSubrange(20..<24, with: Array("XYZ ".utf8))
        header.replaceSubrange(36..<40, with: Array("acsp".utf8))
        return header + table + bodies
    }

    private static func tagText(_ text: String) -> [UInt8] { Array(text.utf8) + [0, 0, 0, 0] }

    private static func fixed(_ value: Double) -> [UInt8] { bigEndian(Int((value * 65536).rounded()), bytes: 4) }
}
