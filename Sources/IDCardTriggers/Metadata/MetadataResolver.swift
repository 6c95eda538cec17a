import IDCardCore
import IDCardPipeline

/// Puts together what is known about a photo: manifest row, then sidecar, then options, then its path; the first found
/// wins, field by field.
struct MetadataResolver {
    /// What becomes of a photo.
    struct Decision {
        /// Whether it is taken in, and with what metadata.
        var disposition: IntakeItem.Disposition
        /// Who said what of it.
        var origins = MetadataOrigins()
        /// Why its path gives no business number, if it was asked in vain.
        var absence: BusinessNumberAbsence?
    }

    private struct Known {
        var fields = MetadataFields()
        var origins = MetadataOrigins()
        var absence: BusinessNumberAbsence?

        mutating func add(_ others: MetadataFields, from origin: MetadataOrigin) {
            self.origins.note(origin, of: others, beyond: self.fields)
            self.fields.fill(from: others)
        }
    }

    private let options: MetadataFields
    private let rule: BusinessNumberRule
    private let putAway: PutAwayFolders
    private let sidecarLimit: Int

    /// Takes what holds for all inputs.
    init(_ options: BatchOptions) {
        var fields = MetadataFields()
        fields.businessNumber = options.businessNumber.map { Redacted($0) }
        fields.userNumber = options.userNumber
        self.options = fields
        self.rule = options.businessNumberRule
        self.putAway = PutAwayFolders(options.skippedFolders)
        self.sidecarLimit = options.limits.sidecarBytes
    }

    /// Decides whether a photo can be taken in, and with what metadata.
    func decision(of candidate: Candidate, row: ManifestRow?) -> Decision {
        var known = Known()
        if let row { known.add(row.fields, from: .manifest(row: row.number)) }
        do {
            // Beside a URL lies nothing.
            if candidate.finding == .file,
                let sidecar = try Sidecar.fields(ofImage: candidate.path, limit: self.sidecarLimit)
            {
                known.add(sidecar, from: .sidecar)
            }
        } catch {
            let number = self.businessNumber(of: candidate, row: row)
            return Decision(disposition: .refuse(.sidecarInvalid, message: error.message, of: number))
        }
        self.addFurther(to: &known, candidate)
        let disposition = Self.disposition(of: known)
        return Decision(disposition: disposition, origins: known.origins, absence: known.absence)
    }

    private static func disposition(of known: Known) -> IntakeItem.Disposition {
        let fields = known.fields
        guard let text = fields.businessNumber else {
            let absence = known.absence ?? .notWalked
            return .refuse(.businessNumberMissing, message: absence.message)
        }
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
        var known = Known()
        if let row { known.add(row.fields, from: .manifest(row: row.number)) }
        self.addFurther(to: &known, candidate)
        return known.fields.businessNumber.flatMap { BusinessNumber($0.reveal()) }
    }

    /// Adds what neither the row nor the sidecar say.
    private func addFurther(to known: inout Known, _ candidate: Candidate) {
        known.add(self.options, from: .option)
        guard known.fields.businessNumber == nil, candidate.finding != .address else { return }
        switch self.rule.read(PathText.name(of: candidate.path), in: candidate.place, putAway: self.putAway) {
        case .number(let text, let origin):
            var path = MetadataFields()
            path.businessNumber = Redacted(text)
            known.add(path, from: origin)
        case .absent(let absence): known.absence = absence
        }
    }
}
