/// The names and addresses of this machine.
enum LoopbackHost {
    /// Whether a host in small letters and without brackets is this machine: `localhost` and its subdomains (RFC 6761),
    /// 127.0.0.0/8, `::1`.
    static func contains(_ host: String) -> Bool {
        if host == "localhost" || host.hasSuffix(".localhost") || host == "::1" { return true }
        // Four numbers, or `127.example.com` would pass.
        let octets = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        return octets.count == 4 && !octets.contains(nil) && octets.first == 127
    }
}
