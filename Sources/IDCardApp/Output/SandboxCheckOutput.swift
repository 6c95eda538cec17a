import Foundation
import IDCardSandbox

/// What `fsck` shows.
struct SandboxCheckOutput: Encodable {
    struct Finding: Encodable {
        let code: String
        let severity: String
        let subject: String?
        let message: String
        let repairable: Bool
        let repaired: Bool

        init(_ finding: SandboxFinding, repaired: Bool) {
            self.code = finding.code.rawValue
            self.severity = finding.severity.rawValue
            self.subject = finding.subject
            self.message = finding.message
            self.repairable = finding.isRepairable
            self.repaired = repaired
        }

        var line: String {
            let subject = self.subject.map { " \($0)" } ?? ""
            let mark = self.repaired ? "repaired" : self.severity
            return "\(mark.padding(to: 8)) \(self.code)\(subject): \(self.message)"
        }
    }

    struct AccessLog: Encodable {
        let lines: Int
        /// In hexadecimal.
        let head: String?

        init(_ log: SandboxReport.AccessLog) {
            self.lines = log.lineCount
            self.head = log.head.map { $0.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined() }
        }

        var line: String {
            "access log: \(CountedNoun.words(self.lines, "line"))" + (self.head.map { ", head \($0)" } ?? "")
        }
    }

    let clean: Bool
    let quick: Bool
    let cards: Int
    let images: Int
    let deliveries: Int
    /// The broken rules and notices that are left, after those that were repaired.
    let findings: [Finding]
    let accessLog: AccessLog

    enum CodingKeys: String, CodingKey {
        case clean, quick, cards, images, deliveries, findings
        case accessLog = "access_log"
    }

    init(_ report: SandboxReport, repaired: [SandboxFinding]) {
        self.clean = report.isClean
        self.quick = report.isQuick
        self.cards = report.cardCount
        self.images = report.imageCount
        self.deliveries = report.deliveryCount
        self.findings =
            repaired.map { Finding($0, repaired: true) } + report.findings.map { Finding($0, repaired: false) }
        self.accessLog = AccessLog(report.accessLog)
    }

    /// One line per finding, then the summary, then the head of the access log.
    var lines: [String] {
        let left = self.findings.filter { !$0.repaired }
        let errors = left.count { $0.severity == SandboxFinding.Severity.error.rawValue }
        let repaired = self.findings.count - left.count
        var ends = [CountedNoun.words(errors, "error")]
        if left.count > errors { ends.append(CountedNoun.words(left.count - errors, "notice")) }
        if repaired > 0 { ends.append("\(repaired) repaired") }
        let checked = [
            CountedNoun.words(self.cards, "card"),
            CountedNoun.words(self.images, "image") + (self.quick ? " (unopened)" : ""),
            CountedNoun.words(self.deliveries, "delivery", "deliveries"),
        ]
        let summary = checked.joined(separator: ", ") + " checked: " + ends.joined(separator: ", ")
        return self.findings.map(\.line) + [summary, self.accessLog.line]
    }
}
