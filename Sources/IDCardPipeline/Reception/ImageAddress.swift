package import IDCardCore

/// An absolute URL of an image; it may carry a signature or a name, so it is shown nowhere.
package struct ImageAddress: Hashable, Sendable {
    /// The URL.
    package var url: Redacted<String>

    /// Names an image.
    package init(_ url: String) {
        self.url = Redacted(url)
    }
}
