import CardInput
import CardModel
import CardRemote
import CardServer

extension RunCommand {
    /// Shows what a run would do with each input, and the origin of each value; admits nothing.
    func plan(_ configuration: Configuration) async throws -> CommandStatus {
        guard let listing = try self.listing(configuration) else { return .delivered }
        self.say(listing)
        let hasConfiguredUser = configuration.delivery?.userNumber != nil
        let inputs = listing.entries.map { PlannedInput($0, hasConfiguredUser: hasConfiguredUser) }
        var counts = Dictionary(uniqueKeysWithValues: PlannedInput.Action.allCases.map { ($0.rawValue, 0) })
        for input in inputs { counts[input.action.rawValue, default: 0] += 1 }
        for input in inputs { await self.format.print(input) }
        // `dry_run` distinguishes the report from that of a run.
        switch self.format {
        case .text:
            let parts = PlannedInput.Action.allCases.compactMap { action in
                counts[action.rawValue].flatMap { $0 > 0 ? Message.dryRunCount($0, action) : nil }
            }
            await Console.standardOutput(InputCounts.line(inputs.count, parts).text())
        case .json:
            await Console.standardOutput(
                JSONText.document(["dry_run": true, "counts": counts, "inputs": inputs] as JSONObject)
            )
        case .jsonl: await Console.standardOutput(JSONText.line(["dry_run": true, "counts": counts] as JSONObject))
        }
        return inputs.contains { $0.action == .refuse } ? .someNotDelivered : .delivered
    }
}

/// What a run would do with one input, and the origin of its values.
struct PlannedInput: Report {
    /// The action of a run; a file that is not an image is ignored.
    enum Action: String, CaseIterable, Encodable {
        case admit = "take", refuse, ignore
    }

    let action: Action
    let lines: [Message]
    private let object: JSONObject

    init(_ entry: BatchListing.Entry, hasConfiguredUser: Bool) {
        let reason: (code: String, message: Message)?
        switch entry {
        case .admit: (self.action, reason) = (.admit, nil)
        case .refuse(let input): (self.action, reason) = (.refuse, input.error.reason)
        case .ignore(let input): (self.action, reason) = (.ignore, input.error.reason)
        case .duplicate: (self.action, reason) = (.ignore, ("duplicate", .runRepeatedRow))
        }
        let (name, metadata) = (entry.name.reveal(), entry.item?.metadata)
        var origins = entry.item?.origins.mapValues(\.shown) ?? [:]
        if entry.item != nil, metadata?.userNumber == nil, hasConfiguredUser {
            origins[.userNumber] = ("configuration", .dryRunConfiguration)
        }
        self.object = [
            "source": name, "action": self.action, "reason": reason?.code, "message": reason?.message.text(),
            "business_no": metadata?.businessNumber.rawValue, "business_no_from": origins[.businessNumber]?.word,
            "user_no": metadata?.userNumber?.reveal(), "user_no_from": origins[.userNumber]?.word,
            "side": metadata?.side, "side_from": origins[.side]?.word,
            "expected_id_number_from": origins[.expectedIDNumber]?.word,
            "expected_name_from": origins[.expectedName]?.word,
        ]
        let start = "\(self.action.rawValue.padded(to: 7)) \(name)"
        let refusal = reason.map { Message.textNamed(Redacted("\(start) \($0.code)"), $0.message) }
        self.lines = [refusal ?? Self.line(start, metadata, origins.mapValues(\.message))]
    }

    /// For people: `take    cards/LOAN-1/a.jpg: case LOAN-1 (folder), user 7 (option), side front (manifest row 2)`.
    private static func line(_ start: String, _ values: CardMetadata?, _ origins: [SubmittedField: Message]) -> Message
    {
        let parts: [Message?] = [
            origins[.businessNumber].map { .dryRunCase(values?.businessNumber.rawValue ?? "", $0) },
            // The value in the configuration is not shown.
            origins[.userNumber].map { origin in
                values?.userNumber.map { .dryRunUser($0.reveal(), origin) } ?? .dryRunDefaultUser(origin)
            },
            origins[.side].flatMap { origin in values?.side.map { .dryRunSide($0, origin) } },
            origins[.expectedIDNumber].map(Message.dryRunNumber), origins[.expectedName].map(Message.dryRunName),
        ]
        let shown = parts.compactMap(\.self)
        return shown.isEmpty ? .textPersonal(Redacted(start)) : .dryRunLine(start, shown)
    }

    func encode(to encoder: any Encoder) throws { try self.object.encode(to: encoder) }
}

extension CodedError {
    fileprivate var reason: (code: String, message: Message) { (self.code.rawValue, self.message) }
}

extension FieldOrigin {
    /// The same word in JSON for all languages, and a message for people.
    fileprivate var shown: (word: String, message: Message) {
        switch self {
        case .manifest(let row): ("manifest row \(row)", .dryRunManifest(row))
        case .sidecar: ("sidecar", .dryRunSidecar)
        case .option: ("option", .dryRunOption)
        case .folder: ("folder", .dryRunFolder)
        case .filename: ("file name", .dryRunFileName)
        }
    }
}
