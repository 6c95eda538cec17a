/// Which source said something about a photo.
package enum MetadataOrigin: Hashable, Sendable {
    /// A row of the manifest, by its number in messages: a row of a spreadsheet, or a line of JSON.
    case manifest(row: Int)
    /// The sidecar.
    case sidecar
    /// An option of the command line.
    case option
    /// A folder that was walked into.
    case folder
    /// The folder that was named.
    case root
    /// A pattern over the path.
    case pattern
}

/// Where each field of a photo's metadata comes from; `nil` where no source says anything.
package struct MetadataOrigins: Hashable, Sendable {
    /// Who gave the business number.
    package var businessNumber: MetadataOrigin?
    /// Who gave the user account.
    package var userNumber: MetadataOrigin?
    /// Who gave the number that the holder registered with.
    package var expectedIDNumber: MetadataOrigin?
    /// Who gave the name that the holder registered with.
    package var expectedName: MetadataOrigin?
    /// Who gave the side.
    package var side: MetadataOrigin?

    /// Knows nobody yet.
    package init() {}

    /// Notes the source of what it adds to fields that are known already.
    mutating func note(_ origin: MetadataOrigin, of added: MetadataFields, beyond known: MetadataFields) {
        if known.businessNumber == nil, added.businessNumber != nil { self.businessNumber = origin }
        if known.userNumber == nil, added.userNumber != nil { self.userNumber = origin }
        if known.expectedIDNumber == nil, added.expectedIDNumber != nil { self.expectedIDNumber = origin }
        if known.expectedName == nil, added.expectedName != nil { self.expectedName = origin }
        if known.side == nil, added.side != nil { self.side = origin }
    }
}
