import IDCardCore
import OutboundHTTP

extension CardFields {
    /// Reads the fields of a card under the names that FaceID v1 and Face++ share, as plain text; any may be missing.
    init(plain members: [String: JSONValue]) {
        self.init(
            name: members["name"]?.text,
            gender: members["gender"]?.text,
            ethnicity: members["race"]?.text,
            birthDate: members["birthday"].flatMap(BirthDateText.init)?.text,
            address: members["address"]?.text,
            number: members["id_card_number"]?.text,
            issuer: members["issued_by"]?.text,
            validity: members["valid_date"]?.text
        )
    }
}
