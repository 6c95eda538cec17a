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
    package var message: String {
        switch self {
        case .malformed: "the identity number does not have 17 digits and a check character; take a sharper photo"
        case .firstGeneration:
            "a number of 15 digits was read, as only cards of the first generation carry, which are not valid any more; "
                + "photograph the holder's present card"
        case .unsupportedDocument:
            "the number belongs to another document (a residence permit); photograph a resident identity card"
        case .checksum: "the identity number's check digit is wrong; take a sharper photo or check the card"
        case .region: "the identity number starts with a region that does not exist; take a sharper photo"
        case .birthDate: "the identity number holds an impossible birth date; take a sharper photo or check the card"
        }
    }
}
