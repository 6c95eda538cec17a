/// A grey JPEG of any size, written by hand: every block is empty, in the shortest code there can be.
enum GreyJPEG {
    /// The bytes of a baseline JPEG (ITU-T T.81) of one component.
    static func bytes(width: Int, height: Int) -> [UInt8] {
        func twoBytes(_ number: Int) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 0xFF)] }
        // One code word of one bit, 0, for one symbol, 0: "no difference" for DC, "end of block" for AC.
        let oneCode: [UInt8] = [1] + [UInt8](repeating: 0, count: 15) + [0]
        var bytes: [UInt8] = [0xFF, 0xD8, 0xFF, 0xDB, 0x00, 0x43, 0x00] + [UInt8](repeating: 1, count: 64)
        bytes += [0xFF, 0xC0, 0x00, 0x0B, 0x08] + twoBytes(height) + twoBytes(width) + [0x01, 0x01, 0x11, 0x00]
        bytes += [0xFF, 0xC4, 0x00, 0x14, 0x00] + oneCode
        bytes += [0xFF, 0xC4, 0x00, 0x14, 0x10] + oneCode
        bytes += [0xFF, 0xDA, 0x00, 0x08, 0x01, 0x01, 0x00, 0x00, 0x3F, 0x00]
        let bits = 2 * ((width + 7) / 8) * ((height + 7) / 8)
        bytes += [UInt8](repeating: 0, count: bits / 8)
        // The last byte is filled with ones.
        if bits % 8 > 0 { bytes.append(UInt8(0xFF >> (bits % 8))) }
        return bytes + [0xFF, 0xD9]
    }
}
