import CardModel

// Each message stands on one line.
// swift-format-ignore
extension Message {
    // MARK: Runs

    static let runNoUser = Self("run.no_user", "no user account; set delivery.user_no, or give user_no in the manifest, in a sidecar or by --user-no")
    static let runEnding = Self("run.ending", "interrupted: the process is ending; send the signal again to stop it at once")
    static let runWorkRemains = Self("run.work_remains", "Work remains in the sandbox; run the same command again.")
    static let runEndpointStopped = Self("run.endpoint_stopped", "Nothing is lost; correct the cause and run the same command again.")
    static let runNoSpace = Self("run.no_space", "The sandbox has no space left, and nothing is lost; free some space and run the same command again.")
    static let runNothingNew = Self("run.nothing_new", "Nothing new: every input was imported before, so nothing was sent.")
    static func runDocuments(_ embeddedDocuments: String) -> Self { Self("run.documents", "The built-in backend keeps accepted documents in \(Redacted(embeddedDocuments)).") }
    static let runInterruptedDone = Self("run.interrupted_done", "Interrupted, but the last input had already ended; nothing remains to do.")
    static func runInterrupted(_ parts: [Message]) -> Self { Self("run.interrupted", "Interrupted: \(parts). Run the same command again to go on.") }
    static let runErased = Self("run.erased", "the card of this photo was erased, so the photo is not imported again; delete its file")
    static func runFrontMissing(_ ID: String) -> Self { Self("run.front_missing", "no front was delivered for the case of this back; supply a front, or deliver the back alone: idcard-pipeline cards resolve \(code: ID) --as accept") }
    static func runFrontRefused(_ reason: String) -> Self { Self("run.front_refused", "this back waits, because its front was rejected (\(code: reason)); take the front again and import it") }
    static func runFrontOpen(_ reason: String, _ front: CardID) -> Self { Self("run.front_open", "this back waits, because its front needs a decision (\(code: reason)); see what to decide: idcard-pipeline cards show \(front)") }
    static func runSecondPhoto(_ file: String, _ side: CardSide) -> Self { Self("run.second_photo", "\(Redacted(file)) is a \(side), too, and newer; this photo is not sent") }
    static func runSideMissing(_ file: String, _ side: CardSide, _ missing: [CardSide]) -> Self { Self("run.side_missing", "\(Redacted(file)) is a \(side), too; the \(missing) is missing") }
    static func runRightPhoto(_ card: CardID) -> Self { Self("run.right_photo", "if this is the right photo: idcard-pipeline cards retry \(card)") }
    static func runMorePhotos(_ photos: Int) -> Self { Self("run.more_photos", one: "\(count: photos) more photo", other: "\(count: photos) more photos") }
    static func runFoldedAll(_ line: Message, _ names: String) -> Self { Self("run.folded_all", "\(line) (\(Redacted(names)))") }
    static func runFolded(_ line: Message, _ names: String, more: Int) -> Self { Self("run.folded", "\(line) (\(Redacted(names)) and \(more) more)") }
    static func runManifest(_ table: String) -> Self { Self("run.manifest", "\(Redacted(table)) is a table among the photos, and only a table that is named tells their numbers; name it: --manifest \(Redacted(table.quotedForShell))") }
    static func runManifestWorkbook(_ table: String) -> Self { Self("run.manifest_workbook", "\(Redacted(table)) is a workbook among the photos, and only a table that is named tells their numbers; save it as CSV UTF-8, then name it: --manifest FILE") }
    static let runWaitsForFront = Self("run.waits_for_front", "this back waits, because its front is not delivered yet or needs a decision")
    static let runWaitsForOlder = Self("run.waits_for_older", "this photo waits, because an older photo of the same side may still reach the backend; decide about the older photo's card first, with the command cards resolve")
    static let runUserMissing = Self("run.user_missing", "no user account; set delivery.user_no, or give user_no with the photo")
    static func runNotErased(_ reason: Message) -> Self { Self("run.not_erased", "could not erase cards past their retention: \(reason)") }
    static func runFinishing(_ requests: Int, upTo limit: Duration) -> Self { Self("run.finishing", one: "interrupted: finishing \(count: requests) request, for at most \(limit); send the signal again to stop at once", other: "interrupted: finishing \(count: requests) requests, for at most \(limit); send the signal again to stop at once") }
    static let runDryNeedsInputs = Self("run.dry_needs_inputs", "--dry-run needs inputs; name some or give --manifest")
    static let runDryReport = Self("run.dry_report", "--dry-run imports nothing, so there is nothing to report; leave out --report")
    static func runRule(_ rule: String, _ reason: Message) -> Self { Self("run.rule", "--business-no-from \(Redacted(rule)): \(reason)") }
    static let runRepeatedRow = Self("run.repeated_row", "an earlier row of the manifest says the same about this photo")
    static func runNothing(_ inputs: Int) -> Self { Self("run.nothing", one: "\(count: inputs) input: nothing to do", other: "\(count: inputs) inputs: nothing to do") }
    static func runState(_ state: InputState) -> Self {
        switch state {
        case .refused: Self("run.refused", "refused")
        case .duplicate: Self("run.duplicate", "duplicate")
        case .unchanged: Self("run.unchanged", "unchanged")
        case .ignored: Self("run.ignored", "ignored")
        case .card(let state): .stateName(state)
        }
    }
    static func runCount(_ inputs: Int, _ state: InputState) -> Self { Self("run.count", "\(inputs) \(Message(state.word, for: .runState(state)))") }
    static func runCounts(_ inputs: Int, _ counts: [Message]) -> Self { Self("run.counts", one: "\(count: inputs) input: \(counts)", other: "\(count: inputs) inputs: \(counts)") }
    static func runStoppedAt(_ stage: Stage, _ failure: RemoteFailure, _ url: String) -> Self { Self("run.stopped_at", "\(stage) stopped (\(code: failure.code)) at \(code: url): \(failure.message.withoutPersonalValues)") }
    static func runStopped(_ stage: Stage, _ failure: RemoteFailure) -> Self { Self("run.stopped", "\(stage) stopped (\(code: failure.code)): \(failure.message.withoutPersonalValues)") }
    static func runDelayedAt(_ stage: Stage, _ failure: RemoteFailure, _ url: String) -> Self { Self("run.delayed_at", "\(stage) is delayed (\(code: failure.code)) at \(code: url): \(failure.message.withoutPersonalValues)") }
    static func runDelayed(_ stage: Stage, _ failure: RemoteFailure) -> Self { Self("run.delayed", "\(stage) is delayed (\(code: failure.code)): \(failure.message.withoutPersonalValues)") }
    static func runOverdue(_ cards: Int) -> Self { Self("run.overdue", one: "\(count: cards) card, or its image, is past its retention, but could not be erased in time; erase it: idcard-pipeline cards erase --expired", other: "\(count: cards) cards, or their images, are past their retention, but could not be erased in time; erase them: idcard-pipeline cards erase --expired") }
    static func runKnown(_ cards: Int) -> Self { Self("run.known", one: "\(count: cards) known card still needs a person; to hide one: idcard-pipeline cards resolve ID --as seen", other: "\(count: cards) known cards still need a person; to hide one: idcard-pipeline cards resolve ID --as seen") }
    static func runIncomplete(_ cases: Int) -> Self { Self("run.incomplete", one: "\(count: cases) case of this run lacks a side; list the cases that lack one: idcard-pipeline cases list --state incomplete", other: "\(count: cases) cases of this run lack a side; list the cases that lack one: idcard-pipeline cases list --state incomplete") }
    static func runKept(_ cards: Int) -> Self { Self("run.kept", one: "\(count: cards) card is kept in the sandbox", other: "\(count: cards) cards are kept in the sandbox") }
    static func runUntouched(_ inputs: Int) -> Self { Self("run.untouched", one: "\(count: inputs) input is not imported yet", other: "\(count: inputs) inputs are not imported yet") }

