package import Foundation

/// A photo on its way in, before it is read: of a list, a watched folder or a request.
package struct Photo: Hashable, Sendable {
    /// The location of the source bytes.
    package enum Location: Hashable, Sendable {
        /// A file, with its identity when listed, so that a replacement is detected.
        case file(FileIdentity)
        /// The URL to fetch the photo from.
        case address(Redacted<String>)
        /// The body of a request.
        case bytes(Data, ContentDigest)
    }

    package var location: Location
    /// The name of the photo in reports: the path as the person gave it; the file name that a request states is not used.
    package var name: Redacted<String>
    /// The metadata from its source.
    package var metadata: CardMetadata
    /// The origin of each field, for `--dry-run`.
    package var origins: [SubmittedField: FieldOrigin] = [:]
    /// The row of a manifest that names it: then its position in the manifest counts, not the time of its file.
    package var row: Int?
    /// The name of the request that brought it, if it has one.
    package var receipt: Receipt?
    /// The part of a form that it came in, if its name is a side.
    package var part: CardSide?

    package init(_ location: Location, name: Redacted<String> = Redacted("request"), metadata: CardMetadata) {
        (self.location, self.name, self.metadata) = (location, name, metadata)
    }

    package var file: FileIdentity? { if case .file(let file) = self.location { file } else { nil } }
    package var address: Redacted<String>? { if case .address(let address) = self.location { address } else { nil } }
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
}

/// The name that a client gave to a request, so that the same request sent again gets the first answer.
package struct Receipt: Hashable, Sendable {
    /// Where a name comes from; each submitter has names of its own.
    package enum Kind: String, Sendable {
        /// The `Idempotency-Key` of a request.
        case idempotencyKey = "idempotencyKey"
        /// The `webhook-id` of a message.
        case webhook = "webhook"
    }

    /// Where the name comes from.
    package var kind: Kind
    package var name: String
    /// A digest of the whole content of the request.
    package var request: ContentDigest
    /// The index of its photo in the request.
    package var index: Int

    package init(kind: Kind, name: String, request: ContentDigest, index: Int = 0) {
        (self.kind, self.name, self.request, self.index) = (kind, name, request, index)
    }
}
