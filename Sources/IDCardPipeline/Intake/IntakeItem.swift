package import IDCardCore

/// One input of a trigger: a file or an address that is to become a card, or the reason why it does not.
package struct IntakeItem: Hashable, Sendable {
    /// What is to be done with the input.
    package enum Disposition: Hashable, Sendable {
        /// Take it in.
        case take(CardMetadata)
        /// Refuse it without storing anything; the reason tells what to change. With the business number, as far as it is known:
        /// what is refused may be the front that a back waits for.
        case refuse(ReasonCode, message: String, of: BusinessNumber? = nil)
        /// Not an image by content nor by extension: only counted.
        case ignore
    }

    /// The input as the user named it (path as given, or below the folder given; a URL): printed on standard output, never
    /// logged.
    package var source: Redacted<String>
    /// The absolute path of the file; empty if there is an address instead.
    package var path: Redacted<String>
    /// Where the image is to be fetched from; `nil` if it is a file.
    package var address: ImageAddress?
    /// The file that was looked at when the disposition was decided: any other, and any link in its place, is refused with
    /// `source_changed`. `nil` if whatever the path names is meant, by way of links, too.
    package var expected: FileIdentity?
    /// What is to be done with it.
    package var disposition: Disposition

    /// Describes an input that is a file.
    package init(source: String, path: String, expected: FileIdentity? = nil, disposition: Disposition) {
        self.source = Redacted(source)
        self.path = Redacted(path)
        self.expected = expected
        self.disposition = disposition
    }

    /// Describes an input that is to be fetched.
    package init(address: ImageAddress, disposition: Disposition) {
        self.source = address.url
        self.path = Redacted("")
        self.address = address
        self.disposition = disposition
    }
}
