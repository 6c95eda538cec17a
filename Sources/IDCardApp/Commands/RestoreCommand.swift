package import ArgumentParser
import IDCardCore
import IDCardPipeline
import IDCardSandbox

/// `restore`: puts a backup in the place of the sandbox.
package struct RestoreCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Put a backup in the place of the sandbox; nobody may have it open.",
        discussion: """
            Who was erased after the backup was made stays erased: by the sandbox that is replaced, by the list \
            erasures.jsonl in its folder, and by lists named with --erasures. What else happened after the backup is not \
            known, so cards that may have gone on are held (reason restored) for a person to decide, unless --resume is given: \
            they go on then, and a card that was delivered after the backup is delivered again. Photos that were taken in \
            after the backup are not known either. The sandbox that is replaced is removed; make a backup of it first to \
            keep it. Ends with 64 if the sandbox holds cards and --force is missing, 66 if there is no such backup, 74 \
            if the backup is not whole or a process has the sandbox open, 78 if the key does not open the backup.
            """
    )

    @Argument(help: ArgumentHelp("The file that `backup` has made.", valueName: "file"), completion: .file())
    var file: String

    @Flag(name: .long, help: "Replace a sandbox that holds cards, or cannot be read.")
    var force = false

    @Flag(name: .long, help: "Let cards go on where the backup has them.")
    var resume = false

    @Option(
        name: .long,
        help: ArgumentHelp("A list of erasures, a JSON object a line; may be given several times.", valueName: "file"),
        completion: .file()
    )
    var erasures: [String] = []

    @Option(name: .long, help: "The form of the report.")
    var format = ConfigCommand.ReportFormat.text

    @OptionGroup var purpose: PurposeOptions

    @OptionGroup var options: GlobalOptions

    /// Takes what the command line says.
    package init() {}

    package func run() async throws {
        let status: CommandStatus
        do {
            let output = RestoreOutput(try await self.restore(), resumed: self.resume)
            switch self.format {
            case .text: for line in output.lines { Console.standardOutput(line) }
            case .json: Console.standardOutput(JSONText.document(output))
            }
            for warning in output.warnings { Console.standardError("warning: \(warning)") }
            status = .delivered
        } catch let error as StoreError where [.conflict, .notFound].contains(error.code) {
            Console.standardError("error: \(error.message)")
            status = error.code == .conflict ? .usage : .inputUnreadable
        } catch {
            status = CommandFailure(error).report()
        }
        let final = Console.finish() ?? status
        if final != .delivered { throw final.exitCode }
    }

    private func restore() async throws -> RestoreReport {
        let configuration = try self.options.loadConfiguration(requiringRemotes: false)
        let restore = try SandboxRestore(
            of: AbsolutePath.of(self.file),
            into: configuration.sandboxPath,
            options: SandboxOptions(
                endpoints: configuration.embedded ? .embedded : .external,
                vault: try await SandboxOpening(configuration: configuration).access(),
                storage: SandboxStorage(configuration.sandbox)
            ),
            isReplacing: self.force,
            isResuming: self.resume,
            erasures: self.erasures.map(AbsolutePath.of),
            origin: self.purpose.origin(of: "restore")
        )
        return try await restore.run()
    }
}
