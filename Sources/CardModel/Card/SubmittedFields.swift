/// The fields that a submitter may give with a photo; the raw value is the name in manifests, sidecars, forms and
/// webhooks.
package enum SubmittedField: String, CaseIterable, Sendable, Codable {
    case businessNumber = "business_no"
    /// The user account.
    case userNumber = "user_no"
    /// `front` or `back`.
    case side = "side"
    /// A whole number; cards with a higher number are processed first.
    case priority = "priority"
    /// The identity number the holder registered with.
    case expectedIDNumber = "expected_id_number"
    /// The name the holder registered with.
    case expectedName = "expected_name"

    /// Reads the name of a column, in English or Chinese.
    package init?(column name: String) {
        guard let field = Self.allCases.first(where: { [$0.rawValue, $0.chineseName].contains(name) }) else {
            return nil
        }
        self = field
    }

    /// The name of its column in a list that a Chinese office writes.
    package var chineseName: String {
        switch self {
        case .businessNumber: "业务编号"
        case .userNumber: "账号"
        case .side: "面"
        case .priority: "优先级"
        case .expectedIDNumber: "身份证号"
        case .expectedName: "姓名"
        }
    }
}

/// The fields of ``SubmittedField`` as one source gave them: a manifest row, a sidecar, options, a form, a webhook.
///
/// Values are checked when they are read, so that all values here are usable.
package struct SubmittedFields: Hashable, Sendable {
    package var businessNumber: BusinessNumber?
    package var userNumber: Redacted<String>?
    package var side: CardSide?
    package var priority: Int?
    package var expectedIDNumber: Redacted<String>?
    package var expectedName: Redacted<String>?

    package init() {}
}

// MARK: Reading

extension SubmittedFields {
    /// Reads texts by field; a blank text counts as missing.
    ///
    /// - Throws: `CodedError` of kind `input`, naming the field: `business_no_invalid`, `field_invalid`.
    package init(_ texts: [SubmittedField: String]) throws(CodedError) {
        for field in SubmittedField.allCases {
            guard let text = texts[field]?.trimmed, !text.isEmpty else { continue }
            try self.set(field, to: text)
        }
    }

    /// Checks a text that is not blank, and sets the field to its value.
    private mutating func set(_ field: SubmittedField, to text: String) throws(CodedError) {
        switch field {
        case .businessNumber:
            switch BusinessNumber.parse(text) {
            case .success(let number): self.businessNumber = number
            case .failure(let why): throw CodedError(.businessNumberInvalid, .input, why)
            }
        case .userNumber:
            try Self.requireIntact(text, field)
            self.userNumber = Redacted(text)
        case .side:
            guard let side = CardSide(submitted: text) else { throw Self.invalid(.fieldSide) }
            self.side = side
        case .priority:
            guard let priority = Int(text), -1_000_000...1_000_000 ~= priority else {
                throw Self.invalid(.fieldPriority)
            }
            self.priority = priority
        case .expectedIDNumber:
            try Self.requireIntact(text, field)
            guard !SpreadsheetText.hasLostDigits(text) else { throw Self.invalid(.fieldLostDigits(field)) }
            // An invalid number matches no card, which would be noticed only after the paid verification. The number of
            // another kind of document passes here: the verdict compares it.
            if case .failure(let violation) = IDNumber.parse(registered: text), violation != .unsupportedDocument {
                throw Self.invalid(.fieldNotIdentityNumber(field))
            }
            self.expectedIDNumber = Redacted(text)
        case .expectedName:
            try Self.requireIntact(text, field)
            guard !HolderName.isMasked(text) else { throw Self.invalid(.fieldNameMasked(field)) }
            self.expectedName = Redacted(text)
        }
    }

    /// Refuses invisible texts, and texts that spreadsheets or programs write for missing or damaged values.
    private static func requireIntact(_ text: String, _ field: SubmittedField) throws(CodedError) {
        guard text.unicodeScalars.count <= 256 else { throw Self.invalid(.fieldTooLong(field)) }
        guard text.isVisibleLine else { throw Self.invalid(.fieldInvisible(field)) }
        guard !SpreadsheetText.isDamage(text) else { throw Self.invalid(.fieldSpreadsheet(field)) }
    }

    private static func invalid(_ message: Message) -> CodedError { CodedError(.fieldInvalid, .input, message) }
}

extension CardSide {
    /// Reads a side as submitters write it: `front`, `back`, also 人像面 and 国徽面; not 正面 and 反面, which are ambiguous.
    package init?(submitted text: String) {
        switch PrintedText.folded(text).lowercased() {
        case "front", "人像面": self = .front
        case "back", "国徽面": self = .back
        default: return nil
        }
    }
}

extension String {
    /// Whether every character shows on one line: no control or format characters, no line breaks.
    package var isVisibleLine: Bool {
        if self.utf8.allSatisfy({ 0x20...0x7E ~= $0 }) { return true }
        return self.unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: false
            default: true
            }
        }
    }
}
