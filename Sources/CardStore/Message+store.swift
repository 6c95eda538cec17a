package import CardModel

// Each message stands on one line.
// swift-format-ignore
extension Message {
    // MARK: Opening the sandbox

    static func sandboxMissing(_ path: String) -> Self { Self("sandbox.missing", "there is no sandbox at \(Redacted(path)); name another folder (--sandbox), or import photos first: idcard-pipeline run") }
    static func sandboxForeign(_ path: String) -> Self { Self("sandbox.foreign", "\(Redacted(path)) is the database of another program and was not changed; name another folder (--sandbox, or sandbox.path)") }
    static func sandboxNewer(_ format: Int, known: Int) -> Self { Self("sandbox.newer", "the sandbox has the format \(format), and this program knows only \(known); nothing was changed; install the newer version") }
    static func sandboxOlder(_ path: String) -> Self { Self("sandbox.older", "an earlier build of idcard-pipeline made the sandbox \(Redacted(path)), and the present build cannot read it; nothing was changed; deliver the cards of the sandbox with the earlier build, then move the sandbox away: mv \(Redacted(path)) \(Redacted(path)).old; a new sandbox (--new-sandbox) does not know what was sent, erased or logged, and photos imported again are sent again") }
    static let sandboxEmbedded = Self("sandbox.embedded", "the sandbox holds cards for the built-in endpoints; add --embedded, or name another folder (sandbox.path)")
    static let sandboxReal = Self("sandbox.real", "--embedded cannot use this sandbox: it holds cards for the real endpoints; leave out --embedded, or name another folder (--sandbox)")
    static func sandboxNotFolder(_ path: String) -> Self { Self("sandbox.not_folder", "\(Redacted(path)) is not a folder; name another sandbox (sandbox.path)") }
    static func sandboxShared(_ path: String) -> Self { Self("sandbox.shared", "the folder \(Redacted(path)) holds other files, and other users can look into it; name a new folder for the sandbox (sandbox.path)") }
    static func sandboxRemote(_ path: String, _ kind: String) -> Self { Self("sandbox.remote", "\(Redacted(path)) is on a network file system (\(code: kind)), where a second machine could send every card again; move the sandbox to a local disk (--sandbox, or sandbox.path)") }
    static func sandboxOtherHost(_ worker: WorkerStatus) -> Self { Self("sandbox.other_host", "\(code: worker.command) (process \(worker.process)) on another machine uses this sandbox; stop that process, or give each machine a sandbox of its own (sandbox.path)") }
    static func sandboxWithin(_ path: String, _ outer: String) -> Self { Self("sandbox.within", "\(Redacted(path)) is in the sandbox \(Redacted(outer)), and no sandbox is made within another; name the outer folder (--sandbox, or sandbox.path)") }
    static func sandboxFile(_ path: String, _ error: Int32) -> Self { Self("sandbox.file", "cannot read or write \(Redacted(path)): \(errno: error); check the path, its owner and the free space") }

    // MARK: Using the sandbox

    static let sandboxBusy = Self("sandbox.busy", "another process kept the sandbox locked for too long; end that process or wait, then try again")
    static func sandboxOccupied(by command: String, process: Int64) -> Self { Self("sandbox.occupied", "\(code: command) (process \(process)) is using the sandbox, so nothing was changed; stop that process, then try again") }
    static let sandboxOccupiedUnnamed = Self("sandbox.occupied_unnamed", "another process is using the sandbox; stop it, then try again; nothing was changed")
    static let sandboxFull = Self("sandbox.full", "the disk of the sandbox is full, or a quota or a limit on file sizes is reached, and this change was not made; free some space, or look at the limits: quota -s; ulimit -f")
    static let sandboxNotDurable = Self("sandbox.not_durable", "the disk of the sandbox failed to store data durably; check the disk, then start this process again")
    static let sandboxDamaged = Self("sandbox.damaged", "the sandbox is damaged, or the disk failed to read it; check the disk, then run: idcard-pipeline fsck")
    static func sandboxUnavailable(_ text: String) -> Self { Self("sandbox.unavailable", "cannot read or write the sandbox (\(code: text)); check the owner and mode of its files, and the disk") }
    static let sandboxReplaced = Self("sandbox.replaced", "the files of the sandbox were deleted or exchanged while this process used them; start this process again")
    static func sandboxRule(_ text: String) -> Self { Self("sandbox.rule", "a change would break a rule of the sandbox, so it was not made (\(code: text)); please report this") }
    static let workerReplaced = Self("worker.replaced", "the lock file of this process was removed from the sandbox, and the work of this process was reassigned; start this process again")
    static let workerKeyChanged = Self("worker.key_changed", "the key of the sandbox changed while this process started; this process changed nothing; start this process again")

