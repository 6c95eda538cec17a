import Foundation

extension Data {
    /// The bytes without a UTF-8 byte order mark at the start, which some editors write.
    var withoutByteOrderMark: Data {
        self.starts(with: [0xEF, 0xBB, 0xBF]) ? self.dropFirst(3) : self
    }
}
