package import Foundation

/// A small grey photo whose size is its mark: recompression keeps it.
///
/// The width tells the holder, who is one of ``MarkedHolder``, the height the serial and the side; both are odd.
package struct MarkedPhoto: Hashable, Sendable {
    package enum Side: Int, Sendable {
        case front, back
    }

    /// Below any size that marks: one that every dialect takes.
    private static let least = (width: 321, height: 241)

    package let side: Side
    package let holder: MarkedHolder
    /// Tells photos of the same card apart.
    package let serial: UInt8

    package static func front(_ holder: UInt8, serial: UInt8 = 0) -> MarkedPhoto {
        MarkedPhoto(side: .front, holder: MarkedHolder(holder), serial: serial)
    }

    package static func back(_ holder: UInt8, serial: UInt8 = 0) -> MarkedPhoto {
        MarkedPhoto(side: .back, holder: MarkedHolder(holder), serial: serial)
    }

    /// The photo as a file: a baseline JPEG (ITU-T T.81) of one component.
    package var jpeg: Data {
        func twoBytes(_ number: Int) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 0xFF)] }
        let width = Self.least.width + 2 * Int(self.holder.place)
        let height = Self.least.height + 4 * Int(self.serial) + 2 * self.side.rawValue
        var bytes: [UInt8] = [0xFF, 0xD8, 0xFF, 0xDB, 0x00, 0x43, 0x00] + [UInt8](repeating: 8, count: 64)
        bytes += [0xFF, 0xC0, 0x00, 0x0B, 0x08] + twoBytes(height) + twoBytes(width) + [0x01, 0x01, 0x11, 0x00]
        // Each Huffman table has one code word, a single 0: no difference to the block before, and the end of a block.
        for table: UInt8 in [0x00, 0x10] {
            bytes += [0xFF, 0xC4, 0x00, 0x14, table, 1] + [UInt8](repeating: 0, count: 16)
        }
        bytes += [0xFF, 0xDA, 0x00, 0x08, 0x01, 0x01, 0x00, 0x00, 0x3F, 0x00]
        let blocks = (width + 7) / 8 * ((height + 7) / 8)
        bytes += [UInt8](repeating: 0, count: blocks / 4)
        if blocks % 4 > 0 { bytes.append(0xFF >> UInt8(blocks % 4 * 2)) }
        return Data(bytes + [0xFF, 0xD9])
    }
}

extension MarkedPhoto {
    /// Reads the mark of a photo that was encoded again; `nil` if there is none.
    package init?(jpeg: Data) {
        let bytes = Array(jpeg)
        guard bytes.starts(with: [0xFF, 0xD8]) else { return nil }
        var start = 2
        while start + 8 < bytes.count, bytes[start] == 0xFF, bytes[start + 1] != 0xC0 {
            start += 2 + Int(bytes[start + 2]) << 8 + Int(bytes[start + 3])
        }
        guard start + 8 < bytes.count, bytes[start] == 0xFF else { return nil }
        let height = Int(bytes[start + 5]) << 8 + Int(bytes[start + 6]) - Self.least.height
        let width = Int(bytes[start + 7]) << 8 + Int(bytes[start + 8]) - Self.least.width
        guard width.isMultiple(of: 2), let holder = UInt8(exactly: width / 2), height.isMultiple(of: 2),
            let serial = UInt8(exactly: height / 4), let side = Side(rawValue: height / 2 % 2)
        else { return nil }
        self.init(side: side, holder: MarkedHolder(holder), serial: serial)
    }
}

/// A person there is none of, whose card marked photos show; born on 7 March 1990.
package struct MarkedHolder: Hashable, Sendable {
    /// The place among the holders, from 1.
    package let place: UInt8

    package init(_ place: UInt8) { self.place = place }

    package var name: String {
        let letters = Array("甲乙丙丁戊己庚辛壬癸")
        return "样本" + String(self.place).map { String(letters[$0.wholeNumberValue ?? 0]) }.joined()
    }

    /// The number of the card: the last digit but one is even for a woman.
    package var number: String {
        let digits = "11010119900307" + String(repeating: "0", count: 3 - String(self.place).count) + "\(self.place)"
        let weights = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2]
        let sum = zip(digits, weights).reduce(0) { $0 + ($1.0.wholeNumberValue ?? 0) * $1.1 }
        return digits + String(Array("10X98765432")[sum % 11])
    }

    package var gender: String { self.place.isMultiple(of: 2) ? "女" : "男" }
    package var birth: [Int] { [1990, 3, 7] }
    package var ethnicity: String { "汉" }
    package var address: String { "样本省样本市样本路\(self.place)号" }
    package var issuer: String { "样本市公安局" }
    /// The first and the last day on which the card is good: twenty years for one who got it at thirty.
    package var validity: (first: String, last: String) { ("20200401", "20400401") }
}
