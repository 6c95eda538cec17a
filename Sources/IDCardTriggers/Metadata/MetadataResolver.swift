import IDCardCore
import IDCardPipeline

/// Puts together what is known about a photo: manifest row, then sidecar, then options, then the name of its folder;
/// the first found wins, field by field.
struct MetadataResolver {
    private let options: MetadataFields
    private let sidecarLimit: Int

    /// Takes what holds for all inputs.
    init(_ options: BatchOptions) {
        var fields = MetadataFields()
        fields.businessNumber = options.businessNumber.map { Redacted($0) }
        fields.userNumber = options.userNumber
        self.options = fields
        self.sidecarLimit = options.limits.sidecarBytes
    }

    /// Decides whether a photo can be taken in, and with what metadata.
    func disposition(of candidate: Candidate, row: ManifestRow?) -> IntakeItem.Disposition {
        var fields = row?.fields ?? MetadataFields()
        do {
            // Beside a URL lies nothing.
            if candidate.finding == .file,
                let sidecar = try Sidecar.fields(ofImage: candidate.path, limit: self.sidecarLimit)
            {
                fields.fill(from: sidecar)
            }
        } catch {
            let number = self.businessNumber(of: candidate, row: row)
            return .refuse(.sidecarInvalid, message: error.message, of: number)
        }
        self.fillFurther(&fields, candidate)
        guard let text = fields.businessNumber else { return .refuse(.businessNumberMissing, message: Self.missing) }
        let number: BusinessNumber
        do {
            number = try BusinessNumber.parse(text.reveal()).get()
        } catch {
            return .refuse(.businessNumberInvalid, message: "the business number \(error.words)")
        }
        return .take(
            CardMetadata(
                businessNumber: number,
                userNumber: fields.userNumber,
                expectedIDNumber: fields.expectedIDNumber,
                expectedName: fields.expectedName,
                side: fields.side,
                priority: fields.priority ?? 0
            )
        )
    }

    /// The business number of a photo as far as it is known without its sidecar.
    func businessNumber(of candidate: Candidate, row: ManifestRow?) -> BusinessNumber? {
        var fields = row?.fields ?? MetadataFields()
        self.fillFurther(&fields, candidate)
        return fields.businessNumber.flatMap { BusinessNumber($0.reveal()) }
    }

    /// Fills in what neither the row nor the sidecar say.
    private func fillFurther(_ fields: inout MetadataFields, _ candidate: Candidate) {
        fields.fill(from: self.options)
        var folder = MetadataFields()
        folder.businessNumber = candidate.folderName.map { Redacted($0) }
        fields.fill(from: folder)
    }

    private static let missing = """
        no business number; give one in the column business_no of a manifest, in a sidecar (IMAGE.json beside IMAGE), \
        by --business-no, or as the name of the folder the image lies in \
        (a folder named on the command line itself lends no name)
        """
}
