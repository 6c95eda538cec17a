import IDCardCore

extension VerdictRule {
    /// What is the matter when the rule does not hold, as the end of a sentence: "What follows when …".
    var violation: String {
        switch self {
        case .cardNotRecognised: "the service saw no card"
        case .severalCards: "the service saw several cards, none of which is surely the one meant"
        case .sideMismatch: "the side is not the expected one"
        case .readingAbnormal: "the service calls something on the card abnormal (FaceID v3, `result` 1002)"
        case .legalityLow: "the score as a genuine card is below the threshold"
        case .numberMissing: "the number was not read"
        case .numberMalformed: "the number does not have the shape of a resident identity number"
        case .unsupportedDocument: "the number belongs to another document than a resident identity card"
        case .numberChecksum: "the check character of the number is wrong"
        case .numberRegion: "the number starts with a region that has issued no cards"
        case .numberBirthDate: "the number holds no day of the calendar between 1880 and today"
        case .birthDateMismatch: "the printed birth date is not the number's"
        case .genderMismatch: "the printed gender is not the number's"
        case .nameMissing: "the name was not read or has more than 32 characters"
        case .ethnicityUnknown: "the ethnic group is none of the 56"
        case .underAge: "the holder is younger than `verdict.min_age`"
        case .holderNumberMismatch: "the number is not the one the holder registered with"
        case .holderNameMismatch: "the name is not the one the holder registered with"
        case .validityUnreadable: "the validity was not read or has no known form"
        case .validityEndMissing: "the end of the validity was not read"
        case .validityNotBegun: "the validity has not begun"
        case .expired: "the validity has ended"
        case .expiresSoon: "the validity ends within `verdict.expiry_notice_days`"
        case .validitySpan: "the validity has a span for which no cards are issued"
        case .issuerUnusual: "the issuing authority was not read or is no police authority"
        case .issuedBeforeBirth: "the card was issued before the holder's birth"
        case .spanForAge: "the validity has not the span for the holder's age at issue"
        case .sidesIdentical: "front and back are the same picture"
        }
    }
}
