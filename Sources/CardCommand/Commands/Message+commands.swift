import CardModel
import CardStore
import Glibc

// Each message stands on one line.
// swift-format-ignore
extension Message {
    static let commandNoArguments = Self("command.no_arguments", "cannot read the arguments of the command, because /proc is not there; mount it: mount -t proc proc /proc")
    static let embeddedInUse = Self("embedded.in_use", "another process keeps the documents of the built-in backend in this folder; stop that process, or name another folder: --documents DIR")
    static func embeddedOccupied(by worker: WorkerStatus) -> Self { Self("embedded.occupied", "\(code: worker.command) (process \(worker.process)) serves the built-in endpoints of this sandbox; send the photos through it, or stop it first: kill \(worker.process)") }
    static let imagingNotIsolated = Self("imaging.not_isolated", "the system lets no process confine itself, so photos from the network are decoded in this process; allow the system call seccomp, or set imaging.isolation: none")
    static let imagingNoIsolation = Self("imaging.no_isolation", "the system lets no process confine itself, so no photo could be decoded (imaging.isolation: process); allow the system call seccomp, or set imaging.isolation: auto")
    static let commandMissing = Self("command.missing", "a command is missing; list the commands: idcard-pipeline --help")
    // MARK: Options

    static let optionsPathEmpty = Self("options.path_empty", "the path is empty; give one")
    static func optionsWord(_ words: [String]) -> Self { Self("options.word", "the value must be one of \(codes: words)") }
    static func optionsPort(_ port: Int) -> Self { Self("options.port", "--port must be a number from 0 to 65535, not \(port)") }
    static func optionsWhy(_ characters: Int) -> Self { Self("options.why", "--why has \(count: characters) characters, more than 200; shorten it") }

    // MARK: Sandbox

    static let sandboxNotClosed = Self("sandbox.not_closed", "the sandbox was not closed cleanly; check it: idcard-pipeline fsck")
    static func sandboxOtherOwner(user: uid_t, _ error: Int32) -> Self { Self("sandbox.other_owner", "the sandbox belongs to user \(user), and this process cannot become that user: \(errno: error); run the command as that user") }
    static func sandboxDoubtful(_ path: String, _ kind: String) -> Self { Self("sandbox.doubtful", "the sandbox \(Redacted(path)) is on a file system of the kind \(code: kind); let no other machine use this sandbox") }
    static func sandboxMade(_ path: String) -> Self { Self("sandbox.made", "made the sandbox \(Redacted(path)); it knows no photo that was sent from another sandbox") }
    static func sandboxSecond(_ path: String, key: String) -> Self { Self("sandbox.second", "there is no sandbox at \(Redacted(path)), and the key file \(Redacted(key)) is that of another sandbox; a second one would send every photo again; correct the path (--sandbox, or sandbox.path), or add --new-sandbox if there is to be a second one") }
    static func copyNotWritten(_ path: String) -> Self { Self("copy.not_written", "cannot write \(Redacted(path)); check the free space") }
    static func copyStaysEmpty(_ path: String) -> Self { Self("copy.stays_empty", "\(Redacted(path)) is left empty; remove it: rm \(Redacted(path.quotedForShell))") }

    // MARK: status

    static let checkWell = Self("check.well", "all is well")
    static func checkMore(_ worst: Message, others: Int) -> Self { Self("check.more", one: "\(worst); \(count: others) more cause; show all: idcard-pipeline status", other: "\(worst); \(count: others) more causes; show all: idcard-pipeline status") }
    static let statusNoCards = Self("status.no_cards", "no cards")
    static let statusNoWorker = Self("status.no_worker", "no process is running; cards go on with the next run, watch or serve")
    static func statusEndpoint(_ stage: Stage, _ last: Timestamp) -> Self { Self("status.endpoint", "\(stage): the endpoint works; last success \(last)") }
    static func statusWorker(_ command: String, _ process: Int32, since: Timestamp, claims: Int) -> Self { Self("status.worker", one: "\(code: command) (process \(process)) has been running since \(since) with \(count: claims) card in progress", other: "\(code: command) (process \(process)) has been running since \(since) with \(count: claims) cards in progress") }
    static func statusStaying(_ files: Int) -> Self { Self("status.staying", one: "\(count: files) file in the folders of this process is not imported; see which and why: idcard-pipeline run --dry-run FOLDER", other: "\(count: files) files in the folders of this process are not imported; see which and why: idcard-pipeline run --dry-run FOLDER") }

