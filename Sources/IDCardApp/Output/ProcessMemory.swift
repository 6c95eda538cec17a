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
        guard let symbol = dlsym(UnsafeMutableRawPointer(bitPattern: 0), "mallopt") else { return }
        let set = unsafeBitCast(symbol, to: Setting.self)
        // A parameter that the system does not take is left as it is.
        for parameter in Self.parameters { _ = set(parameter.name, parameter.value) }
    }
}