    // MARK: Keys and access

    static func vaultWrongKey(_ id: String) -> Self { Self("vault.wrong_key", "no given key opens the sandbox; give the key \(code: id) (vault.key_file)") }
    static func vaultUnopenable(_ column: String) -> Self { Self("vault.unopenable", "cannot decrypt a value in \(code: column): its key was destroyed, or its bytes were changed; restore a backup") }
    static let accessPurposePersonal = Self("access.purpose_personal", "the purpose names the holder of a card, and the access log keeps every purpose for ever; give a ticket number instead")
    static func accessScopeMissing(_ scopes: [String]) -> Self { Self("access.scope_missing", "the token lacks the scope for this; the token needs one of: \(codes: scopes)") }

    // MARK: Cards

    static func cardMissing(_ card: CardID) -> Self { Self("card.missing", "there is no card \(card) in the sandbox; list the cards: idcard-pipeline cards list") }
    static func cardIDTooShort(_ text: String, fewest digits: Int) -> Self { Self("card.id_too_short", "the card id \(Redacted(text)) is too short; give the whole id, or at least its last \(digits) digits") }
    static func cardIDAmbiguous(_ text: String, _ ids: [String]) -> Self { Self("card.id_ambiguous", "the ids of several cards end in \(Redacted(text)); give one of them: \(codes: ids)") }
    static let cardImageUnreadable = Self("card.image_unreadable", "the stored image is missing or damaged; check the disk, and import the photo again as a new file")
    static let cardOfOtherSubmitter = Self("card.of_other_submitter", "another submitter already sent this image under this business number; ask the operator which submitter the card belongs to")
    static func cardNumberPersonal(_ card: CardID) -> Self { Self("card.number_personal", "the business number seems to name a person, and numbers are stored unencrypted; look at the card (idcard-pipeline cards show \(card)), then decide: idcard-pipeline cards resolve \(card) --as accept (or --as retake --reason retake_number)") }
    static func cardFolderPersonal(_ card: CardID) -> Self { Self("card.folder_personal", "the name of the folder seems to hold a person's name; rename the folder and submit it again, or decide: idcard-pipeline cards resolve \(card) --as accept (or --as retake --reason retake_number)") }
    static func cardCaseRejected(_ card: CardID) -> Self { Self("card.case_rejected", "a reviewer ended the case before this photo came; look at it (idcard-pipeline cards show \(card)), then let it in or reject it: idcard-pipeline cards resolve \(card) --as accept (or --as reject)") }
    static func cardForeign(_ card: CardID) -> Self { Self("card.foreign", "another submitter sent the first card of this business number; compare the two senders (idcard-pipeline cards show \(card)) and look at the photo (idcard-pipeline cards export \(card) --output DIR), then accept or reject the card: idcard-pipeline cards resolve \(card) --as accept (or --as reject)") }
    static let cardRequestReused = Self("card.request_reused", "another request had the same Idempotency-Key or webhook-id; give each submission a new one")
    static func cardTooManyPhotos(_ most: Int) -> Self { Self("card.too_many_photos", "the business number already has \(count: most) photos in progress, which is too many for one case; give the photos of each case their own business number") }
    static func cardSuperseded(by newer: CardID) -> Self { Self("card.superseded", "card \(newer) is a newer photo of the same side and replaced this card; this card is not sent") }
    static let cardSupersededUnnamed = Self("card.superseded_unnamed", "a newer photo of the same side replaced this card; this card is not sent")
    static func cardTakenEarlier(_ newer: CardID, not card: CardID) -> Self { Self("card.taken_earlier", "card \(newer) is a photo of the same side whose file has a later time, so this card is not sent; if this is the right photo, send it: idcard-pipeline cards retry \(card)") }
    static func cardTakenEarlierUnnamed(_ card: CardID) -> Self { Self("card.taken_earlier_unnamed", "an erased photo of the same side has a file with a later time, so this card is not sent; if this is the right photo, send it: idcard-pipeline cards retry \(card)") }
    static func cardNotFetchedAgain(_ why: Message) -> Self { Self("card.not_fetched_again", "the address was named again, but no other image came from there, so this card stays as it is; cause: \(why)") }
    static func cardDuplicate(of same: CardID) -> Self { Self("card.duplicate", "card \(same) already holds the same image") }
    static func cardNotFetchedHere(_ card: CardID) -> Self { Self("card.not_fetched_here", "this process no longer fetches card \(card); nothing was changed") }
    static let cardImageIncomplete = Self("card.image_incomplete", "the image arrived incomplete; if this continues, check its host")

