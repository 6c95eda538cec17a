/// A grey picture of blocks of eight by eight pixels, each of one grey: as a JPEG that is written here, and as it is read
/// from any baseline JPEG, whose luminance it is.
struct BlockJPEG: Equatable {
    /// Blocks in a row.
    let columns: Int
    /// Rows of blocks.
    let rows: Int
    /// The mean grey of each block, row by row.
    var greys: [UInt8]

    init(columns: Int, rows: Int, greys: [UInt8]) {
        precondition(greys.count == columns * rows, "\(columns) by \(rows) blocks have \(greys.count) greys")
        (self.columns, self.rows, self.greys) = (columns, rows, greys)
    }

    /// The bytes of a baseline JPEG (ITU-T T.81) of one component.
    var bytes: [UInt8] {
        func twoBytes(_ number: Int) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 0xFF)] }
        func table(_ identifier: UInt8, _ counts: [UInt8], _ symbols: ClosedRange<UInt8>) -> [UInt8] {
            let content = [identifier] + counts + [UInt8](repeating: 0, count: 16 - counts.count) + Array(symbols)
            return [0xFF, 0xC4] + twoBytes(content.count + 2) + content
        }
        var bytes: [UInt8] = [0xFF, 0xD8, 0xFF, 0xDB, 0x00, 0x43, 0x00] + [UInt8](repeating: 8, count: 64)
        bytes += [0xFF, 0xC0, 0x00, 0x0B, 0x08] + twoBytes(self.rows * 8) + twoBytes(self.columns * 8)
        bytes += [0x01, 0x01, 0x11, 0x00]
        // Differences have up to eight bits, whose number is the code word of four; after them a block has its end alone.
        bytes += table(0x00, [0, 0, 0, 9], 0...8) + table(0x10, [1], 0...0)
        bytes += [0xFF, 0xDA, 0x00, 0x08, 0x01, 0x01, 0x00, 0x00, 0x3F, 0x00]
        return bytes + self.scan + [0xFF, 0xD9]
    }

    private var scan: [UInt8] {
        var bits: [Bool] = []
        func write(_ value: Int, _ count: Int) {
            for bit in (0..<count).reversed() { bits.append(value >> bit & 1 == 1) }
        }
        var last = 128
        for grey in self.greys {
            let difference = Int(grey) - last
            last = Int(grey)
            let length = Int.bitWidth - difference.magnitude.leadingZeroBitCount
            write(length, 4)
            write(difference < 0 ? difference - 1 : difference, length)
            write(0, 1)
        }
        while !bits.count.isMultiple(of: 8) { bits.append(true) }
        return stride(from: 0, to: bits.count, by: 8).flatMap { start -> [UInt8] in
            let byte = bits[start..<start + 8].reduce(UInt8(0)) { $0 << 1 | ($1 ? 1 : 0) }
            return byte == 0xFF ? [0xFF, 0x00] : [byte]
        }
    }

    /// Reads a baseline JPEG in one scan without restarts; `nil` for anything else.
    init?(decoding bytes: [UInt8]) {
        var reader = BlockReader(bytes)
        guard reader.readSegments(), let greys = reader.greys() else { return nil }
        self.init(columns: reader.columns, rows: reader.rows, greys: greys)
    }
}

/// Reads the means of the blocks of a baseline JPEG's first component.
private struct BlockReader {
    private struct Component {
        var horizontal: Int
        var vertical: Int
        var quantisation: UInt8
        var tables: UInt8 = 0
        var last = 0
    }

    private let bytes: [UInt8]
    private var place = 2
    private var bit = 0
    private var size = (width: 0, height: 0)
    private var components: [Component] = []
    /// The first step of each quantisation table.
    private var steps: [UInt8: Int] = [:]
    /// The symbols of each Huffman table by code word, which begins with a one that is not part of it.
    private var symbols: [UInt8: [Int: UInt8]] = [:]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    private var unitColumns: Int { self.units(self.size.width, self.components.map(\.horizontal)) }
    private var unitRows: Int { self.units(self.size.height, self.components.map(\.vertical)) }
    var columns: Int { self.unitColumns * (self.components.first?.horizontal ?? 0) }
    var rows: Int { self.unitRows * (self.components.first?.vertical ?? 0) }

    private func units(_ pixels: Int, _ sampling: [Int]) -> Int {
        let unit = 8 * (sampling.max() ?? 1)
        return (pixels + unit - 1) / unit
    }

