/// One row of a manifest.
struct ManifestRow: Hashable {
    /// The path as written: absolute, or relative to the manifest's folder.
    var path: String
    /// What the row says about the photo.
    var fields: MetadataFields
}
