package import IDCardCore

/// An absolute URL of an image; it may carry a signature or a name, so it is shown nowhere.
package struct ImageAddress: Hashable, Sendable {
    /// The URL.
    package var url: Redacted<String>

    /// Names an image.
    package init(_ url: String) {
        self.url = Redacted(url)
    }

    /// The host with its port, as they stand in the URL; empty if it has none. Shown nowhere either.
    var host: String {
        let url = self.url.reveal()
        guard let scheme = url.firstRange(of: "://") else { return "" }
        let authority = url[scheme.upperBound...].prefix { !"/?#".contains($0) }
        return authority.split(separator: "@").last.map { $0.lowercased() } ?? ""
    }
}
