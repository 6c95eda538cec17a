/// A photo that a source lists, before it is read.
package struct InputItem: Hashable, Sendable {
    /// Where a photo lies.
    package enum Place: Hashable, Sendable {
        /// A file; what it was when it was listed, so that a file put in its place is not taken for it.
        case file(FileIdentity)
        case address(Redacted<String>)
    }

    package var place: Place
    /// The name by which reports speak of the photo: the path as the person gave it.
    package var name: Redacted<String>
    /// What its source says of it.
    package var metadata: CardMetadata
    /// Who said each field, for `--dry-run`.
    package var origins: [SubmittedField: FieldOrigin]
    /// Whether a row of a manifest names it: then its place in the manifest counts, not the time of its file.
    package var hasRow: Bool

    package init(
        place: Place,
        name: Redacted<String>,
        metadata: CardMetadata,
        origins: [SubmittedField: FieldOrigin] = [:],
        hasRow: Bool = false
    ) {
        (self.place, self.name, self.metadata, self.origins) = (place, name, metadata, origins)
        self.hasRow = hasRow
    }
}

/// An input that is refused before it is read.
package struct RefusedInput: Error, Hashable, Sendable {
    /// The name by which reports speak of it: a path, or a manifest's row.
    package var name: Redacted<String>
    package var error: CodedError

    package init(name: Redacted<String>, error: CodedError) {
        self.name = name
        self.error = error
    }
}

/// Who says what a field of a photo's metadata is.
package enum FieldOrigin: Hashable, Sendable {
    /// A row of a manifest, counted as people count lines.
    case manifest(row: Int)
    /// The sidecar file beside the photo.
    case sidecar
    /// An option of the command line.
    case option
    /// The name of the folder it lies in.
    case folder
    /// The name of the file (`-front`, `-back`).
    case filename
    /// The request over HTTP.
    case request
}
