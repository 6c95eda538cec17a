import CardModel
import SystemPackage

/// Combines the metadata of a photo; the first value of each field wins.
///
/// The order is: manifest row, sidecar, options, path.
///
/// An exception is a sidecar and a folder with different numbers. One of them is wrong: a photo in the wrong folder looks just
/// like a sidecar that was copied along. Then the photo is refused, unless the manifest has a number.
struct MetadataResolver {
    private struct Known {
        var fields = SubmittedFields()
        var origins: [SubmittedField: FieldOrigin] = [:]

        /// Fills missing fields from a later source.
        mutating func add(_ other: SubmittedFields, from origin: FieldOrigin) {
            func add<Value>(_ property: WritableKeyPath<SubmittedFields, Value?>, _ field: SubmittedField) {
                guard self.fields[keyPath: property] == nil, let value = other[keyPath: property] else { return }
                self.fields[keyPath: property] = value
                self.origins[field] = origin
            }
            add(\.businessNumber, .businessNumber)
            add(\.userNumber, .userNumber)
            add(\.side, .side)
            add(\.priority, .priority)
            add(\.expectedIDNumber, .expectedIDNumber)
            add(\.expectedName, .expectedName)
        }
    }

    /// The fields of the command line, for each photo.
    let options: SubmittedFields
    /// Which part of a path is the business number.
    let rule: BusinessNumberRule
    /// A cache, since this is slow to compute: the number in each part of a path, and the name of the folder that it may copy.
    private(set) var numbers: [String: (number: Result<BusinessNumber, CodedError>, original: String?)] = [:]
    private(set) var sidecars: [FilePath: SidecarNames] = [:]

    /// Returns a photo with its metadata and the origin of each field.
    ///
    /// - Throws: `CodedError` if it cannot be admitted: `business_no_missing`, `business_no_invalid`,
    ///   `business_no_conflict`, `sidecar_invalid`, `field_invalid`, `field_duplicate`.
    mutating func item(
        _ candidate: ListedFile,
        at location: Photo.Location,
        row: Manifest.Row? = nil,
        sidecar: Sidecar.Location = .beside
    ) throws(CodedError) -> Photo {
        var known = Known()
        if let row { known.add(try row.fields.get(), from: .manifest(row: row.number)) }
        if let sidecar = try self.sidecar(of: candidate, sidecar) {
            if known.fields.businessNumber == nil, let number = sidecar.businessNumber {
                try self.requireAgreement(candidate, number)
            }
            known.add(sidecar, from: .sidecar)
        }
        known.add(self.options, from: .option)
        let number: BusinessNumber
        if let given = known.fields.businessNumber {
            number = given
        } else {
            (number, known.origins[.businessNumber]) = try self.number(candidate)
        }
        let metadata = CardMetadata(known.fields, businessNumber: number)
        var photo = Photo(location, name: Redacted(candidate.shownSource), metadata: metadata)
        (photo.origins, photo.row) = (known.origins, row?.number)
        return photo
    }

    private mutating func sidecar(of candidate: ListedFile, _ location: Sidecar.Location) throws(CodedError)
        -> SubmittedFields?
    {
        switch location {
        case .missing: return nil
        case .at(let path): return try Sidecar.fields(at: path)
        // A URL has no sidecar.
        case .beside where candidate.finding == .address: return nil
        case .beside: break
        }
        let folder = candidate.path.removingLastComponent()
        guard let names = self.sidecars[folder] ?? (try? OpenFolder(folder).names()).map({ SidecarNames($0) }) else {
            // A folder that may be entered but not listed: try the exact name. Opening the photo reports other errors.
            return try Sidecar.fields(at: FilePath(candidate.path.text + Sidecar.suffix))
        }
        self.sidecars[folder] = names
        guard let name = try Sidecar.name(names.match(candidate.path.name)) else { return nil }
        return try Sidecar.fields(at: folder.appending(name))
    }

    /// Returns the number in the path of a photo, and its origin.
    private mutating func number(_ candidate: ListedFile) throws(CodedError) -> (BusinessNumber, FieldOrigin) {
        let (text, origin) = try self.rule.text(candidate)
        let known = self.numbers[text] ?? (Self.number(text), IgnoredNames.original(of: text))
        self.numbers[text] = known
        let number = try known.number.get()
        if let original = known.original, Self.exists(original, beside: text, on: candidate.path) {
            throw BusinessNumberRule.missing(.noNumberFolderName)
        }
        return (number, origin)
    }

    /// Whether a folder of this name exists beside a folder of a photo's path.
    private static func exists(_ name: String, beside folder: String, on path: FilePath) -> Bool {
        var path = path.removingLastComponent()
        while let last = path.lastComponent, last.text != folder { path.removeLastComponent() }
        guard path.lastComponent != nil, let name = FilePath.Component(name) else { return false }
        return (try? path.removingLastComponent().appending(name).status(followingLinks: false))?.kind == .folder
    }

    private static func number(_ text: String) -> Result<BusinessNumber, CodedError> {
        guard IgnoredNames.mayBeNumber(text) else { return .failure(BusinessNumberRule.missing(.noNumberFolderName)) }
        return BusinessNumber.parse(text).mapError { why in
            CodedError(.businessNumberInvalid, .input, .businessNumberOfPath(text, why))
        }
    }

    /// Refuses a photo whose folder gives another number than its sidecar.
    private mutating func requireAgreement(_ candidate: ListedFile, _ number: BusinessNumber) throws(CodedError) {
        guard let (folder, _) = try? self.number(candidate), folder != number else { return }
        throw CodedError(.businessNumberConflict, .input, .businessNumberConflict(number, folder: folder))
    }
}
