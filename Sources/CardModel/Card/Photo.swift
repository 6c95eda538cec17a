package import Foundation

/// A photo from a list, a watched folder or a request, before it is read.
package struct Photo: Hashable, Sendable {
    /// The location of the source bytes.
    package enum Location: Hashable, Sendable {
        /// A file, with its identity at the time of listing, so that a replacement is detected.
        case file(FileIdentity)
        /// The URL to fetch the photo from.
        case address(Redacted<String>)
        /// The body of a request.
        case bytes(Data, ContentDigest)
    }

    package var location: Location
    /// The name of the photo in reports: the path as the person gave it; never the file name that a request states.
    package var name: Redacted<String>
    /// The metadata from its source.
    package var metadata: CardMetadata
    /// The origin of each field, for `--dry-run`.
    package var origins: [SubmittedField: FieldOrigin] = [:]
    /// The row of the manifest that names the photo, if one does; then this position, not the time of the file, decides
    /// which of two photos is newer.
    package var row: Int?
    /// The name of the request with this photo, if the request has one.
    package var receipt: Receipt?
    /// Whether the name of its folder, which gives the number, looks like one of the list's numbers and a person's name.
    package var hasPersonalFolder = false
    /// The side by which the form's part with this photo is named, if it is named by one.
    package var part: CardSide?

    package init(_ location: Location, name: Redacted<String> = Redacted("request"), metadata: CardMetadata) {
        (self.location, self.name, self.metadata) = (location, name, metadata)
    }

    package var file: FileIdentity? { if case .file(let file) = self.location { file } else { nil } }
    package var address: Redacted<String>? { if case .address(let address) = self.location { address } else { nil } }
}

/// An input that is refused before it is read.
package struct RefusedInput: Error, Hashable, Sendable {
    /// The name of the input in reports: a path, or the row of a manifest.
    package var name: Redacted<String>
    package var error: CodedError

    package init(name: Redacted<String>, error: CodedError) {
        self.name = name
        self.error = error
    }
}

package enum FieldOrigin: Hashable, Sendable {
    /// A row of a manifest, counted from 1.
    case manifest(row: Int)
    /// The sidecar file beside the photo.
    case sidecar
    /// An option of the command line.
    case option
    /// The name of the photo's folder.
    case folder
    /// The name of the file (`-front`, `-back`).
    case filename
}

/// The name that a client gave to a request, so that the same request sent again gets the first answer.
package struct Receipt: Hashable, Sendable {
    /// Where a name comes from. Two submitters may use the same name.
    package enum Kind: String, Sendable {
        case idempotencyKey = "idempotencyKey"
        /// The `webhook-id` of a message.
        case webhook = "webhook"
    }

    package var kind: Kind
    package var name: String
    /// A digest of the whole content of the request.
    package var request: ContentDigest
    /// The index of the photo in the request.
    package var index: Int

    package init(kind: Kind, name: String, request: ContentDigest, index: Int = 0) {
        (self.kind, self.name, self.request, self.index) = (kind, name, request, index)
    }
}
