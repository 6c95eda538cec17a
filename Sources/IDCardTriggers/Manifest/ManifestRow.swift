/// One row of a manifest.
struct ManifestRow: Hashable {
    /// Its number in messages: a row of the spreadsheet, or a line of JSON.
    var number: Int
    /// The path as written: absolute, or relative to the manifest's folder; or a URL.
    var path: String
    /// What the row says about the photo.
    var fields: MetadataFields

    /// Whether the path is the URL of an image (RFC 3986 section 3.1: schemes are written in any case).
    var isAddress: Bool {
        let start = self.path.prefix(8).lowercased()
        return start.hasPrefix("https://") || start.hasPrefix("http://")
    }
}
