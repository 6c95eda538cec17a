package import ArgumentParser
import CardModel
import CardStore
import Foundation

/// `fsck`: checks the sandbox.
package struct FsckCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "fsck",
        abstract: "Check that the sandbox is whole: rows, images, deliveries, access log; mend what is safe to mend.",
        discussion: """
            Other processes may go on working meanwhile. Ends with 0 if no rule is broken, 1 if one is, 74 if the sandbox cannot \
            be read, 78 if the key does not open it.
            """
    )

    @Flag(name: .long, help: "Mend what can be mended without a risk, then say what is left.")
    var repair = false

    @Option(name: .long, help: "The form of the report.")
    var format = ReportFormat.text

    @OptionGroup var purpose: PurposeOptions

    @OptionGroup var options: GlobalOptions

    /// Takes what the command line says.
    package init() {}

    package func run() async throws {
        try await self.options.withSandbox { store in
            let report: CheckReport
            if self.repair {
                let (mended, left) = try await store.repair(
                    by: self.purpose.origin(of: "fsck --repair"),
                    now: Timestamp(Date())
                )
                report = CheckReport(left, mended: mended)
            } else {
                report = CheckReport(try await store.check(), mended: [])
            }
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
        let repairable: Bool
        let repaired: Bool

        init(_ finding: SandboxFinding, repaired: Bool) {
            self.code = finding.code
            self.subject = finding.card
            self.message = finding.message.text()
            self.repairable = finding.isMendable
            self.repaired = repaired
        }

        var line: String {
            let subject = self.subject.map { " \($0)" } ?? ""
            return (self.repaired ? "mended: " : "") + "\(self.code)\(subject): \(self.message)"
        }
    }

    let clean: Bool
    private let findings: [Finding]

    init(_ findings: [SandboxFinding], mended: [SandboxFinding]) {
        self.clean = findings.isEmpty
        self.findings =
            mended.map { Finding($0, repaired: true) } + findings.map { Finding($0, repaired: false) }
    }

    var lines: [String] {
        let left = self.findings.filter { !$0.repaired }
        var lines = self.findings.map(\.line) + [self.clean ? "the sandbox is whole" : "\(left.count) findings"]
        if left.contains(where: \.repairable) {
            lines.append("mend what is safe to mend: idcard-pipeline fsck --repair")
        }
        return lines
    }
}