    // MARK: Dry runs

    static func dryRunCase(_ businessNo: String, _ origin: Message) -> Self { Self("dry_run.case", "case \(Redacted(businessNo)) (\(origin))") }
    static func dryRunDefaultUser(_ origin: Message) -> Self { Self("dry_run.default_user", "default user (\(origin))") }
    static func dryRunUser(_ userNo: String, _ origin: Message) -> Self { Self("dry_run.user", "user \(Redacted(userNo)) (\(origin))") }
    static func dryRunSide(_ side: CardSide, _ origin: Message) -> Self { Self("dry_run.side", "side \(side) (\(origin))") }
    static func dryRunNumber(_ origin: Message) -> Self { Self("dry_run.number", "expected identity number (\(origin))") }
    static func dryRunName(_ origin: Message) -> Self { Self("dry_run.name", "expected name (\(origin))") }
    static func dryRunLine(_ start: String, _ fields: [Message]) -> Self { Self("dry_run.line", "\(Redacted(start)): \(fields)") }

    static func dryRunCount(_ inputs: Int, _ action: PlannedInput.Action) -> Self {
        switch action {
        case .admit: Self("dry_run.take", "\(count: inputs) to take")
        case .refuse: Self("dry_run.refuse", "\(count: inputs) to refuse")
        case .ignore: Self("dry_run.ignore", "\(count: inputs) to ignore")
        }
    }
    static func dryRunManifest(_ row: Int) -> Self { Self("dry_run.manifest", "manifest row \(row)") }
    static let dryRunSidecar = Self("dry_run.sidecar", "sidecar")
    static let dryRunOption = Self("dry_run.option", "option")
    static let dryRunFolder = Self("dry_run.folder", "folder")
    static let dryRunFileName = Self("dry_run.file_name", "file name")
    static let dryRunConfiguration = Self("dry_run.configuration", "configuration")

