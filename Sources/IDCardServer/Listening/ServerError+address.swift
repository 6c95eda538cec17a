import Glibc
import NIOCore

extension ServerError {
    /// Says why an address cannot be had, if an error is about that.
    ///
    /// - Parameters:
    ///   - key: the configuration key or option that names the address.
    package init?(_ error: any Error, host: String, port: Int, key: String) {
        let address = "\(host.contains(":") ? "[\(host)]" : host):\(port)"
        if error is SocketAddressError {
            self.init(.listening, "cannot listen on \(address): no address has this name; correct \(key)", cause: error)
            return
        }
        guard let error = error as? IOError else { return nil }
        let reason: String
        switch error.errnoCode {
        case EADDRINUSE:
            reason = "another program listens there (`ss -ltnp 'sport = :\(port)'` shows it); end it, or set another port in \(key)"
        case EACCES, EPERM:
            reason =
                "this user may not listen on ports below 1024; set a higher port in \(key), or allow it in the unit by "
                + "AmbientCapabilities=CAP_NET_BIND_SERVICE"
        case EADDRNOTAVAIL:
            reason = "no interface of this machine has this address; correct \(key) (`ip address` shows them)"
        case EAFNOSUPPORT:
            reason = "this machine has no addresses of this kind; set another in \(key)"
        default:
            return nil
        }
        self.init(.listening, "cannot listen on \(address): \(reason)", cause: error)
    }
}
