import ArgumentParser
import CardEngine
import CardInput
import CardModel
import CardStore
import Foundation

struct RunCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Import photos of identity cards, verify them and deliver them to the business backend.",
        discussion: """
            Every image among the paths (files, folders, globs) becomes a card, which is recompressed, verified and delivered, \
            fronts before their backs. It is safe to run the same command again: it does not read, verify or send known cards \
            again, and continues what was interrupted.

            Each image needs a business number. The first of these that gives one counts: the manifest row, the sidecar \
            IMAGE.json, --business-no, the path by the rule of --business-no-from (default: the folder of the image, if that \
            lies directly in a folder named here). The path of an image that is named directly, or by a glob, gives none. Check \
            with --dry-run which file would go where, and why.

            Exit status: 0 all delivered (duplicates count as done) · 1 a card is rejected, failed or held, or waits for its front \
            (also one of an earlier run, until a later photo of its side is delivered or cards resolve --as seen), or a case lacks a \
            side with cases.sides both · 64 usage · \
            66 an input cannot be read · 69 an endpoint refuses us (credentials, quota, TOKEN) · 74 sandbox or disk error · 75 \
            work remains, run again · 78 configuration · 130/143 interrupted, nothing is lost.
            """
    )

    @Argument(help: ArgumentHelp("Images, folders or globs to import.", valueName: "path"))
    var paths: [String] = []

    @Option(
        help: ArgumentHelp(
            "A CSV or JSONL file with the metadata of each image.",
            discussion:
                "Columns: path, business_no, user_no, expected_id_number, expected_name, side, priority, or their Chinese names.",
            valueName: "file"
        ),
        completion: .file(extensions: ["csv", "jsonl", "ndjson"])
    )
    var manifest: String?

    @Option(help: ArgumentHelp("The business number of images without their own.", valueName: "no"))
    var businessNo: String?

    @Option(
        help: ArgumentHelp(
            "Which part of an image's path is its business number, if nothing else gives one.",
            discussion: """
                folder: the folder directly below the one named here, for images directly in it (the default). folder:LEVEL: the \
                folder LEVEL levels below, for images at any depth in it. root: the folder named here. pattern:REGEX: what the \
                group, or the group named business_no, matches in the path below the folder named here. none: no part. Default: \
                intake.business_no_from.
                """,
            valueName: "rule"
        )
    )
    var businessNoFrom: String?

    @Option(help: ArgumentHelp("The user account of images without their own.", valueName: "no"))
    var userNo: String?

    @Option(help: "The format of the report on standard output.")
    var format = OutputFormat.text

    @Option(
        help: ArgumentHelp(
            "Write a table with one row per input, for people: its state and what to do; CSV, or a workbook if the name ends in .xlsx.",
            discussion:
                "A new file that only its owner can read (mode 0600). It names the files as they are named here.",
            valueName: "file"
        ),
        completion: .file(extensions: ["csv", "xlsx"])
    )
    var report: String?

    @Flag(
        help: ArgumentHelp(
            "Show which file would go to which case and user, and why; import nothing.",
            discussion:
                "Makes no call and creates no sandbox. It does not know which photos were imported before."
        )
    )
    var dryRun = false

    @Flag(
        help: ArgumentHelp(
            "Report only what this run imports, refuses or changes.",
            discussion: "Without it, a known card that needs a person is printed again and the exit status is 1."
        )
    )
    var newOnly = false

    @Flag(name: [.long, .short], help: "Show no progress on standard error.")
    var quiet = false

    @OptionGroup var options: PipelineOptions

    func validate() throws {
        guard !self.dryRun || !self.paths.isEmpty || self.manifest != nil else {
            throw ValidationError(.runDryNeedsInputs)
        }
        guard !self.dryRun || self.report == nil else { throw ValidationError(.runDryReport) }
        _ = try (self.fields(), self.rule())
    }

    private func fields() throws -> SubmittedFields {
        try SubmittedFields.options(businessNo: self.businessNo, userNo: self.userNo)
    }

    private func rule() throws -> BusinessNumberRule? {
        guard let businessNoFrom else { return nil }
        do { return try BusinessNumberRule(businessNoFrom) } catch {
            throw ValidationError(.runRule(businessNoFrom, error.message))
        }
    }

    func execute() async throws -> CommandStatus {
        let table = try self.report.map { try TableFile($0, for: self.options.options) }
        defer { table?.files.removeEmpty() }
        let configuration = try self.options.loadConfiguration(requiringRemotes: !self.dryRun)
        for notice in configuration.runNotices { Console.warn(notice) }
        if self.dryRun { return try await self.plan(configuration) }
        let listing = try self.listing(configuration)
        if let listing { self.say(listing) }
        return try await configuration.withSandbox { try await self.run(listing, configuration, table, store: $0) }
    }

    /// Lists the inputs of the command line; `nil` if it names none, and the run continues the stored cards.
    func listing(_ configuration: Configuration) throws -> BatchListing? {
        guard !self.paths.isEmpty || self.manifest != nil else { return nil }
        let options = try configuration.inputs(try self.fields(), rule: try self.rule())
        return try BatchSource(paths: self.paths, manifest: self.manifest, options: options).listing()
    }

    /// Prints how many names each rule skipped, whether nothing is left, and a table that may be the manifest.
    func say(_ listing: BatchListing) {
        if !listing.skipped.isEmpty { Console.notice(.outputSkipped(listing.skipped)) }
        if let emptiness = listing.emptiness { Console.notice(emptiness) }
        if self.manifest == nil, let table = listing.tableOfNumbers?.reveal() {
            Console.notice(table.lowercased().hasSuffix(".xlsx") ? .runManifestWorkbook(table) : .runManifest(table))
        }
    }

    private func run(
        _ listing: BatchListing?,
        _ configuration: Configuration,
        _ table: TableFile?,
        store: Sandbox
    ) async throws -> CommandStatus {
        var runnable = CardFilter()
        runnable.states = CardState.allCases.filter(\.isRunnable)
        runnable.includesFetchedAgain = true
        let adopted = listing == nil ? try await store.cardIDs(runnable) : []
        let pipeline = Pipeline(configuration: configuration, store: store)
        let runID = UUID().uuidString.lowercased()
        let follower = InputFollower(listing?.entries ?? [], adopted: adopted)
        let printer = RunPrinter(follower, pipeline, self.format, newOnly: self.newOnly, runID: runID)
        let result = try await ProgressDisplay(progress: { printer.progress }, isQuiet: self.quiet).showing {
            try await running {
                defer { printer.finish() }
                return try await pipeline.with("run", id: runID, events: printer.observe) { engine in
                    try await SignalWatch(stop: { pipeline.stop(engine) }).watching {
                        try await engine.runBatch(listing?.groups ?? [])
                    }
                }
            } beside: {
                if printer.format != .json { try await printer.printEndings() }
            }
        }
        return try await printer.print(stopped: result.value, signal: result.signal, into: table)
    }
}
