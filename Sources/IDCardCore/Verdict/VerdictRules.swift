/// The rules a reading must pass before its card is delivered; pure, so that every provider is judged alike.
package struct VerdictRules: Hashable, Sendable {
    /// The least genuineness score that passes, 0…1, unless the vendor's reply carries its own threshold.
    package var legalityThreshold: Double
    /// What a missing legality means.
    package var legalityUnavailable: LegalityPolicy

    /// Makes rules with the documented defaults: 0.8, and a person decides.
    package init(legalityThreshold: Double = 0.8, legalityUnavailable: LegalityPolicy = .hold) {
        self.legalityThreshold = legalityThreshold
        self.legalityUnavailable = legalityUnavailable
    }

    /// Judges a reading.
    ///
    /// - Parameters:
    ///   - reading: what the provider read.
    ///   - expectedSide: the side the metadata names, if any.
    package func judge(_ reading: CardReading, expectedSide: CardSide?) -> Verdict {
        guard let side = reading.side else {
            return .rejected(
                .sideMissing,
                message: "no identity card was recognised in the photo; take a new one that shows the whole card"
            )
        }
        if let expectedSide, side != expectedSide {
            return .rejected(
                .sideMismatch,
                message: "the photo shows the \(side.rawValue), the metadata says \(expectedSide.rawValue)"
            )
        }
        if let refusal = self.refusalOfLegality(reading.legality) { return refusal }
        return side == .front ? self.judgeNumber(reading.fields.number) : .accepted
    }

    private func refusalOfLegality(_ legality: Legality?) -> Verdict? {
        guard let legality else {
            let message = "the verifier gave no legality scores; the key may not be licensed for them"
            switch self.legalityUnavailable {
            case .accept: return nil
            case .hold: return .held(.legalityUnavailable, message: message)
            case .reject: return .rejected(.legalityUnavailable, message: message)
            }
        }
        let threshold = legality.vendorThreshold ?? self.legalityThreshold
        guard legality.genuineScore < threshold else { return nil }
        let other = legality.strongestOtherClass ?? "unknown"
        return .rejected(
            .legalityLow,
            message: "the card does not look like an original (\(Legality.genuine) \(legality.genuineScore) is below "
                + "\(threshold)); strongest other class: \(other)"
        )
    }

    private func judgeNumber(_ number: Redacted<String>?) -> Verdict {
        guard let raw = number?.reveal(), !raw.isEmpty else {
            return .rejected(.numberMissing, message: "the identity number was not read; take a sharper photo")
        }
        switch IDNumber.parse(raw) {
        case .success: return .accepted
        case .failure(let violation): return .rejected(violation.reason, message: violation.message)
        }
    }
}

extension IDNumber.Violation {
    /// The stable code of this violation.
    package var reason: ReasonCode {
        switch self {
        case .malformed, .firstGeneration: .numberMalformed
        case .unsupportedDocument: .unsupportedDocument
        case .checksum: .numberChecksum
        case .region: .numberRegion
        case .birthDate: .numberBirthDate
        }
    }

    /// What to tell a person, without the number.
    package var message: String {
        switch self {
        case .malformed: "the identity number does not have 17 digits and a check character; take a sharper photo"
        case .firstGeneration:
            "a 15-digit number was read, which no second-generation card carries; take a sharper photo"
        case .unsupportedDocument: "the number belongs to another document than the resident identity card"
        case .checksum: "the identity number's check digit is wrong; take a sharper photo or check the card"
        case .region: "the identity number starts with a region that does not exist"
        case .birthDate: "the identity number holds an impossible birth date"
        }
    }
}
