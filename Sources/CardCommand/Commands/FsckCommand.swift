import ArgumentParser
import CardModel
import CardServer
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

    @OptionGroup var upkeep: UpkeepOptions

    func execute() async throws -> CommandStatus {
        do { return try await self.check() } catch let error as CodedError where error.code == .sandboxDamaged {
            // The original error advises to run this very command.
            throw CodedError(error.code, error.kind, .fsckNotPossible)
        }
    }

    private func check() async throws -> CommandStatus {
        try await self.upkeep.options.withSandbox { store, _ in
            let origin = try self.upkeep.purpose.origin(of: "fsck --repair")
            let (mended, left) =
                try await self.repair ? store.upkeep.repair(by: origin, now: .now) : ([], store.upkeep.check())
            let findings =
                mended.map { Self.object($0, isRepaired: true) } + left.map { Self.object($0, isRepaired: false) }
            await ObjectReport(["clean": left.isEmpty, "findings": findings], Self.lines(mended, left))
                .print(self.upkeep.format)
            return left.isEmpty ? .delivered : .someNotDelivered
        }
    }

    private static func object(_ finding: SandboxFinding, isRepaired: Bool) -> JSONObject {
        [
            "code": finding.code, "subject": finding.card, "message": finding.message.text(),
            "repairable": finding.isMendable, "repaired": isRepaired,
        ]
    }

    private static func lines(_ mended: [SandboxFinding], _ left: [SandboxFinding]) -> [Message] {
        func line(_ finding: SandboxFinding) -> Message {
            .textLabelled(finding.code + (finding.card.map { " \($0)" } ?? ""), finding.message)
        }
        let summary: [Message?] = [
            left.isEmpty ? .fsckClean : .fsckFindings(left.count),
            left.contains(where: \.isMendable) ? .fsckRepair : nil,
        ]
        return mended.map { .fsckRepaired(line($0)) } + left.map(line) + summary.compactMap(\.self)
    }
}