    // MARK: cards

    static func cardsLimit(_ limit: Int) -> Self { Self("cards.limit", "--limit must be 0 or more, not \(limit)") }
    static func cardsImageDropped(_ at: Timestamp) -> Self { Self("cards.image_dropped", "the image was deleted at \(code: at.local) by retention.images") }
    static func cardsWork(attempts: Int, priority: Int, image imageBytes: Int) -> Self { Self("cards.work", "attempts \(attempts), priority \(priority), image \(bytes: imageBytes)") }
    static func cardsLegality(_ scores: [String]) -> Self { Self("cards.legality", "legality: \(codes: scores)") }
    static func cardsSentBy(_ submitter: String, _ at: Timestamp) -> Self { Self("cards.sent_by", "sent by \(code: submitter) at \(code: at.local)") }
    static func cardsNumberOwner(_ owner: String, _ since: Timestamp?) -> Self { Self("cards.number_owner", "the first card of this business number was sent by \(code: owner) at \(code: since?.local ?? "-")") }
    static func cardsPerson(_ person: Int) -> Self { Self("cards.person", "shows person \(person) of the case") }
    static func cardsComparedWith(_ cards: [CardID]) -> Self { Self("cards.compared_with", "compared with: \(codes: cards.map(\.rawValue))") }
    static func cardsNextAttempt(_ at: Timestamp) -> Self { Self("cards.next_attempt", "next attempt: \(code: at.local)") }
    static func cardsDeliveryKey(_ key: String) -> Self { Self("cards.delivery_key", "Idempotency-Key of the delivery: \(code: key)") }
    static let cardsOfCase = Self("cards.of_case", "other cards of the case:")
    static let cardsHistory = Self("cards.history", "history:")
    static func cardsDecision(_ actor: String, _ why: String) -> Self { Self("cards.decision", "by \(code: actor); why: \(code: why)") }
    static let cardsNoneNamed = Self("cards.none_named", "no cards named; give their ids, --state or --reason")
    static func cardsUnknownReason(_ code: Redacted<String>) -> Self { Self("cards.unknown_reason", "\(code) is no reason of this program; it may be a code of the remote service, see its manual") }
    static let cardsReasonEmpty = Self("cards.reason_empty", "--reason is empty; give a code that `cards list` shows beside the state")
    static let cardsRetryState = Self("cards.retry_state", "--state takes only the values rejected, failed and held; name superseded cards by their ids")
    static func casesUnknown(_ number: String) -> Self { Self("cases.unknown", "there is no case with the business number \(Redacted(number)); list the cases: idcard-pipeline cases list") }
    static let casesNoMatch = Self("cases.no_match", "no card of the case has this state or reason")
    static func casesIncomplete(_ sides: [CardSide]) -> Self { Self("cases.incomplete", "not delivered: \(sides); if the case needs this side, put a photo of it into the folder of the case and run again") }
    static func casesFiles(_ names: [String]) -> Self { Self("cases.files", "files: \(Redacted(names.joined(separator: "; ")))") }
    static let casesOutputFormat = Self("cases.output_format", "--output is for tables; add --format csv or --format xlsx")
    static let casesTerminal = Self("cases.terminal", "a terminal cannot show a workbook; name a file: --output FILE.xlsx")
    static let casesFilesWhy = Self("cases.files_why", "--files shows names of files, which may be personal; give the reason for the access log: --why TEXT")
    static func statusState(_ state: CardState, _ cards: Int) -> Self { Self("status.state", "\(state) \(cards)") }
    static func statusCards(_ counts: [Message]) -> Self { Self("status.cards", "cards: \(counts)") }
    static func statusCause(_ cause: String, since: Timestamp) -> Self { Self("status.cause", "\(code: cause), since \(since)") }
    static let statusCases = Self("status.cases", "show what to do: idcard-pipeline cases list --state decide --state failed --state retake")
    static let cardsNoMatch = Self("cards.no_match", "no card has this state or reason")
    static func cardsUndoable(_ card: CardID, _ until: Timestamp) -> Self { Self("cards.undoable", "card \(card): another person has decided the same on a page; it is carried out at \(until)") }
    static func cardsRetakeReason(_ reasons: [RetakeReason]) -> Self { Self("cards.retake_reason", "--as retake needs --reason, and nothing else takes it; give one of \(codes: reasons.map(\.rawValue))") }
    static func reviewAdded(_ action: DecisionAction) -> Self { Self("review.added", "from now on two persons must decide \(action) alike; the list: idcard-pipeline review list") }
    static func reviewDropped(_ action: DecisionAction) -> Self { Self("review.dropped", "from now on one person alone decides \(action); take it out of review.four_eyes, too") }
    static func reviewWaits(_ action: DecisionAction, _ until: Timestamp) -> Self { Self("review.waits", "written down; another person agrees: idcard-pipeline review drop \(action); from \(until) on you need no one else") }
    static func reviewKept(_ action: DecisionAction) -> Self { Self("review.kept", "two persons still decide \(action) alike") }
    static let reviewNone = Self("review.none", "one person alone decides everything; to change that, set review.four_eyes")
    static func reviewAsked(_ subject: String, _ since: String) -> Self { Self("review.asked", "\(code: subject) wants to drop it since \(code: since)") }
    static func cardsWaitsForSecond(_ card: CardID) -> Self { Self("cards.waits_for_second", "card \(card): the decision waits for a second person, who runs the same command; to take it back: idcard-pipeline cards resolve \(card) --as withdraw") }
    static func cardsUnknown(_ ids: [String]) -> Self { Self("cards.unknown", "no such card: \(codes: ids); list the cards: idcard-pipeline cards list") }
    static let cardsContinue = Self("cards.continue", "to continue with the cards in the sandbox: idcard-pipeline run")