    // MARK: Decisions of people

    static func decisionRejected(_ text: Redacted<String>) -> Self { Self("decision.rejected", "a person rejected the photo: \(text)") }
    static func decisionMoved(_ card: CardID, _ state: CardState, at time: Timestamp, by actor: String) -> Self { Self("decision.moved", "card \(card) has changed since it was shown: \(state) at \(time) (by \(code: actor)); look at it again, then decide") }
    static func decisionErase(_ card: CardID) -> Self { Self("decision.erase", "a page erases nothing; run: idcard-pipeline cards erase \(card)") }
    static func decisionClaimed(_ card: CardID, _ subject: String, until end: Timestamp) -> Self { Self("decision.claimed", "\(code: subject) reviews card \(card) until \(end); take another case, or wait") }
    static func decisionOfOther(_ card: CardID, _ subject: String, _ action: DecisionAction) -> Self { Self("decision.of_other", "\(code: subject) decided \(action) about card \(card), so no other decision is possible; decide the same, or have \(code: subject) run: idcard-pipeline cards resolve \(card) --as withdraw") }
    static func decisionNoneOfOther(_ card: CardID) -> Self { Self("decision.none_of_other", "no decision of another person about card \(card) waits for you; look at it: idcard-pipeline cards show \(card)") }
    static func decisionDisagreed(by subject: String, _ text: Redacted<String>) -> Self { Self("decision.disagreed", "\(code: subject) disagrees: \(text)") }
    static func decisionReasonMissing(_ reasons: [RetakeReason]) -> Self { Self("decision.reason_missing", "a photo goes back for a retake with a reason; give one of \(codes: reasons.map(\.rawValue))") }
    static let decisionWordsMissing = Self("decision.words_missing", "this decision needs a reason in words; give them with --message TEXT, or as message")
    static func decisionUnseen(_ card: CardID) -> Self { Self("decision.unseen", "card \(card) was not looked at as it is now; show what is personal, then decide") }
    static func decisionWouldEndCase(_ card: CardID) -> Self { Self("decision.would_end_case", "rejecting card \(card) would do more by now than its page said; look at it again, then decide") }
    static func decisionNone(_ card: CardID) -> Self { Self("decision.none", "no decision of yours about card \(card) waits for a second person, so there is nothing to withdraw; look at it: idcard-pipeline cards show \(card)") }
    static func fourEyesNotListed(_ action: DecisionAction) -> Self { Self("four_eyes.not_listed", "one person alone decides \(action) in this sandbox; what two persons decide: idcard-pipeline review list") }
    static func fourEyesNotAsked(_ action: DecisionAction) -> Self { Self("four_eyes.not_asked", "no one has asked that one person alone may decide \(action); ask: idcard-pipeline review drop \(action)") }
    static func troubleFourEyes(_ subject: String, _ action: DecisionAction, alone time: Timestamp) -> Self { Self("trouble.four_eyes", "\(code: subject) wants one person alone to decide \(action); agree as another person: idcard-pipeline review drop \(action), or refuse: idcard-pipeline review keep \(action); from \(time) on \(code: subject) needs no one else") }
    static func troubleDropped(_ count: Int, _ subject: String, _ card: CardID) -> Self { Self("trouble.dropped", one: "\(count: count) decision was not carried out, the oldest of \(code: subject); why: idcard-pipeline cards show \(card), and when it is known: idcard-pipeline cards resolve \(card) --as seen", other: "\(count: count) decisions were not carried out, the oldest of \(code: subject); why: idcard-pipeline cards show \(card), and when it is known: idcard-pipeline cards resolve \(card) --as seen") }
    static func troubleDue(_ count: Int) -> Self { Self("trouble.due", one: "\(count: count) decision is due and no process carries it out; run: idcard-pipeline run", other: "\(count: count) decisions are due and no process carries them out; run: idcard-pipeline run") }
    static func decisionTakenBack(by subject: String) -> Self { Self("decision.taken_back", "\(code: subject) took it back") }
    static func decisionRefused(_ subject: String, _ action: DecisionAction, _ why: Message) -> Self { Self("decision.refused", "the decision \(action) of \(code: subject) was not carried out: \(why)") }

