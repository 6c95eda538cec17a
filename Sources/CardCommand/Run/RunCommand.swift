import ArgumentParser
import CardEngine
import CardInput
import CardModel
import CardStore
import Foundation

struct RunCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Take in photos of identity cards, verify them and deliver them to the business backend.",
        discussion: """
            Every image among the paths (files, folders, globs) becomes a card, is recompressed, verified and delivered, fronts \
            before their backs. Running the same command again is safe: what is known is not read, verified or sent again, and \
            what was interrupted goes on.

            Each image needs a business number. It comes, first found wins, from the manifest row, the sidecar IMAGE.json, \
            --business-no, or its path as --business-no-from says: by default from the folder that it lies in, if that lies \
            directly in a folder named here. Images that are named themselves, or by a glob, have none in their path. With \
            --dry-run nothing is taken in: it shows which file would go where, and why.

            Exit status: 0 all delivered (duplicates count as done) · 1 some card is rejected, failed or held, or waits for its \
            front, also from an earlier run, until a later photo of its side was delivered or cards resolve --as seen · 64 usage \
            · 66 input cannot be read · 69 an endpoint stopped us (credentials, quota, TOKEN) · 74 sandbox or disk error · 75 \
            work remains, run again · 78 configuration · 130/143 interrupted, all durable.
            """
    )

    @Argument(help: ArgumentHelp("Images, folders or globs to take in.", valueName: "path"))
    var paths: [String] = []

    @Option(
        help: ArgumentHelp(
            "A CSV or JSONL file with metadata per image.",
            discussion: "Columns: path, business_no, user_no, expected_id_number, expected_name, side, priority.",
            valueName: "file"
        ),
        completion: .file(extensions: ["csv", "jsonl", "ndjson"])
    )
    var manifest: String?

    @Option(help: ArgumentHelp("The business number of images without one of their own.", valueName: "no"))
    var businessNo: String?

    @Option(
        help: ArgumentHelp(
            "What in the path of an image is its business number, if nothing else gives one.",
            discussion: """
                folder: the folder directly below the one named here, for images directly in it (the default). folder:LEVEL: the \
                folder that many levels below, for images at any depth in it. root: the folder named here. pattern:REGEX: what \
                its group, or the one named business_no, finds in the path below the folder named here. none: nothing. Without \
                this option: intake.business_no_from.
                """,
            valueName: "rule"
        )
    )
    var businessNoFrom: String?

    @Option(help: ArgumentHelp("The user account of images without one of their own.", valueName: "no"))
    var userNo: String?

    @Option(help: "The form of the report on standard output.")
    var format = OutputFormat.text

    @Flag(
        help: ArgumentHelp(
            "Show which file would go to which case and user, and who says so; take nothing in.",
            discussion:
                "Calls nobody, and neither makes nor changes a sandbox. It does not know which photos were taken in before."
        )
    )
    var dryRun = false

    @Flag(
        help: ArgumentHelp(
            "Report only what this run admits, refuses or moves.",
            discussion: "Without this, a known card that needs a person is printed again, and the exit status is 1."
        )
    )
    var newOnly = false

    @Flag(name: [.long, .short], help: "No progress on standard error.")
    var quiet = false

    @OptionGroup var options: PipelineOptions

    func validate() throws {
        guard !self.dryRun || !self.paths.isEmpty || self.manifest != nil else {
            throw ValidationError(Message.runDryNeedsInputs.text())
        }
        _ = try (self.fields(), self.rule())
    }

    private func fields() throws -> SubmittedFields {
        try SubmittedFields.options(businessNo: self.businessNo, userNo: self.userNo)
    }

    private func rule() throws -> BusinessNumberRule? {
        guard let businessNoFrom else { return nil }
        do { return try BusinessNumberRule(businessNoFrom) } catch {
            throw ValidationError(Message.runRule(businessNoFrom, error.message).text())
        }
    }

    func execute() async throws -> CommandStatus {
        let configuration = try self.options.loadConfiguration(requiringRemotes: !self.dryRun)
        for notice in configuration.runNotices { Console.warn(notice) }
        if self.dryRun { return try await self.plan(configuration) }
        let listing = try self.listing(configuration)
        if let listing { Self.say(listing) }
        return try await configuration.withSandbox { try await self.run(listing, configuration, store: $0) }
    }

    /// Lists the inputs that the command line names; `nil` if it names none, and the run goes on with what is there.
    func listing(_ configuration: Configuration) throws -> BatchListing? {
        guard !self.paths.isEmpty || self.manifest != nil else { return nil }
        let options = try configuration.inputs(try self.fields(), rule: try self.rule())
        return try configuration.listing(of: BatchSource(paths: self.paths, manifest: self.manifest, options: options))
    }

    /// What was passed over because of its name, once for each rule, and whether nothing is left.
    static func say(_ listing: BatchListing) {
        if let note = PassedOver.note(listing.passedOver) { Console.standardError(note) }
        if let emptiness = listing.emptiness { Console.note(emptiness) }
    }

    private func run(
        _ listing: BatchListing?,
        _ configuration: Configuration,
        store: CardStore
    ) async throws -> CommandStatus {
        var runnable = CardFilter()
        runnable.states = CardState.allCases.filter(\.isRunnable)
        let adopted = listing == nil ? try await store.cardIDs(runnable) : []
        let tracker = RunTracker(listing: listing?.entries ?? [], adopted: adopted, newsOnly: self.newOnly)
        let pipeline = Pipeline(configuration: configuration, store: store)
        let runID = UUID().uuidString.lowercased()
        let printer = RunPrinter(
            tracker,
            store: store,
            configuration: configuration,
            format: self.format,
            runID: runID
        )
        let end = try await ProgressDisplay(tracker: tracker, isQuiet: self.quiet).showing {
            try await running {
                defer { tracker.finish() }
                return try await pipeline.with("run", id: runID, events: tracker.observe) { engine in
                    try await SignalWatch(end: { pipeline.end(engine) }).watching {
                        try await engine.runBatch(listing?.groups ?? [])
                    }
                }
            } beside: {
                if printer.format != .json { try await printer.printEndings() }
            }
        }
        return try await printer.print(stopped: end.value, signal: end.signal)
    }
}