    // MARK: cards erase

    static let eraseNoneNamed = Self("erase.none_named", "no cards named; give their ids, --business-no or --expired")
    static let eraseNumberEmpty = Self("erase.number_empty", "--business-no is empty; give the number")
    static let eraseReason = Self("erase.reason", "--reason must be a code of 1 to 40 characters (letters, digits and _) and must not be an identity number; give a code such as holder_request")
    static let eraseNoTerminal = Self("erase.no_terminal", "there is no terminal to ask for confirmation; add --yes to erase for good")
    static func eraseUnknownNumber(_ number: String) -> Self { Self("erase.unknown_number", "no card has the business number \(Redacted(number)); list the cards: idcard-pipeline cards list") }
    static func eraseConfirm(_ cards: Int) -> Self { Self("erase.confirm", one: "Erase \(count: cards) card for good? Type yes:", other: "Erase \(count: cards) cards for good? Type yes:") }
    static func eraseConfirmExpired(_ cards: Int, _ expired: Int, oldest: Timestamp) -> Self { Self("erase.confirm_expired", one: "Erase \(count: cards) card for good (past its retention: \(count: expired), unchanged since \(oldest))? Type yes:", other: "Erase \(count: cards) cards for good (past their retention: \(count: expired), the oldest unchanged since \(oldest))? Type yes:") }
    static let eraseNothing = Self("erase.nothing", "nothing was erased")
    static let eraseBackendRuns = Self("erase.backend_runs", "the built-in backend is running now; until it stops, it keeps its documents of erased cards")
    static let eraseClock = Self("erase.clock", "the clock is more than a week behind the latest time in the sandbox, so no card expires; if the clock is wrong, set it (date); if the clock is right, leave it running for 20 hours")
    static func eraseSources(_ files: Int) -> Self { Self("erase.sources", one: "not touched: \(count: files) source file outside the sandbox", other: "not touched: \(count: files) source files outside the sandbox") }
    static func eraseExports(_ exports: Int) -> Self { Self("erase.exports", one: "not touched: \(count: exports) export of the card; the sandbox does not know where it is", other: "not touched: \(count: exports) exports of the card; the sandbox does not know where they are") }
    static let eraseBackups = Self("erase.backups", "not touched: earlier backups; the card can be read from these backups as long as their key exists")
    static let eraseVerifierRefused = Self("erase.verifier_refused", "the verification service received the card and refused it")
    static let eraseVerifierMayHold = Self("erase.verifier_may_hold", "the verification service may hold the card")
    static let eraseVerifierHolds = Self("erase.verifier_holds", "the verification service received the card")
    static func eraseBackendRefused(_ deliveries: [String]) -> Self { Self("erase.backend_refused", "the business backend received the card and refused it (\(codes: deliveries))") }
    static func eraseBackendMayHold(_ deliveries: [String]) -> Self { Self("erase.backend_may_hold", "the business backend may hold the card (\(codes: deliveries))") }
    static func eraseBackendHolds(_ deliveries: [String]) -> Self { Self("erase.backend_holds", "the business backend received and accepted the card (\(codes: deliveries))") }
    static let eraseUnfinished = Self("erase.unfinished", "not finished: another process is reading the sandbox; the next erasure finishes this one")

