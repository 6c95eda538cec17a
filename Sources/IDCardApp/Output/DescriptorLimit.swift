import Glibc

/// How many files and sockets the process may have open (`RLIMIT_NOFILE`).
package enum DescriptorLimit {
    /// More than that helps nobody, and children that close all they inherit would take long.
    private static let mostWanted: rlim_t = 65_536
    /// What the process has open beside the connections of a server: the sandbox, its readers, calls to the remote sides,
    /// pipes of children, watched folders.
    private static let beside = 256

    /// Raises the limit as far as the system lets us: the usual 1,024 is for programs that wait by `select(2)`.
    package static func raise() {
        guard var limit = Self.current else { return }
        let wanted = min(limit.rlim_max, Self.mostWanted)
        guard limit.rlim_cur < wanted else { return }
        limit.rlim_cur = wanted
        // Left as it is where the kernel refuses: whoever needs more says so by `check`.
        _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    /// Checks that so many connections can be open at a time beside everything else.
    ///
    /// - Throws: `ConfigurationError`: a service that cannot open its own sandbox any more is of use to nobody.
    static func check(connections: Int) throws(ConfigurationError) {
        guard let limit = Self.current, limit.rlim_cur < rlim_t(connections + Self.beside) else { return }
        let words = """
            server.max_connections needs \(connections + Self.beside) open files at most, and this process may have \
            \(limit.rlim_cur): raise that (ulimit -n, LimitNOFILE of systemd) or lower server.max_connections
            """
        throw ConfigurationError([.init(.malformedValue, key: "server.max_connections", words)])
    }

    private static var current: rlimit? {
        var limit = rlimit()
        return getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 ? limit : nil
    }
}
