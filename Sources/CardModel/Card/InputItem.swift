/// A photo that a source lists, before it is read.
package struct InputItem: Hashable, Sendable {
    /// The location of a photo.
    package enum Place: Hashable, Sendable {
        /// A file, with its identity when listed, so that a replacement is detected.
        case file(FileIdentity)
        case address(Redacted<String>)
    }

    package var place: Place
    /// The name of the photo in reports: the path as the person gave it.
    package var name: Redacted<String>
    /// The metadata from its source.
    package var metadata: CardMetadata
    /// The origin of each field, for `--dry-run`.
    package var origins: [SubmittedField: FieldOrigin]
    /// Whether a row of a manifest names it: then its position in the manifest counts, not the time of its file.
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
    /// Its name in reports: a path, or a manifest's row.
    package var name: Redacted<String>
    package var error: CodedError

    package init(name: Redacted<String>, error: CodedError) {
        self.name = name
        self.error = error
    }
}

/// The origin of a field of a photo's metadata.
package enum FieldOrigin: Hashable, Sendable {
    /// A row of a manifest, counted from 1.
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
