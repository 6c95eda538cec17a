import ArgumentParser
import CardModel
import CardStore

struct FsckCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "fsck",
        abstract: "Check the sandbox (rows, images, deliveries, access log), and repair what is safe to repair.",
        discussion: """
            Other processes may use the sandbox during the check. Ends with 0 without findings, 1 with findings, 74 if the sandbox \
            cannot be read, 78 if the key does not open it.
            """
    )

    @Flag(help: "Repair what is safe to repair, then report what is left.")
    var repair = false

    @Option(help: "Format of the report.")
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
            let line = "\(finding.code)\(finding.subject.map { " \($0)" } ?? ""): \(finding.message)"
            return finding.repaired ? Message.fsckRepaired(line).text() : line
        }
        lines.append((self.clean ? Message.fsckClean : .fsckFindings(left.count)).text())
        if left.contains(where: \.repairable) { lines.append(Message.fsckRepair.text()) }
        return lines
    }
}
