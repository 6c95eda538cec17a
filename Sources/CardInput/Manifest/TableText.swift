import Foundation
import Glibc

/// Makes text of the bytes of a table.
enum TableText {
    /// Reads UTF-8, UTF-16 with a byte order mark, else GB18030, in which Excel writes CSV on Chinese Windows; `nil`
    /// if it is none of them.
    static func decoded(_ data: Data) -> String? {
        if data.starts(with: [0xFF, 0xFE]) { return self.utf16(data.dropFirst(2), .utf16LittleEndian) }
        if data.starts(with: [0xFE, 0xFF]) { return self.utf16(data.dropFirst(2), .utf16BigEndian) }
        return String(validating: self.withoutByteOrderMark(data), as: UTF8.self) ?? self.gb18030(data)
    }

    /// The bytes without a UTF-8 byte order mark at the start, which some editors write.
    static func withoutByteOrderMark(_ data: Data) -> Data {
        data.starts(with: [0xEF, 0xBB, 0xBF]) ? data.dropFirst(3) : data
    }

    private static func utf16(_ data: Data, _ encoding: String.Encoding) -> String? {
        // Foundation would drop half a unit at the end.
        data.count.isMultiple(of: 2) ? String(data: data, encoding: encoding) : nil
    }

    /// Converts by iconv(3); `nil` if a byte does not belong to the charset, or the system lacks its table.
    private static func gb18030(_ data: Data) -> String? {
        guard let converter = iconv_open("UTF-8", "GB18030"), Int(bitPattern: converter) != -1 else { return nil }
        defer { iconv_close(converter) }
        var input = data.map { CChar(bitPattern: $0) }
        // No character takes fewer bytes than a third of its UTF-8.
        var output = [CChar](repeating: 0, count: 3 * input.count)
        let written = input.withUnsafeMutableBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output -> Int? in
                var (from, to) = (input.baseAddress, output.baseAddress)
                var (left, room) = (input.count, output.count)
                guard iconv(converter, &from, &left, &to, &room) != -1, left == 0 else { return nil }
                return output.count - room
            }
        }
        return written.map { String(decoding: output.prefix($0).map { UInt8(bitPattern: $0) }, as: UTF8.self) }
    }
}
