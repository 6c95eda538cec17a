import Foundation
import Glibc

/// Decodes the bytes of a table.
enum TableText {
    /// Decodes UTF-8, UTF-16 with a byte order mark, else GB18030, which Excel writes on Chinese Windows; `nil` for other bytes.
    static func decoded(_ data: Data) -> String? {
        if data.starts(with: [0xFF, 0xFE]) { return self.utf16(data.dropFirst(2), .utf16LittleEndian) }
        if data.starts(with: [0xFE, 0xFF]) { return self.utf16(data.dropFirst(2), .utf16BigEndian) }
        return String(validating: self.withoutByteOrderMark(data), as: UTF8.self) ?? self.gb18030(data)
    }

    /// Returns the bytes without a UTF-8 byte order mark at the start, which some editors write.
    static func withoutByteOrderMark(_ data: Data) -> Data {
        data.starts(with: [0xEF, 0xBB, 0xBF]) ? data.dropFirst(3) : data
    }

    private static func utf16(_ data: Data, _ encoding: String.Encoding) -> String? {
        // Foundation would silently drop an incomplete unit at the end.
        data.count.isMultiple(of: 2) ? String(data: data, encoding: encoding) : nil
    }

    /// Converts with iconv(3); `nil` if a byte is not in the charset, or the system does not know the charset.
    private static func gb18030(_ data: Data) -> String? {
        guard let converter = iconv_open("UTF-8", "GB18030"), Int(bitPattern: converter) != -1 else { return nil }
        defer { iconv_close(converter) }
        var input = data.map { CChar(bitPattern: $0) }
        // The UTF-8 of a character has at most three times its bytes.
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