    // MARK: Deliveries

    static func deliveryUnknown(_ card: CardID, _ cause: Message) -> Self { Self("delivery.unknown", "the backend may have the card; look in the backend; if the card is there, run: idcard-pipeline cards resolve \(card) --as delivered; if not, run the same command with --as anew, which sends the card under another key; cause: \(cause)") }
    static func deliveryRefusedByList(_ code: String, _ key: String) -> Self { Self("delivery.refused_by_list", "the backend refused the document (\(code: code), listed in \(code: key)); correct the card's data") }
    static let deliveryNotInReply = Self("delivery.not_in_reply", "the backend's reply names other cards of the delivery, but not this one")
    static let deliveryInterrupted = Self("delivery.interrupted", "the process ended while it sent the delivery")
    static func deliveryDamaged(_ card: CardID) -> Self { Self("delivery.damaged", "a stored value is damaged, so the delivery cannot be repeated, but the backend may have the card; look in the backend; if the card is there, run: idcard-pipeline cards resolve \(card) --as delivered; if not, run the same command with --as anew (a new delivery) or --as reject (no delivery)") }
    static func deliveryLeft(_ card: CardID) -> Self { Self("delivery.left", "the backend may have this card; a person took another card out of the same delivery, which ended the delivery; look in the backend; if this card is there, run: idcard-pipeline cards resolve \(card) --as delivered; if not, run the same command with --as anew, which sends the card under another key") }
    package static func pauseResume(_ what: Message, _ stage: Stage) -> Self { Self("pause.resume", "\(what); once that is right, run: idcard-pipeline resume \(code: stage == .verify ? "verifier" : "backend")") }
    static func pauseUntil(_ what: Message, _ pause: EndpointPause) -> Self { Self("pause.until", "\(what); it is called again at \(pause.wait.until); to call it now: idcard-pipeline resume \(code: pause.resumeName)") }
    static let pauseStandstill = Self("pause.standstill", "cards are due, but this process moves none of them on; restart it; if that does not help, check the sandbox (idcard-pipeline fsck) and report the problem")
    static func pauseEndpoint(_ pause: EndpointPause) -> Self { Self("pause.endpoint", "\(pause.stage) \(code: pause.host) \(pause.state) since \(pause.since) (\(code: pause.code)): \(pause.message)") }
    static func pauseUnreadable(_ code: String) -> Self { Self("pause.unreadable", "the last call ended with \(code: code)") }

