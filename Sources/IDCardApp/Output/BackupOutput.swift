import IDCardCore
import IDCardSandbox

/// What `backup` shows.
struct BackupOutput: Encodable {
    let file: String
    let bytes: Int
    let cards: Int
    let images: Int
    let deliveries: Int
    let encrypted: Bool
    let brokenRules: Int
    let accessLog: SandboxCheckOutput.AccessLog
    let seconds: Double

    enum CodingKeys: String, CodingKey {
        case file, bytes, cards, images, deliveries, encrypted, seconds
        case brokenRules = "broken_rules"
        case accessLog = "access_log"
    }

    init(_ report: BackupReport, file: String, elapsed: Duration) {
        self.file = file
        self.bytes = report.byteCount
        self.cards = report.cardCount
        self.images = report.imageCount
        self.deliveries = report.deliveryCount
        self.encrypted = report.isEncrypted
        self.brokenRules = report.brokenRuleCount
        self.accessLog = SandboxCheckOutput.AccessLog(report.accessLog)
        self.seconds = (elapsed.inSeconds * 1000).rounded() / 1000
    }

    /// What was copied, and where the access log ends in it.
    var lines: [String] {
        let what = [
            CountedNoun.words(self.cards, "card"), CountedNoun.words(self.images, "image"),
            CountedNoun.words(self.deliveries, "delivery", "deliveries"),
        ]
        return [
            what.joined(separator: ", ") + " backed up: \(self.bytes) bytes in \(self.seconds) s, checked",
            self.accessLog.line,
        ]
    }

    /// What a person should know.
    var warnings: [String] {
        var warnings: [String] = []
        if !self.encrypted {
            warnings.append(
                "the sandbox is not encrypted, and so is the backup: keep the file where nobody else reads it"
            )
        }
        if self.brokenRules > 0 {
            let count = CountedNoun.words(self.brokenRules, "broken rule")
            warnings.append("the backup has taken over \(count) from the sandbox; see `fsck`")
        }
        return warnings
    }
}