    // MARK: cards export

    static func exportErased(_ card: CardID) -> Self { Self("export.erased", "card \(card) is erased; there is nothing to export") }

    static func exportNoImage(_ card: CardID) -> Self { Self("export.no_image", "only the fields of card \(card) were written: the sandbox holds no image of it that opens; look for the reason: idcard-pipeline cards show \(card)") }

    // MARK: backup and restore

    static let backupNeedsFile = Self("backup.needs_file", "the backup is checked after writing, so it must be a file; give the path of a new file")
    static func backupDone(_ cards: Int, size: Int64) -> Self { Self("backup.done", one: "backed up \(count: cards) card in \(bytes: size), and checked the copy", other: "backed up \(count: cards) cards in \(bytes: size), and checked the copy") }
    static func backupKey(_ key: String) -> Self { Self("backup.key", "only the key \(code: key) opens the backup; keep a copy of that key in another place") }
    static func restoreDone(_ cards: Int) -> Self { Self("restore.done", one: "\(count: cards) card restored", other: "\(count: cards) cards restored") }
    static func restoreDoneSince(_ cards: Int, _ lastChange: Timestamp) -> Self { Self("restore.done_since", one: "\(count: cards) card restored, last changed \(code: lastChange.local)", other: "\(count: cards) cards restored, last changed \(code: lastChange.local)") }
    static func restoreErased(_ cards: Int) -> Self { Self("restore.erased", one: "\(count: cards) card erased again", other: "\(count: cards) cards erased again") }
    static func restoreHeldCards(_ cards: Int) -> Self { Self("restore.held_cards", one: "\(count: cards) restored card is held for a decision; show it: idcard-pipeline cards list --state held", other: "\(count: cards) restored cards are held for a decision; show them: idcard-pipeline cards list --state held") }
    static let restoreLaterUnknown = Self("restore.later_unknown", "the sandbox does not know what happened after the backup; photos that were imported after the backup would be delivered a second time")
    static let restoreReplacedUnreadable = Self("restore.replaced_unreadable", "the replaced sandbox could not be read; only lists of erasures tell which of its cards were erased")
    static let restoreNoErasures = Self("restore.no_erasures", "no list of erasures was found; cards that were erased after the backup was made are therefore back; restore again and name the list: --force --erasures FILE")
    static let restoreOtherKey = Self("restore.other_key", "the keys do not open the sandbox that was replaced; a photo that was erased in the replaced sandbox is imported again if a run finds the photo")
    static let restoreNoAccessLog = Self("restore.no_access_log", "the access log of the replaced sandbox could not be kept; its lines are lost")

    // MARK: resume

    static func resumeNothing(_ endpoint: String) -> Self { Self("resume.nothing", "\(code: endpoint) is not left alone; nothing to resume; see: idcard-pipeline status") }
    static func resumeNow(_ endpoint: String) -> Self { Self("resume.now", "\(code: endpoint) is called within seconds; see what it answers: idcard-pipeline status") }
    static func resumeNext(_ endpoint: String) -> Self { Self("resume.next", "no process is running; the next run, watch or serve calls \(code: endpoint) at once") }

    // MARK: fsck

    static let fsckNotPossible = Self("fsck.not_possible", "the sandbox is too damaged to be checked; check the disk, then restore a backup")
    static let fsckClean = Self("fsck.clean", "the sandbox is whole")
    static func fsckFindings(_ findings: Int) -> Self { Self("fsck.findings", one: "\(count: findings) finding", other: "\(count: findings) findings") }
    static func fsckFound(_ findings: Int) -> Self { Self("fsck.found", one: "the sandbox has \(count: findings) finding; show it: idcard-pipeline fsck", other: "the sandbox has \(count: findings) findings; show them: idcard-pipeline fsck") }
    static func fsckRepaired(_ finding: Message) -> Self { Self("fsck.repaired", "repaired: \(finding)") }
    static let fsckRepair = Self("fsck.repair", "repair what is safe to repair: idcard-pipeline fsck --repair")
}