    // MARK: What is wrong

    static func caseAlsoMissing(_ sides: [CardSide]) -> Self { Self("case.also_missing", "also missing: \(sides)") }
    static func troubleCases(_ count: CaseCount) -> Self { Self("trouble.cases", one: "\(count: count.cases) case stands at \(count.state) since \(count.since) (\(code: count.cause ?? "-")); show what to do: idcard-pipeline cases list --state \(code: count.state.rawValue)", other: "\(count: count.cases) cases stand at \(count.state), the oldest since \(count.since) (\(code: count.cause ?? "-")); show what to do: idcard-pipeline cases list --state \(code: count.state.rawValue)") }
    static func troubleBarred(_ names: [String]) -> Self { Self("trouble.barred", "tokens with the name of a webhook sender open nothing: \(codes: names); revoke them: idcard-pipeline tokens revoke NAME") }
    static func troubleShut(_ worker: WorkerStatus) -> Self { Self("trouble.shut", "\(code: worker.command) (process \(worker.process)) accepts no token; its log says why; list the tokens: idcard-pipeline tokens list") }
    static func troubleHangs(_ worker: WorkerStatus) -> Self { Self("trouble.hangs", "\(code: worker.command) (process \(worker.process)) does not respond since \(worker.seenAt); end it (kill -9 \(worker.process)); other processes then continue with its cards") }
    static let troubleNoIntake = Self("trouble.no_intake", "the disk of the sandbox is nearly full, or a quota on it is, so no photos are imported; free some space")
    static let troubleNoVerification = Self("trouble.no_verification", "the disk of the sandbox is nearly full, or a quota on it is, so no photos are imported or verified; free some space")

    // MARK: Checks: the file, references, the access log, sealed values

    static func fsckFileDamaged(_ text: String) -> Self { Self("fsck.file_damaged", "the file of the sandbox is damaged (\(code: text)); check the disk, then restore a backup") }
    static func fsckReferenceMissing(_ table: String, to parent: String) -> Self { Self("fsck.reference_missing", "a row of the table \(code: table) refers to a row of \(code: parent) that does not exist; restore a backup") }
    static func fsckLogBroken(_ line: Int64) -> Self { Self("fsck.log_broken", "line \(line) of the access log was changed, or lines before it were removed; find out who has write access to the files of the sandbox") }
    static func fsckLogGap(_ line: Int64) -> Self { Self("fsck.log_gap", "lines of the access log before line \(line) were removed; find out who has write access to the files of the sandbox") }
    static func fsckLogEndMissing(_ line: Int64) -> Self { Self("fsck.log_end_missing", "lines of the access log after line \(line) were removed; find out who has write access to the files of the sandbox") }
    static func fsckSealBroken(_ column: String) -> Self { Self("fsck.seal_broken", "cannot decrypt the value \(code: column) of the card, because its bytes were changed; either restore a backup, or import the photo again and then erase this card") }
    static func fsckErasureCutOff(_ card: CardID) -> Self { Self("fsck.erasure_cut_off", "the erasure of the card was interrupted; erase it again: idcard-pipeline cards erase \(card)") }
    static let fsckErasureLineMissing = Self("fsck.erasure_line_missing", "the card is erased, but its line was removed from erasures.jsonl, so a restore would bring the card back; run: idcard-pipeline fsck --repair")

    // MARK: Checks: the rules

