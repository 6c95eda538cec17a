package import ArgumentParser
import Foundation
import IDCardCore
import IDCardPipeline
import IDCardSandbox

/// `fsck`: checks the sandbox, and repairs what can be repaired without a risk.
package struct FsckCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "fsck",
        abstract: "Check that the sandbox is whole: rows, images, deliveries, access log, files.",
        discussion: """
            Other processes may go on working meanwhile. Ends with 0 if no rule is broken (notices do not count), 1 if \
            one is, 74 if the sandbox cannot be read, 78 if the key does not open it.
            """
    )

    @Flag(name: .long, help: "Repair what can be repaired without a risk, then check again.")
    var repair = false

    @Flag(name: .long, help: "Leave images and other encrypted values unopened.")
    var quick = false

    @Option(name: .long, help: "The form of the report.")
    var format = ConfigCommand.ReportFormat.text

    @OptionGroup var options: GlobalOptions

    /// Takes what the command line says.
    package init() {}

    package func run() async throws {
        let reading = SandboxReading(options: self.options)
        try await reading.with { store in
            var report = try await store.check(quick: self.quick)
            var repaired: [SandboxFinding] = []
            if self.repair, report.findings.contains(where: \.isRepairable) {
                let found = report.findings
                try await reading.change { try await $0.repair(found, now: Timestamp(Date())) }
                report = try await store.check(quick: self.quick)
                repaired = found.filter { $0.isRepairable && !report.findings.contains($0) }
            }
            let output = SandboxCheckOutput(report, repaired: repaired)
            switch self.format {
            case .text: for line in output.lines { Console.standardOutput(line) }
            case .json: Console.standardOutput(JSONText.document(output))
            }
            return report.isClean ? .delivered : .someNotDelivered
        }
    }
}
