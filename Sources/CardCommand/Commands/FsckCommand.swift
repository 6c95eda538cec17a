import ArgumentParser
import CardModel
import CardStore
import Foundation

struct FsckCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "fsck",
        abstract: "Check that the sandbox is whole: rows, images, deliveries, access log; mend what is safe to mend.",
        discussion: """
            Other processes may go on working meanwhile. Ends with 0 if no rule is broken, 1 if one is, 74 if the sandbox cannot \
            be read, 78 if the key does not open it.
            """
    )

    @Flag(help: "Mend what can be mended without a risk, then say what is left.")
    var repair = false

    @Option(help: "The form of the report.")
    var format = ReportFormat.text

    @OptionGroup var purpose: PurposeOptions

    @OptionGroup var options: GlobalOptions

    func execute() async throws -> CommandStatus {
        try await self.options.withSandbox { store, _ in
            let origin = try self.purpose.origin(of: "fsck --repair")
            let (mended, left) =
                try await self.repair ? store.repair(by: origin, now: .now) : ([], store.check())
            let report = CheckReport(
                clean: left.isEmpty,
                findings: mended.map { CheckReport.Finding($0, repaired: true) }
                    + left.map { CheckReport.Finding($0, repaired: false) }
            )
            await report.print(self.format)
            return report.clean ? .delivered : .someNotDelivered
        }
    }
}

private struct CheckReport: Report {
    struct Finding: Encodable {
        let code: String
        @Nullable private(set) var subject: CardID?
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
    }

    let clean: Bool
    let findings: [Finding]

    var lines: [String] {
        let left = self.findings.filter { !$0.repaired }
        var lines = self.findings.map { finding in
            let subject = finding.subject.map { " \($0)" } ?? ""
            return (finding.repaired ? "mended: " : "") + "\(finding.code)\(subject): \(finding.message)"
        }
        lines.append(self.clean ? "the sandbox is whole" : left.count.of("finding"))
        if left.contains(where: \.repairable) {
            lines.append("mend what is safe to mend: idcard-pipeline fsck --repair")
        }
        return lines
    }
}
