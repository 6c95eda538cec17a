package import ArgumentParser
import CardModel
import CardStore

/// `fsck`: checks the sandbox.
package struct FsckCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "fsck",
        abstract: "Check that the sandbox is whole: rows, images, deliveries, access log.",
        discussion: """
            Other processes may go on working meanwhile. Ends with 0 if no rule is broken, 1 if one is, 74 if the sandbox cannot \
            be read, 78 if the key does not open it.
            """
    )

    @Option(name: .long, help: "The form of the report.")
    var format = ReportFormat.text

    @OptionGroup var options: GlobalOptions

    /// Takes what the command line says.
    package init() {}

    package func run() async throws {
        try await self.options.withSandbox { store in
            let report = CheckReport(try await store.check())
            await report.print(self.format)
            return report.clean ? .delivered : .someNotDelivered
        }
    }
}

/// What `fsck` shows.
private struct CheckReport: Report {
    private struct Finding: Encodable {
        let code: String
        let subject: CardID?
        let message: String
    }

    let clean: Bool
    private let findings: [Finding]

    init(_ findings: [SandboxFinding]) {
        self.clean = findings.isEmpty
        self.findings = findings.map { Finding(code: $0.code, subject: $0.card, message: $0.message.text()) }
    }

    private enum CodingKeys: String, CodingKey {
        case clean
        case findings
    }

    var lines: [String] {
        let lines = self.findings.map { finding in
            finding.code + (finding.subject.map { " \($0)" } ?? "") + ": \(finding.message)"
        }
        return lines + [self.clean ? "the sandbox is whole" : "\(self.findings.count) findings"]
    }
}