    /// Reads up to the first byte of the scan; false if this is no picture of this kind.
    mutating func readSegments() -> Bool {
        guard self.bytes.starts(with: [0xFF, 0xD8]) else { return false }
        while self.place + 4 <= self.bytes.count, self.bytes[self.place] == 0xFF {
            let marker = self.bytes[self.place + 1]
            let end = self.place + 2 + Int(self.bytes[self.place + 2]) << 8 + Int(self.bytes[self.place + 3])
            guard end <= self.bytes.count, end >= self.place + 4 else { return false }
            let content = Array(self.bytes[(self.place + 4)..<end])
            self.place = end
            switch marker {
            case 0xDB: self.readQuantisation(content)
            case 0xC4: self.readHuffman(content)
            case 0xC0: guard self.readFrame(content) else { return false }
            case 0xC1...0xCF, 0xDD: return false
            case 0xDA: return self.readScan(content)
            default: break
            }
        }
        return false
    }

    private mutating func readQuantisation(_ content: [UInt8]) {
        var place = 0
        while place + 65 <= content.count {
            self.steps[content[place] & 0x0F] = Int(content[place + 1])
            place += 65
        }
    }

    private mutating func readHuffman(_ content: [UInt8]) {
        var place = 0
        while place + 17 <= content.count {
            var table: [Int: UInt8] = [:]
            var (code, symbol) = (0, place + 17)
            for length in 1...16 {
                for _ in 0..<content[place + length] where symbol < content.count {
                    table[1 << length | code] = content[symbol]
                    (code, symbol) = (code + 1, symbol + 1)
                }
                code <<= 1
            }
            self.symbols[content[place]] = table
            place = symbol
        }
    }

    private mutating func readFrame(_ content: [UInt8]) -> Bool {
        guard content.count >= 6, content[0] == 8, content.count == 6 + 3 * Int(content[5]) else { return false }
        self.size = (Int(content[3]) << 8 + Int(content[4]), Int(content[1]) << 8 + Int(content[2]))
        self.components = stride(from: 6, to: content.count, by: 3).map { start in
            Component(
                horizontal: Int(content[start + 1] >> 4),
                vertical: Int(content[start + 1] & 0x0F),
                quantisation: content[start + 2]
            )
        }
        return true
    }

    private mutating func readScan(_ content: [UInt8]) -> Bool {
        guard let count = content.first, Int(count) == self.components.count, content.count == 4 + 2 * Int(count) else {
            return false
        }
        for index in self.components.indices { self.components[index].tables = content[2 + 2 * index] }
        return true
    }

    /// Reads the scan.
    mutating func greys() -> [UInt8]? {
        guard let first = self.components.first, let step = self.steps[first.quantisation] else { return nil }
        var greys = [UInt8](repeating: 0, count: self.columns * self.rows)
        for unit in 0..<self.unitColumns * self.unitRows {
            let origin = (unit % self.unitColumns * first.horizontal, unit / self.unitColumns * first.vertical)
            for index in self.components.indices {
                for block in 0..<self.components[index].horizontal * self.components[index].vertical {
                    guard self.readBlock(of: index) else { return nil }
                    guard index == 0 else { continue }
                    let grey = self.components[0].last * step / 8 + 128
                    let (x, y) = (origin.0 + block % first.horizontal, origin.1 + block / first.horizontal)
                    greys[y * self.columns + x] = UInt8(min(255, max(0, grey)))
                }
            }
        }
        return greys
    }

    private mutating func readBlock(of index: Int) -> Bool {
        let tables = self.components[index].tables
        guard let length = self.symbol(of: tables >> 4), let value = self.bits(Int(length)) else { return false }
        let isNegative = length > 0 && value < 1 << (length - 1)
        self.components[index].last += isNegative ? value - (1 << length) + 1 : value
        var place = 1
        while place < 64 {
            guard let symbol = self.symbol(of: 0x10 | tables & 0x0F) else { return false }
            let length = Int(symbol & 0x0F)
            guard length > 0 || symbol == 0xF0 else { return true }
            guard self.bits(length) != nil else { return false }
            place += Int(symbol >> 4) + 1
        }
        return true
    }

    private mutating func symbol(of table: UInt8) -> UInt8? {
        guard let symbols = self.symbols[table] else { return nil }
        var code = 1
        for _ in 1...16 {
            guard let bit = self.bits(1) else { return nil }
            code = code << 1 | bit
            if let symbol = symbols[code] { return symbol }
        }
        return nil
    }

    private mutating func bits(_ count: Int) -> Int? {
        var value = 0
        for _ in 0..<count {
            guard self.place < self.bytes.count else { return nil }
            value = value << 1 | Int(self.bytes[self.place] >> (7 - self.bit) & 1)
            self.bit += 1
            guard self.bit == 8 else { continue }
            self.bit = 0
            // A zero is stuffed after each FF.
            self.place += self.bytes[self.place] == 0xFF ? 2 : 1
        }
        return value
    }
}