    static let fsckImageMissing = Self("fsck.image_missing", "the card has no image and cannot go on; end the card: idcard-pipeline run; then import its photo again")
    static let fsckDeliveredImageMissing = Self("fsck.delivered_image_missing", "the image of the delivered card was lost, and not by retention.images; check the disk, and restore a backup if the image is still needed")
    static let fsckReadingMissing = Self("fsck.reading_missing", "the card counts as verified but has no reading; have it verified again: idcard-pipeline fsck --repair")
    static let fsckDeliveredWithoutDelivery = Self("fsck.delivered_without_delivery", "the card counts as delivered, but the records show neither a delivery of the card nor an operator who decided this; check whether the backend has the card")
    static let fsckNeverDecided = Self("fsck.never_decided", "the card is verified, but no process will decide it; run: idcard-pipeline fsck --repair")
    static let fsckDeliveringWithoutDelivery = Self("fsck.delivering_without_delivery", "the state of the card says that a delivery is under way, but this delivery is closed or missing; look in the backend; if the card is there, run: idcard-pipeline cards resolve ID --as delivered; if it is not, erase the card and import the photo as a new file")
    static let fsckDeliveryWithoutMembers = Self("fsck.delivery_without_members", "none of the cards of an open delivery is being delivered, but this delivery would send them again; restore a backup")
    static let fsckMemberNotDelivering = Self("fsck.member_not_delivering", "an open delivery would send the card, but the card is not marked as being delivered; restore a backup")
    static let fsckNotAMember = Self("fsck.not_a_member", "the card's record names a delivery, but this delivery does not include the card; look in the backend; if the card is there, but is not delivered here, run: idcard-pipeline cards resolve ID --as delivered")
    static let fsckInTwoDeliveries = Self("fsck.in_two_deliveries", "two deliveries would send the card; restore a backup")
    static let fsckKeptWithoutCard = Self("fsck.kept_without_card", "a delivery waits for an operator, but none of its cards is held any more; close the delivery: idcard-pipeline fsck --repair")
    static let fsckDeliveryWithoutAttempt = Self("fsck.delivery_without_attempt", "the card has a delivery on record, but no attempt to send it; this program never makes such a record; restore a backup")
    static let fsckUnknownWithoutDelivery = Self("fsck.unknown_without_delivery", "the backend may have the card, but no delivery of the card is on record; a retry would send the card under a new Idempotency-Key; look in the backend; if the card is there, run: idcard-pipeline cards resolve ID --as delivered; if not, run the same command with --as anew (sends the card) or --as reject (no delivery)")
    static let fsckDeliveredNotNoted = Self("fsck.delivered_not_noted", "the card was delivered, but the record of its business number does not say so; an older photo or a back may be sent by mistake; run: idcard-pipeline fsck --repair")
    static let fsckSecondHolder = Self("fsck.second_holder", "the fronts of the card's business number name different persons, but the number is not marked as disputed; mark it: idcard-pipeline fsck --repair")
    static let fsckOrderAhead = Self("fsck.order_ahead", "the import number of the card is higher than the counter of imports, so a photo imported later would count as older than this card; run: idcard-pipeline fsck --repair")
    static let fsckAttemptOfNobody = Self("fsck.attempt_of_nobody", "an unfinished attempt to send the card belongs to an unknown process; the card may have arrived; run: idcard-pipeline fsck --repair")
    static let fsckCountWrong = Self("fsck.count_wrong", "the counts of cards by state are wrong; count them again: idcard-pipeline fsck --repair")
    static let fsckCaseWrong = Self("fsck.case_wrong", "the state of a case does not match its cards; set it again: idcard-pipeline fsck --repair")
    static let fsckKeyMissing = Self("fsck.key_missing", "the card's key is gone, and its values cannot be read; restore a backup, or erase the card")
    static let fsckErasedWithRemains = Self("fsck.erased_with_remains", "the card is erased, but values of it are left; remove them: idcard-pipeline fsck --repair")

    // MARK: Erasures

