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
            await Console.standardOutput(RunCounts.line(inputs.count, parts).text())
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
struct PlannedInput: Hashable, ReportLine {
    /// The action of a run; a file that is not an image is ignored.
    enum Action: String, CaseIterable, Encodable {
        case take, refuse, ignore
    }

    let source: String
    let action: Action
    @Nullable private(set) var businessNo: String? = nil
    @Nullable private(set) var businessNoFrom: ValueOrigin? = nil
    @Nullable private(set) var userNo: String? = nil
    @Nullable private(set) var userNoFrom: ValueOrigin? = nil
    @Nullable private(set) var side: CardSide? = nil
    @Nullable private(set) var sideFrom: ValueOrigin? = nil
    @Nullable private(set) var expectedIDNumberFrom: ValueOrigin? = nil
    @Nullable private(set) var expectedNameFrom: ValueOrigin? = nil
    @Nullable private(set) var reason: String? = nil
    @InWords private(set) var message: Message? = nil

    init(_ entry: BatchListing.Entry, hasConfiguredUser: Bool) {
        switch entry {
        case .ignore(let input):
            (self.source, self.action) = (input.name.reveal(), .ignore)
            (self.reason, self.message) = (input.error.code.rawValue, input.error.message)
        case .duplicate(let name, _):
            (self.source, self.action) = (name.reveal(), .ignore)
            (self.reason, self.message) = ("duplicate", .runRepeatedRow)
        case .refuse(let input):
            (self.source, self.action) = (input.name.reveal(), .refuse)
            (self.reason, self.message) = (input.error.code.rawValue, input.error.message)
        case .take(let item):
            (self.source, self.action) = (item.name.reveal(), .take)
            let origins = item.origins.mapValues(ValueOrigin.init)
            self.businessNo = item.metadata.businessNumber.rawValue
            self.businessNoFrom = origins[.businessNumber]
            self.userNo = item.metadata.userNumber?.reveal()
            // The value in the configuration is not shown.
            let fallback = item.metadata.userNumber == nil && hasConfiguredUser ? ValueOrigin.configuration : nil
            self.userNoFrom = fallback ?? origins[.userNumber]
            (self.side, self.sideFrom) = (item.metadata.side, origins[.side])
            (self.expectedIDNumberFrom, self.expectedNameFrom) = (origins[.expectedIDNumber], origins[.expectedName])
        }
    }

    /// For people: `take    cards/LOAN-1/a.jpg: case LOAN-1 (folder), user 7 (option), side front (manifest row 2)`.
    var line: Message {
        let start = "\(self.action.rawValue.padded(to: 7)) \(self.source)"
        if let reason { return .textNamed(Redacted("\(start) \(reason)"), self.message ?? .textVerbatim("")) }
        var parts: [Message] = []
        if let origin = self.businessNoFrom { parts.append(.dryRunCase(self.businessNo ?? "", origin.message)) }
        if let origin = self.userNoFrom {
            parts.append(self.userNo.map { .dryRunUser($0, origin.message) } ?? .dryRunDefaultUser(origin.message))
        }
        if let side, let origin = self.sideFrom { parts.append(.dryRunSide(side, origin.message)) }
        if let origin = self.expectedIDNumberFrom { parts.append(.dryRunNumber(origin.message)) }
        if let origin = self.expectedNameFrom { parts.append(.dryRunName(origin.message)) }
        return parts.isEmpty ? .textPersonal(Redacted(start)) : .dryRunLine(start, parts)
    }
}

/// The origin of a value: the same word in JSON for all languages, a message for people.
struct ValueOrigin: Hashable, Encodable {
    static let configuration = ValueOrigin(word: "configuration", message: .dryRunConfiguration)

    let word: String
    let message: Message

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(self.word)
    }
}

extension ValueOrigin {
    fileprivate init(_ origin: FieldOrigin) {
        switch origin {
        case .manifest(let row): self.init(word: "manifest row \(row)", message: .dryRunManifest(row))
        case .sidecar: self.init(word: "sidecar", message: .dryRunSidecar)
        case .option: self.init(word: "option", message: .dryRunOption)
        case .folder: self.init(word: "folder", message: .dryRunFolder)
        case .filename: self.init(word: "file name", message: .dryRunFileName)
        case .request: self.init(word: "request", message: .dryRunRequest)
        }
    }
}
