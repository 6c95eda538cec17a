package import ArgumentParser
import Foundation
import IDCardPipeline
import IDCardSandbox

/// `backup`: a whole copy of the sandbox in one file, made while others work in it.
package struct BackupCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copy the sandbox as it is at this moment into one file; others may go on working.",
        discussion: """
            The file appears when it is whole and checked, or not at all. Personal data in it stays encrypted under the \
            keys of the sandbox: keep these too, in another place. Ends with 64 if the file is there already, 74 if the \
            sandbox cannot be read or the file cannot be written, 78 if the key does not open the sandbox.
            """
    )

    @Argument(help: ArgumentHelp("The file that the backup becomes.", valueName: "file"), completion: .file())
    var file: String

    @Flag(name: .long, help: "Replace the file if it is there.")
    var force = false

    @Option(name: .long, help: "The form of the report.")
    var format = ConfigCommand.ReportFormat.text

    @OptionGroup var options: GlobalOptions

    /// Takes what the command line says.
    package init() {}

    package func validate() throws {
        guard !self.file.isEmpty, self.file != "-" else {
            throw ValidationError("A backup is checked after it was written and so needs a file; name one.")
        }
        guard !self.file.hasSuffix("/") else {
            throw ValidationError("\(self.file) is a folder; name the file that the backup becomes.")
        }
    }

    package func run() async throws {
        try await SandboxReading(options: self.options).with { store in
            let start = ContinuousClock.now
            let report: BackupReport
            do {
                report = try await store.backUp(to: AbsolutePath.of(self.file), replacing: self.force)
            } catch let error as StoreError where error.code == .conflict {
                Console.standardError("error: \(error.message)")
                return .usage
            }
            let output = BackupOutput(report, file: self.file, elapsed: ContinuousClock.now - start)
            switch self.format {
            case .text: for line in output.lines { Console.standardOutput(line) }
            case .json: Console.standardOutput(JSONText.document(output))
            }
            for warning in output.warnings { Console.standardError("warning: \(warning)") }
            return .delivered
        }
    }
}