    // MARK: Progress

    static func progressLine(_ parts: [Message]) -> Self { Self("progress.line", "\(parts)") }
    static func progressIntake(_ count: String) -> Self { Self("progress.intake", "intake \(code: count)") }
    static func progressVerified(_ count: String) -> Self { Self("progress.verified", "verified \(code: count)") }
    static func progressDelivered(_ cards: Int) -> Self { Self("progress.delivered", "delivered \(cards)") }
    static func progressStageFails(_ stage: Stage, _ code: String) -> Self { Self("progress.stage_fails", "\(stage) fails: \(code: code)") }
    static func progressStageSlower(_ stage: Stage, _ code: String) -> Self { Self("progress.stage_slower", "\(stage) is slower: \(code: code)") }
    static func progressSlower(_ code: String) -> Self { Self("progress.slower", "slower: \(code: code)") }
    static func progressFails(_ code: String) -> Self { Self("progress.fails", "fails: \(code: code)") }
    static func progressLeft(_ time: String) -> Self { Self("progress.left", "\(code: time) left") }
    static func progressSent(_ megabytes: String) -> Self { Self("progress.sent", "\(code: megabytes) MB sent") }

    // MARK: Watched folders

    static let watchRetake = Self("watch.retake", "the photo cannot be used; take it again")
    static func watchEndpointWorks(_ stage: Stage, _ host: String) -> Self { Self("watch.endpoint_works", "\(stage) \(code: host) works again") }
    static func watchFolderProblem(_ folder: Redacted<String>, _ reason: Message) -> Self { Self("watch.folder_problem", "watched folder \(folder): \(reason)") }
    static func watchFolderWorks(_ folder: Redacted<String>, _ code: ReasonCode) -> Self { Self("watch.folder_works", "watched folder \(folder) works again (\(code))") }
    static func watchPaused(_ reason: Message) -> Self { Self("watch.paused", "photos are not imported for now: \(reason)") }
    static let watchResumed = Self("watch.resumed", "photos are imported again")
    static func watchFileStays(_ folder: Redacted<String>, _ reason: Message) -> Self { Self("watch.file_stays", "watched folder \(folder): a file or link is not imported and stays where it is: \(reason)") }
    static func watchBegins(_ folders: Int) -> Self { Self("watch.begins", one: "watching \(count: folders) folder; end with Ctrl-C", other: "watching \(count: folders) folders; end with Ctrl-C") }
    static func watchOverdue(_ cards: Int) -> Self { Self("watch.overdue", one: "\(count: cards) card, or its image, is past its retention and not erased yet; the next round erases it", other: "\(count: cards) cards, or their images, are past their retention and not erased yet; the next round erases them") }
    static func watchSidecarLate(_ card: CardID) -> Self { Self("watch.sidecar_late", "the sidecar came too late: its photo became the card \(card), and that card is already in a delivery or has ended; show the card: idcard-pipeline cards show \(card)") }
}
