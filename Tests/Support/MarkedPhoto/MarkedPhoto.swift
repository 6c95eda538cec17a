package import Foundation

/// A small photo that carries a mark in the place of a card: black and white squares, which survive recompression.
///
/// The squares are the bits of six bytes, a row each: a signature, the side, the holder, the serial, and the sum of the
/// five before. The holder is one of ``MarkedHolder``.
package struct MarkedPhoto: Hashable, Sendable {
    /// The side of the card.
    package enum Side: UInt8, Sendable {
        case front = 0x46
        case back = 0x42
    }

    /// The edge of a square, in blocks of eight pixels; the photo has 320 by 240 pixels, which every dialect takes.
    private static let square = 5
    private static let signature: UInt8 = 0xA5

    /// The side that it shows.
    package let side: Side
    /// Whose card it shows.
    package let holder: MarkedHolder
    /// Tells photos of the same card apart.
    package let serial: UInt8

    /// A photo of the front of a holder's card.
    package static func front(_ holder: UInt8, serial: UInt8 = 0) -> MarkedPhoto {
        MarkedPhoto(side: .front, holder: MarkedHolder(holder), serial: serial)
    }

    /// A photo of the back of a holder's card.
    package static func back(_ holder: UInt8, serial: UInt8 = 0) -> MarkedPhoto {
        MarkedPhoto(side: .back, holder: MarkedHolder(holder), serial: serial)
    }

    /// The photo as a file.
    package var jpeg: Data {
        let columns = 8 * Self.square
        var bytes = [Self.signature, self.side.rawValue, self.holder.place, self.serial, UInt8(0)]
        bytes.append(bytes.reduce(0, &+))
        let greys = (0..<bytes.count * Self.square * columns).map { place in
            let bit = 7 - place % columns / Self.square
            return bytes[place / columns / Self.square] >> bit & 1 == 1 ? UInt8(255) : 0
        }
        return Data(BlockJPEG(columns: columns, rows: bytes.count * Self.square, greys: greys).bytes)
    }
}

extension MarkedPhoto {
    /// Reads the mark of a photo that was encoded again, maybe smaller; `nil` if there is none.
    package init?(jpeg: Data) {
        guard let picture = BlockJPEG(decoding: Array(jpeg)) else { return nil }
        let bytes = (0..<6).map { row in
            (0..<8).reduce(UInt8(0)) { byte, column in
                let (x, y) = ((2 * column + 1) * picture.columns / 16, (2 * row + 1) * picture.rows / 12)
                return byte << 1 | (picture.greys[y * picture.columns + x] > 127 ? 1 : 0)
            }
        }
        guard bytes[0] == Self.signature, bytes[5] == bytes[..<5].reduce(0, &+), let side = Side(rawValue: bytes[1])
        else { return nil }
        self.init(side: side, holder: MarkedHolder(bytes[2]), serial: bytes[3])
    }
}

/// A person there is none of, whose card marked photos show; born on 7 March 1990.
package struct MarkedHolder: Hashable, Sendable {
    /// The place among the holders, from 1.
    package let place: UInt8

    /// Takes the holder of a place.
    package init(_ place: UInt8) { self.place = place }

    /// The name.
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

    /// The gender, as it is printed.
    package var gender: String { self.place.isMultiple(of: 2) ? "女" : "男" }
    /// The date of birth as year, month and day.
    package var birth: [Int] { [1990, 3, 7] }
    /// The ethnicity.
    package var ethnicity: String { "汉" }
    /// The address.
    package var address: String { "样本省样本市样本路\(self.place)号" }
    /// Who issued the card.
    package var issuer: String { "样本市公安局" }
    /// The first and the last day on which the card is good: twenty years for one who got it at thirty.
    package var validity: (first: String, last: String) { ("20200401", "20400401") }
}