    static func erasuresUnreadable(_ path: String) -> Self { Self("erasures.unreadable", "cannot read the list of erasures \(Redacted(path)); check its path, owner and mode") }
    static func erasuresBadLine(_ line: Int, of path: String) -> Self { Self("erasures.bad_line", "line \(line) of the list of erasures \(Redacted(path)) is not an erasure; correct or remove that line") }
    static func erasuresNotWritten(_ path: String, _ error: Int32) -> Self { Self("erasures.not_written", "cannot write the list of erasures \(Redacted(path)): \(errno: error); these cards were not erased; check the path, its owner and the free space") }

    // MARK: Backup

    static func backupExists(_ path: String) -> Self { Self("backup.exists", "cannot write the backup \(Redacted(path)): it exists; name another file") }
    static func backupUnderWay(_ path: String) -> Self { Self("backup.under_way", "another backup to \(Redacted(path)) is under way; wait until it has ended") }
    static func backupNoRoom(_ path: String) -> Self { Self("backup.no_room", "the disk has no room for the backup \(Redacted(path)); no part of the backup was left behind; free some space") }
    static func backupNotWhole(_ code: String, _ why: Message) -> Self { Self("backup.not_whole", "the backup is not whole (\(code: code); cause: \(why)); use another backup, or run the command fsck on the sandbox from which this backup was made") }

    // MARK: Restore

    static func restoreMissing(_ path: String) -> Self { Self("restore.missing", "there is no backup at \(Redacted(path)) that can be read; name a file that the command backup has written") }
    static func restoreNotBackup(_ path: String) -> Self { Self("restore.not_backup", "\(Redacted(path)) is not a backup; name a file that the command backup has written; do not name the database of a sandbox, because that file lacks the latest changes of the sandbox") }
    static func restoreCutShort(_ path: String, _ length: UInt64, of whole: UInt64) -> Self { Self("restore.cut_short", "the backup \(Redacted(path)) was cut short: it has \(bytes: length) instead of \(bytes: whole); copy it again, or use another backup") }
    static let restoreOtherVersion = Self("restore.other_version", "another version of idcard-pipeline made the backup; restore it with that version")
    static let restoreSandboxOtherVersion = Self("restore.sandbox_other_version", "another version of idcard-pipeline made the sandbox that would be replaced; restore into a new folder (sandbox.path)")
    static func restoreWrongKey(_ why: Message) -> Self { Self("restore.wrong_key", "cannot open the backup: \(why); if the key was rotated after this backup, give the earlier key; it is in FILE.retired-ID beside the key file") }
    static func restoreNotEmpty(_ path: String, _ cards: Int) -> Self { Self("restore.not_empty", one: "the sandbox \(Redacted(path)) holds \(count: cards) card; replace it with --force, or name another folder (sandbox.path)", other: "the sandbox \(Redacted(path)) holds \(count: cards) cards; replace it with --force, or name another folder (sandbox.path)") }
    static func restoreUnreadable(_ path: String, _ text: String) -> Self { Self("restore.unreadable", "cannot read the sandbox \(Redacted(path)) (\(code: text)); replace it with --force, or name another folder (sandbox.path)") }
    static func restoreUnreadableFull(_ path: String, _ text: String) -> Self { Self("restore.unreadable_full", "cannot read the sandbox \(Redacted(path)) (\(code: text)), perhaps because the disk is full; free some space and try again; if that does not help, replace the sandbox with --force, or name another folder (sandbox.path)") }
    static let restoreNotFetched = Self("restore.not_fetched", "the sandbox was restored from a backup before the photo was fetched; if this card is held, decide about it; then name the address again, in a message with another id")
    static func restoreHeld(_ card: CardID) -> Self { Self("restore.held", "the card comes from a backup, and its later history is unknown; look for the card in the backend; if it is there, run: idcard-pipeline cards resolve \(card) --as delivered; if it is not there, run: idcard-pipeline cards resolve \(card) --as anew") }
}
