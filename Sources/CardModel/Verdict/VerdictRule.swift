/// A rule of the verdict; its raw value is its stable reason code and the last part of its key `verdict.severity.*`.
package enum VerdictRule: String, CaseIterable, Sendable {
    // The photo.
    /// The service saw a card.
    case cardNotRecognised = "card_not_recognised"
    /// The service saw one card, or one of the expected side.
    case severalCards = "several_cards"
    /// The side is the expected one.
    case sideMismatch = "side_mismatch"
    /// The service calls nothing on the card abnormal (FaceID v3, `result` 1002).
    case readingAbnormal = "reading_abnormal"
    /// The service gave genuineness scores: a key that is not licensed for them gives none or zeros, and the vendor's
    /// samples of backs carry none. Whoever knows that of the account sets `warn` or `off`, which lets fronts without
    /// scores pass too.
    case legalityUnavailable = "legality_unavailable"
    /// The genuineness score reaches the threshold.
    case legalityLow = "legality_low"

    // The front.
    /// The number was read.
    case numberMissing = "id_number_missing"
    /// The number has the shape of a resident identity number.
    case numberMalformed = "id_number_malformed"
    /// The number is not another document's.
    case unsupportedDocument = "unsupported_document"
    /// The check character is right.
    case numberChecksum = "id_number_checksum"
    /// The region prefix has issued cards.
    case numberRegion = "id_number_region"
    /// The number holds a day of the calendar between 1880 and today.
    case numberBirthDate = "id_number_birth_date"
    /// The printed birth date is the number's.
    case birthDateMismatch = "birth_date_mismatch"
    /// The printed gender is the number's.
    case genderMismatch = "gender_mismatch"
    /// The name was read and has 1 to 32 characters.
    case nameMissing = "name_missing"
    /// No character of the name is masked or unreadable (`王*明`).
    case nameMasked = "name_masked"
    /// The ethnic group is one of the 56.
    case ethnicityUnknown = "ethnicity_unknown"
    /// The holder has the least age (`verdict.min_age`).
    case underAge = "under_age"
    /// The number is the one the holder registered with.
    case holderNumberMismatch = "holder_number_mismatch"
    /// The name is the one the holder registered with.
    case holderNameMismatch = "holder_name_mismatch"

    // The back.
    /// The validity was read and has a known form.
    case validityUnreadable = "validity_unreadable"
    /// The start of the validity was read.
    case validityStartMissing = "validity_start_missing"
    /// The end of the validity was read; without it nobody knows whether the card has expired.
    case validityEndMissing = "validity_end_missing"
    /// The validity has begun.
    case validityNotBegun = "validity_not_begun"
    /// The validity has not ended.
    case expired = "expired"
    /// The validity does not end within the days of notice.
    case expiresSoon = "expires_soon"
    /// The span is one that cards are issued for.
    case validitySpan = "validity_span"
    /// The issuing authority was read and is a police authority.
    case issuerUnusual = "issuer_unusual"

    // Front and back of one business number.
    /// The card was issued on or after the holder's birth date.
    case issuedBeforeBirth = "issued_before_birth"
    /// The span is the one for the holder's age at issue.
    case spanForAge = "span_for_age"
    /// The front and the back are not the same picture.
    case sidesIdentical = "sides_identical"

    /// What says that a front shows another person than the expected one.
    package static let ofOtherHolder: Set<ReasonCode> = [
        VerdictRule.holderNumberMismatch.reason, VerdictRule.holderNameMismatch.reason,
    ]

    /// What follows by default when the rule does not hold.
    package var defaultSeverity: VerdictSeverity {
        switch self {
        case .nameMasked, .ethnicityUnknown, .validityStartMissing, .expiresSoon, .validitySpan, .issuerUnusual,
            .issuedBeforeBirth,
            .spanForAge:
            .warn
        case .legalityUnavailable, .validityEndMissing: .hold
        default: .reject
        }
    }

    /// What may follow: a photo without a card never passes, since nobody would know which side was delivered.
    package var possibleSeverities: [VerdictSeverity] {
        switch self {
        case .cardNotRecognised: [.reject, .hold]
        case .legalityUnavailable: VerdictSeverity.allCases
        default: [.reject, .hold, .warn, .off]
        }
    }

    /// The code under which a card is refused, held or marked by this rule.
    package var reason: ReasonCode { ReasonCode(rawValue: self.rawValue) }
}

extension IDNumber.Violation {
    /// The rule of the verdict that does not hold.
    package var rule: VerdictRule {
        switch self {
        case .malformed: .numberMalformed
        case .firstGeneration, .unsupportedDocument: .unsupportedDocument
        case .checksum: .numberChecksum
        case .region: .numberRegion
        case .birthDate: .numberBirthDate
        }
    }

    /// What to tell a person, without the number.
    package var message: Message {
        switch self {
        case .malformed: .verdictNumberMalformed
        case .firstGeneration: .verdictFirstGeneration
        case .unsupportedDocument: .verdictUnsupportedDocument
        case .checksum: .verdictNumberChecksum
        case .region: .verdictNumberRegion
        case .birthDate: .verdictNumberBirthDate
        }
    }
}
