import IDCardCore

/// What was said about an image, each field at most once.
struct SubmissionFields: Sendable {
    /// The longest text, in characters.
    static let maximumTextLength = 256
    /// The priorities that can be given.
    static let priorities = -1_000_000...1_000_000

    private var texts: [SubmissionField: Redacted<String>] = [:]

    /// Takes a field's text; blank texts count as not given.
    ///
    /// - Throws: ``Problem``: `field_duplicate`.
    mutating func set(_ field: SubmissionField, to text: String) throws {
        guard self.texts[field] == nil else {
            throw Problem(.fieldDuplicate, "\(field.rawValue) is given more than once.")
        }
        self.texts[field] = Redacted(text)
    }

    /// Takes what others say about fields of which nothing is said here.
    mutating func fill(from others: SubmissionFields) {
        self.texts.merge(others.texts) { own, _ in own }
    }

    /// Checks each field for itself, whatever else may be missing.
    ///
    /// - Throws: ``Problem``: `business_no_invalid` or `field_invalid`.
    func check() throws {
        if let number = self.present(.businessNumber) { _ = try Self.businessNumber(number) }
        for field in [SubmissionField.userNumber, .expectedIDNumber, .expectedName] { _ = try self.text(field) }
        _ = try self.side()
        _ = try self.priority()
    }

    /// What the fields say, checked.
    ///
    /// - Parameter requiringUserNumber: whether a user account has to be among them.
    /// - Throws: ``Problem``: `business_no_missing`, `business_no_invalid`, `user_no_missing` or `field_invalid`.
    func metadata(requiringUserNumber: Bool = false) throws -> CardMetadata {
        guard let number = self.present(.businessNumber) else { throw Problem(.businessNumberMissing) }
        let businessNumber = try Self.businessNumber(number)
        guard !requiringUserNumber || self.present(.userNumber) != nil else { throw Problem(.userNumberMissing) }
        return CardMetadata(
            businessNumber: businessNumber,
            userNumber: try self.text(.userNumber),
            expectedIDNumber: try self.text(.expectedIDNumber),
            expectedName: try self.text(.expectedName),
            side: try self.side(),
            priority: try self.priority()
        )
    }

    private static func businessNumber(_ text: String) throws -> BusinessNumber {
        do {
            return try BusinessNumber.parse(text).get()
        } catch {
            throw Problem(.businessNumberInvalid, "business_no \(error.words).")
        }
    }

    private func side() throws -> CardSide? {
        guard let text = self.present(.side) else { return nil }
        guard let side = CardSide(rawValue: text.lowercased()) else {
            throw Problem(.fieldInvalid, "side is front or back.")
        }
        return side
    }

    private func priority() throws -> Int {
        guard let text = self.present(.priority) else { return 0 }
        guard let priority = Int(text), Self.priorities.contains(priority) else {
            let range = "\(Self.priorities.lowerBound) to \(Self.priorities.upperBound)"
            throw Problem(.fieldInvalid, "priority is a whole number from \(range).")
        }
        return priority
    }

    private func text(_ field: SubmissionField) throws -> Redacted<String>? {
        guard let text = self.present(field) else { return nil }
        guard text.count <= Self.maximumTextLength else {
            throw Problem(.fieldInvalid, "\(field.rawValue) has at most \(Self.maximumTextLength) characters.")
        }
        guard text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
            throw Problem(.fieldInvalid, "\(field.rawValue) has no control characters.")
        }
        guard !SpreadsheetText.isDamage(text) else {
            throw Problem(.fieldInvalid, "\(field.rawValue) \(SpreadsheetText.words).")
        }
        return Redacted(text)
    }

    private func present(_ field: SubmissionField) -> String? {
        guard let trimmed = self.texts[field]?.reveal().trimmed, !trimmed.isEmpty else { return nil }
        return trimmed
    }
}
