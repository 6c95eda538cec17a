import Foundation
import Glibc

/// How the process keeps memory it does not need at the moment.
///
/// Left alone, glibc gives every thread an arena of its own and keeps what is freed in each: images that pass through a
/// dozen threads leave a dozen heaps behind that are as large as their busiest moment.
package enum ProcessMemory {
    /// `M_TRIM_THRESHOLD` and `M_ARENA_MAX` of mallopt(3), whose header Swift does not see.
    private static let parameters: [(name: Int32, value: Int32)] = [(-1, 64 << 10), (-8, 2)]

    /// Keeps few heaps, and gives back what is free at their ends; on a system without mallopt(3) nothing happens.
    package static func begin() {
        typealias Setting = @convention(c) (Int32, Int32) -> Int32
        guard let set = self.function("mallopt", as: Setting.self) else { return }
        // A parameter that the system does not take is left as it is.
        for parameter in Self.parameters { _ = set(parameter.name, parameter.value) }
    }

    /// Gives back what is free in the heaps: listing the inputs takes several times what is kept of them.
    package static func trim() {
        typealias Trimming = @convention(c) (Int) -> Int32
        if let trim = self.function("malloc_trim", as: Trimming.self) { _ = trim(0) }
    }

    /// A function of the C library that other systems do not have.
    private static func function<Function>(_ name: String, as type: Function.Type) -> Function? {
        dlsym(UnsafeMutableRawPointer(bitPattern: 0), name).map { unsafeBitCast($0, to: type) }
    }

    /// Gives back what starting has taken, once the work begins: what is free in the heaps, and the pages of the program and
    /// its libraries.
    ///
    /// Tables for the linker, symbol names, what parses the command line and the configuration: more than half of what is
    /// mapped of them is not needed again. What is comes back from the page cache, page by page, when it is executed
    /// (madvise(2), `MADV_DONTNEED` of a mapping that nobody may write to).
    package static func forgetStarting() {
        self.trim()
        // Where there is no /proc nothing is given back.
        guard let maps = try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8) else { return }
        for line in maps.split(separator: "\n") {
            let fields = line.split(separator: " ", omittingEmptySubsequences: true)
            guard fields.count == 6, fields[1] == "r-xp", fields[5].hasPrefix("/") else { continue }
            let bounds = fields[0].split(separator: "-").compactMap { UInt(String($0), radix: 16) }
            guard bounds.count == 2, let start = UnsafeMutableRawPointer(bitPattern: bounds[0]) else { continue }
            madvise(start, Int(bounds[1] - bounds[0]), MADV_DONTNEED)
        }
    }
}
