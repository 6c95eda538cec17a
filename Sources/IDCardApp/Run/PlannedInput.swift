import IDCardCore
import IDCardPipeline
import IDCardTriggers

/// What a run would do with one input, and who says so: an element of `inputs` in `run --dry-run --format json`.
struct PlannedInput: Hashable, Encodable {
    /// What would be done with it.
    enum Action: String, CaseIterable, Hashable, Encodable {
        /// It would become a card, or be found to be one.
        case take
        /// It would be refused.
        case refuse
        /// It is no image: only counted.
        case ignore
    }

    /// How many inputs there are of each kind.
    struct Counts: Encodable {
        private var byAction = Dictionary(uniqueKeysWithValues: Action.allCases.map { ($0, 0) })

        mutating func add(_ action: Action) { self.byAction[action, default: 0] += 1 }

        subscript(action: Action) -> Int { self.byAction[action] ?? 0 }

        /// For example `3 inputs: 2 to take, 1 to refuse`.
        var line: String {
            let parts = Action.allCases.filter { self[$0] > 0 }.map { "\(self[$0]) to \($0.rawValue)" }
            let total = self.byAction.values.reduce(0, +)
            return
                "\(CountedNoun.words(total, "input")): \(parts.isEmpty ? "nothing to do" : parts.joined(separator: ", "))"
        }

        func encode(to encoder: any Encoder) throws {
            try Dictionary(uniqueKeysWithValues: self.byAction.map { ($0.key.rawValue, $0.value) }).encode(to: encoder)
        }
    }

    /// The input as the user named it.
    var source: String
    /// What would be done with it.
    var action: Action
    /// Its case, and who says so.
    var businessNumber: Stated
    /// Its user account, and who says so; the value of the configuration is not shown.
    var userNumber: Stated
    /// Its side, if a source states one.
    var side: Stated
    /// Who says which identity number is expected; the number is not shown.
    var expectedIDNumberFrom: String?
    /// Who says which name is expected; the name is not shown.
    var expectedNameFrom: String?
    /// Why it would be refused, as a stable code.
    var reason: String?
    /// Why, for a person.
    var message: String?

    /// A value and its source.
    struct Stated: Hashable {
        var value: String?
        var source: String?
    }

    /// Looks at an input.
    ///
    /// - Parameters:
    ///   - origins: who said what of it.
    ///   - hasConfiguredUser: whether the configuration names an account for cards without one.
    init(_ item: IntakeItem, _ origins: MetadataOrigins, hasConfiguredUser: Bool) {
        (self.source, self.action) = (item.source.reveal(), .ignore)
        (self.businessNumber, self.userNumber, self.side) = (Stated(), Stated(), Stated())
        switch item.disposition {
        case .ignore: break
        case .refuse(let reason, let message, let number):
            self.action = .refuse
            self.businessNumber.value = number?.rawValue
            self.businessNumber.source = number == nil ? nil : origins.businessNumber?.word
            (self.reason, self.message) = (reason.rawValue, message)
        case .take(let metadata):
            self.action = .take
            self.businessNumber = Stated(
                value: metadata.businessNumber.rawValue,
                source: origins.businessNumber?.word
            )
            let user = metadata.userNumber?.reveal()
            let userSource = user == nil && hasConfiguredUser ? "configuration" : origins.userNumber?.word
            self.userNumber = Stated(value: user, source: userSource)
            self.side = Stated(value: metadata.side?.rawValue, source: origins.side?.word)
            self.expectedIDNumberFrom = origins.expectedIDNumber?.word
            self.expectedNameFrom = origins.expectedName?.word
        }
    }

    enum CodingKeys: String, CodingKey {
        case source
        case action
        case businessNumber = "business_no"
        case businessNumberFrom = "business_no_from"
        case userNumber = "user_no"
        case userNumberFrom = "user_no_from"
        case side
        case sideFrom = "side_from"
        case expectedIDNumberFrom = "expected_id_number_from"
        case expectedNameFrom = "expected_name_from"
        case reason
        case message
    }

    /// Writes every key, `null` where there is nothing, so that readers need not test for presence.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(self.source, forKey: .source)
        try container.encode(self.action, forKey: .action)
        try container.encode(self.businessNumber.value, forKey: .businessNumber)
        try container.encode(self.businessNumber.source, forKey: .businessNumberFrom)
        try container.encode(self.userNumber.value, forKey: .userNumber)
        try container.encode(self.userNumber.source, forKey: .userNumberFrom)
        try container.encode(self.side.value, forKey: .side)
        try container.encode(self.side.source, forKey: .sideFrom)
        try container.encode(self.expectedIDNumberFrom, forKey: .expectedIDNumberFrom)
        try container.encode(self.expectedNameFrom, forKey: .expectedNameFrom)
        try container.encode(self.reason, forKey: .reason)
        try container.encode(self.message, forKey: .message)
    }

    /// For a person: `take cards/LOAN-1/a.jpg: case LOAN-1 (folder), user 7 (option), side front (manifest row 2)`.
    var line: String {
        let start = "\(self.action.rawValue.padding(to: 7)) \(self.source)"
        if let reason = self.reason { return "\(start) \(reason): \(self.message ?? "")" }
        let stated = [("case", self.businessNumber), ("user", self.userNumber), ("side", self.side)]
        var parts = stated.compactMap { name, stated -> String? in
            guard let source = stated.source else { return nil }
            return "\(name) \(stated.value.map { "\($0) " } ?? "")(\(source))"
        }
        if let source = self.expectedIDNumberFrom { parts.append("expected identity number (\(source))") }
        if let source = self.expectedNameFrom { parts.append("expected name (\(source))") }
        return parts.isEmpty ? start : "\(start): \(parts.joined(separator: ", "))"
    }
}

extension MetadataOrigin {
    /// The source in a word, and the row of a manifest.
    var word: String {
        switch self {
        case .manifest(let row): "manifest row \(row)"
        case .sidecar: "sidecar"
        case .option: "option"
        case .folder: "folder"
        case .root: "root"
        case .pattern: "pattern"
        }
    }
}
