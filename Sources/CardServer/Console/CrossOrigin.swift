import HTTPTypes
import Hummingbird

/// Keeps the pages of other origins from doing something in the name of who is signed in here.
///
/// A browser says where a request comes from: `Sec-Fetch-Site` (Fetch Metadata), or at least `Origin`. Neither can be set by a page.
/// Stricter than Go's `net/http.CrossOriginProtection`: a request that has neither is refused, too, as only browsers come here.
enum CrossOrigin {
    /// - Throws: ``Problem`` `cross_origin` for a request that changes something and does not surely come from our own pages.
    static func check(_ request: Request) throws(Problem) {
        guard request.method != .get, request.method != .head else { return }
        let sites = request.headers[values: .secFetchSite]
        guard sites.isEmpty else {
            if sites == ["same-origin"] { return }
            throw Problem(.crossOrigin, .requestCrossSite)
        }
        let origins = request.headers[values: .origin]
        guard origins.count == 1, let host = request.head.authority, !host.isEmpty,
            let scheme = ["https://", "http://"].first(where: { origins[0].hasPrefix($0) }),
            origins[0].dropFirst(scheme.count).lowercased() == host.lowercased()
        else { throw Problem(.crossOrigin, .requestOrigin) }
    }
}

extension HTTPField.Name {
    static let secFetchSite = Self.known("Sec-Fetch-Site")
    static let clearSiteData = Self.known("Clear-Site-Data")
    static let forwardedScheme = Self.known("X-Forwarded-Proto")
    static let refresh = Self.known("Refresh")
}
