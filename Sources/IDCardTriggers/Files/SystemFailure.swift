import Glibc

/// A refusal of the operating system.
struct SystemFailure: Error, Hashable, CustomStringConvertible {
    /// The value of `errno`.
    let code: Int32

    /// Takes an error number.
    init(code: Int32) {
        self.code = code
    }

    /// The refusal of the call that has just failed.
    static var current: SystemFailure { SystemFailure(code: errno) }

    /// A socket, pipe or device stands where a file or folder should.
    static let notAFile = SystemFailure(code: ENOTSUP)

    /// Whether the path names nothing.
    var isAbsence: Bool { self.code == ENOENT || self.code == ENOTDIR }

    /// The system's words, such as `Permission denied`; no path is in them.
    var description: String {
        var buffer = [CChar](repeating: 0, count: 128)
        guard strerror_r(self.code, &buffer, buffer.count) == 0 else { return "error \(self.code)" }
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
