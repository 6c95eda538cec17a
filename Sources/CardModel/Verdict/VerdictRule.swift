/// A rule of the verdict. A case is named after what is wrong if the rule does not hold; a comment says what it requires. The raw
/// value is the reason code and the last part of the key `verdict.severity.*`.
package enum VerdictRule: String, CaseIterable, Sendable {
    // The photo.
    /// The service saw a card.
    case cardNotRecognised = "card_not_recognised"
    /// The service saw one card, or one of the expected side.
    case severalCards = "several_cards"
    case sideMismatch = "side_mismatch"
    /// The service calls nothing on the card abnormal (FaceID v3, `result` 1002).
    case readingAbnormal = "reading_abnormal"
    /// The service gave genuineness scores. An account that is not licensed for them gets none or zeros, and the vendor's samples
    /// of backs have none. An operator with such an account sets `warn` or `off`; then fronts without scores pass, too.
    case legalityUnavailable = "legality_unavailable"
    case legalityLow = "legality_low"

    // The front.
    case numberMissing = "id_number_missing"
    /// The number has the shape of a resident identity number.
    case numberMalformed = "id_number_malformed"
    /// The number is not that of another kind of document.
    case unsupportedDocument = "unsupported_document"
    case numberChecksum = "id_number_checksum"
    case numberRegion = "id_number_region"
    /// The number holds a day of the calendar between 1880 and today.
    case numberBirthDate = "id_number_birth_date"
    case birthDateMismatch = "birth_date_mismatch"
    case genderMismatch = "gender_mismatch"
    /// The name was read and has 1 to 32 characters.
    case nameMissing = "name_missing"
    /// No character of the name is masked or unreadable (`王*明`).
    case nameMasked = "name_masked"
    case ethnicityUnknown = "ethnicity_unknown"
    /// The holder has the minimum age (`verdict.min_age`).
    case underAge = "under_age"
    /// The number is the one the holder registered with.
    case holderNumberMismatch = "holder_number_mismatch"
    /// The name is the one the holder registered with.
    case holderNameMismatch = "holder_name_mismatch"

    // The back.
    /// The validity was read and has a known form.
    case validityUnreadable = "validity_unreadable"
    case validityStartMissing = "validity_start_missing"
    /// The end of the validity was read; without it, expiry is unknown.
    case validityEndMissing = "validity_end_missing"
    case validityNotBegun = "validity_not_begun"
    case expired = "expired"
    /// The validity does not end within the days of notice.
    case expiresSoon = "expires_soon"
    /// The span is one for which cards are issued: 5, 10 or 20 years, or without end.
    case validitySpan = "validity_span"
    /// The issuing authority was read and is a police authority.
    case issuerUnusual = "issuer_unusual"

    // Front and back of one business number.
    /// The card was issued on or after the holder's birth date.
    case issuedBeforeBirth = "issued_before_birth"
    /// The span is the one that the law gives at the holder's age at issue.
    case spanForAge = "span_for_age"
    /// A place of the issuing authority stands in the holder's address.
    case issuerElsewhere = "issuer_elsewhere"
    case sidesIdentical = "sides_identical"

    /// The reasons by which a front shows a person other than the expected one.
    package static let ofOtherHolder: Set<ReasonCode> = [
        VerdictRule.holderNumberMismatch.reason, VerdictRule.holderNameMismatch.reason,
    ]

    /// The reasons for which both sides of a case are held as perhaps not of one card.
    package static let ofOtherCard: Set<ReasonCode> = [
        VerdictRule.issuedBeforeBirth.reason, VerdictRule.spanForAge.reason, VerdictRule.issuerElsewhere.reason,
    ]

    /// The default severity when the rule does not hold.
    package var defaultSeverity: VerdictSeverity {
        switch self {
        case .nameMasked, .ethnicityUnknown, .validityStartMissing, .expiresSoon, .validitySpan, .issuerUnusual,
            .issuedBeforeBirth, .spanForAge, .issuerElsewhere:
            .warn
        case .legalityUnavailable, .validityEndMissing: .hold
        default: .reject
        }
    }

    /// The permitted severities. A photo without a recognised card never passes, because its side would be unknown.
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
    /// The rule of the verdict that the number violates, and the message for people, which does not show the number.
    package var consequence: (rule: VerdictRule, message: Message) {
        switch self {
        case .malformed: (.numberMalformed, .verdictNumberMalformed)
        case .firstGeneration: (.unsupportedDocument, .verdictFirstGeneration)
        case .unsupportedDocument: (.unsupportedDocument, .verdictUnsupportedDocument)
        case .checksum: (.numberChecksum, .verdictNumberChecksum)
        case .region: (.numberRegion, .verdictNumberRegion)
        case .birthDate: (.numberBirthDate, .verdictNumberBirthDate)
        }
    }
}
