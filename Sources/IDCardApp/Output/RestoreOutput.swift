import IDCardCore
import IDCardSandbox

/// What `restore` shows.
struct RestoreOutput: Encodable {
    let cards: Int
    let images: Int
    let deliveries: Int
    let lastChange: String?
    let held: Int
    let erased: Int
    let tombstonesTakenOver: Int
    let accessLinesTakenOver: Int
    let replacedCards: Int
    let replacedUnreadable: Bool
    let replacedKeyMissing: Bool
    let accessLogLeft: Bool
    let erasuresUnknown: Bool
    let brokenRules: Int
    let resumed: Bool

    enum CodingKeys: String, CodingKey {
        case cards, images, deliveries, held, erased, resumed
        case lastChange = "last_change"
        case tombstonesTakenOver = "tombstones_taken_over"
        case accessLinesTakenOver = "access_lines_taken_over"
        case replacedCards = "replaced_cards"
        case replacedUnreadable = "replaced_unreadable"
        case replacedKeyMissing = "replaced_key_missing"
        case accessLogLeft = "access_log_left"
        case erasuresUnknown = "erasures_unknown"
        case brokenRules = "broken_rules"
    }

    init(_ report: RestoreReport, resumed: Bool) {
        self.cards = report.cardCount
        self.images = report.imageCount
        self.deliveries = report.deliveryCount
        self.lastChange = report.lastChange?.description
        self.held = report.heldCount
        self.erased = report.erasedCount
        self.tombstonesTakenOver = report.takenOverCount
        self.accessLinesTakenOver = report.accessLineCount
        self.replacedCards = report.replacedCardCount
        self.replacedUnreadable = report.couldNotReadReplaced
        self.replacedKeyMissing = report.lacksKeyOfReplaced
        self.accessLogLeft = report.hasLeftAccessLog
        self.erasuresUnknown = report.knowsNoErasures
        self.brokenRules = report.brokenRuleCount
        self.resumed = resumed
    }

    /// What is there now, and what was changed on the way.
    var lines: [String] {
        let what = [
            CountedNoun.words(self.cards, "card"), CountedNoun.words(self.images, "image"),
            CountedNoun.words(self.deliveries, "delivery", "deliveries"),
        ]
        var lines = [
            what.joined(separator: ", ") + " restored" + (self.lastChange.map { ", last changed \($0)" } ?? "")
        ]
        if self.erased > 0 { lines.append("\(CountedNoun.words(self.erased, "card")) erased again") }
        if self.tombstonesTakenOver > 0 {
            lines.append("\(CountedNoun.words(self.tombstonesTakenOver, "tombstone")) taken over")
        }
        if self.accessLinesTakenOver > 0 {
            lines.append("\(CountedNoun.words(self.accessLinesTakenOver, "line")) of the access log taken over")
        }
        if self.held > 0 {
            lines.append(
                "\(CountedNoun.words(self.held, "card")) held (restored): see `cards list --state held`, then "
                    + "`cards resolve` or `cards retry`"
            )
        }
        return lines
    }

    /// What a person should know.
    var warnings: [String] {
        var warnings = [
            "what happened after the backup is not known here: photos taken in since would be taken in, and delivered, again"
        ]
        if self.resumed {
            warnings.append("cards go on where the backup has them: one that was delivered since is delivered again")
        }
        if self.replacedUnreadable {
            warnings.append(
                "the sandbox that was replaced could not be read: who was erased there is known only from lists of "
                    + "erasures"
            )
        }
        if self.erasuresUnknown {
            warnings.append(
                "no list of erasures was given: whoever was erased after the backup is here again; give --erasures FILE"
            )
        }
        if self.replacedKeyMissing {
            warnings.append(
                "the keys given do not open the sandbox that was replaced: photos erased there that the backup does not "
                    + "know are taken in again if they are found; give both keys, that of the backup after the present one"
            )
        }
        if self.accessLogLeft {
            warnings.append(
                "the access log of the sandbox that was replaced could not be taken over: its lines are gone"
            )
        }
        if self.brokenRules > 0 {
            let count = CountedNoun.words(self.brokenRules, "broken rule")
            warnings.append("the backup brought \(count) along; see `fsck`")
        }
        return warnings
    }
}
