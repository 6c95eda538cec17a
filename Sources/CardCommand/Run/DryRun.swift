import CardInput
import CardModel
import CardRemote

extension RunSession {
    /// Shows what a run would do with each input, and who says so; takes nothing in.
    func dryRun() async throws -> CommandStatus {
        guard let listing = try self.listing() else { return .delivered }
        let hasConfiguredUser = self.configuration.delivery?.userNumber != nil
        let inputs = listing.entries.map { PlannedInput($0, hasConfiguredUser: hasConfiguredUser) }
        var counts = Dictionary(uniqueKeysWithValues: PlannedInput.Action.allCases.map { ($0.rawValue, 0) })
        for input in inputs { counts[input.action.rawValue, default: 0] += 1 }
        switch self.arguments.format {
        case .text:
            for input in inputs { await Console.standardOutput(input.text) }
            await Console.standardOutput(Self.line(counts, total: inputs.count))
        case .json: await Console.standardOutput(JSONText.document(DryRunReport(counts: counts, inputs: inputs)))
        case .jsonl:
            for input in inputs { await Console.standardOutput(JSONText.line(input)) }
            await Console.standardOutput(JSONText.line(DryRunReport(counts: counts, inputs: nil)))
        }
        return inputs.contains { $0.action == .refuse } ? .someNotDelivered : .delivered
    }

    private static func line(_ counts: [String: Int], total: Int) -> String {
        let parts = PlannedInput.Action.allCases.compactMap { action -> String? in
            guard let count = counts[action.rawValue], count > 0 else { return nil }
            return "\(count) to \(action.rawValue)"
        }
        let noun = total == 1 ? "input" : "inputs"
        return "\(total) \(noun): \(parts.isEmpty ? "nothing to do" : parts.joined(separator: ", "))"
    }
}

/// What `run --dry-run` says at its end: the object of `--format json`, the last line of `--format jsonl`.
private struct DryRunReport: Encodable {
    /// Tells it from the report of a run.
    let isDryRun = true
    /// How many inputs would be taken in, refused and ignored.
    let counts: [String: Int]
    /// One element per input; `nil` in `jsonl`, where they were printed before.
    let inputs: [PlannedInput]?

    enum CodingKeys: String, CodingKey {
        case isDryRun = "dry_run"
        case counts
        case inputs
    }
}

/// What a run would do with one input, and who says so.
struct PlannedInput: Hashable, Encodable {
    /// What would be done with it.
    enum Action: String, CaseIterable, Encodable {
        /// It would become a card, or be found to be one.
        case take
        /// It would be refused.
        case refuse
        /// It is no image: only counted.
        case ignore
    }

    let source: String
    let action: Action
    private(set) var values: [SubmittedField: String] = [:]
    private(set) var origins: [SubmittedField: String] = [:]
    private(set) var reason: String?
    private(set) var message: String?

    init(_ entry: BatchListing.Entry, hasConfiguredUser: Bool) {
        switch entry {
        case .ignore(let name): (self.source, self.action) = (name.reveal(), .ignore)
        case .refuse(let input):
            (self.source, self.action) = (input.name.reveal(), .refuse)
            (self.reason, self.message) = (input.error.code.rawValue, input.error.message.text())
        case .take(let item):
            (self.source, self.action) = (item.name.reveal(), .take)
            self.origins = item.origins.mapValues(\.word)
            self.values[.businessNumber] = item.metadata.businessNumber.rawValue
            self.values[.userNumber] = item.metadata.userNumber?.reveal()
            self.values[.side] = item.metadata.side?.rawValue
            // The value of the configuration is not shown.
            if item.metadata.userNumber == nil, hasConfiguredUser { self.origins[.userNumber] = "configuration" }
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
        try container.encode(self.values[.businessNumber], forKey: .businessNumber)
        try container.encode(self.origins[.businessNumber], forKey: .businessNumberFrom)
        try container.encode(self.values[.userNumber], forKey: .userNumber)
        try container.encode(self.origins[.userNumber], forKey: .userNumberFrom)
        try container.encode(self.values[.side], forKey: .side)
        try container.encode(self.origins[.side], forKey: .sideFrom)
        try container.encode(self.origins[.expectedIDNumber], forKey: .expectedIDNumberFrom)
        try container.encode(self.origins[.expectedName], forKey: .expectedNameFrom)
        try container.encode(self.reason, forKey: .reason)
        try container.encode(self.message, forKey: .message)
    }

    /// For people: `take    cards/LOAN-1/a.jpg: case LOAN-1 (folder), user 7 (option), side front (manifest row 2)`.
    var text: String {
        let start = "\(self.action.rawValue.padded(to: 7)) \(self.source)"
        if let reason { return "\(start) \(reason): \(self.message ?? "")" }
        let fields: [(String, SubmittedField)] = [("case", .businessNumber), ("user", .userNumber), ("side", .side)]
        var parts = fields.compactMap { name, field -> String? in
            guard let origin = self.origins[field] else { return nil }
            return "\(name) \(self.values[field].map { "\($0) " } ?? "")(\(origin))"
        }
        if let origin = self.origins[.expectedIDNumber] { parts.append("expected identity number (\(origin))") }
        if let origin = self.origins[.expectedName] { parts.append("expected name (\(origin))") }
        return parts.isEmpty ? start : "\(start): \(parts.joined(separator: ", "))"
    }
}

extension FieldOrigin {
    /// The source in a word, and the row of a manifest.
    fileprivate var word: String {
        switch self {
        case .manifest(let row): "manifest row \(row)"
        case .sidecar: "sidecar"
        case .option: "option"
        case .folder: "folder"
        case .filename: "file name"
        case .request: "request"
        }
    }
}
