import CardModel
import CardStore

// The messages of the console. Each stands on one line.
// swift-format-ignore
extension Message {
    // MARK: Around every page

    static let pageSkip = Self("page.skip", "Skip to the content")
    static let pageNavigation = Self("page.navigation", "Pages")
    static let pageOverview = Self("page.overview", "Overview")
    static let pageCases = Self("page.cases", "Cases")
    static let pageCards = Self("page.cards", "Cards")
    static let pageSignIn = Self("page.sign_in", "Sign in")
    static let pageSignOut = Self("page.sign_out", "Sign out")
    static let pageToken = Self("page.token", "Token")
    static let pageTokenHint = Self("page.token_hint", "Make a token for each person: idcard-pipeline tokens add NAME --scope review reveal")
    static let pageTokenWrong = Self("page.token_wrong", "The token is unknown, revoked or expired.")
    static let pageNoPage = Self("page.no_page", "This token has no page here; the pages need one of the scopes submit, read, review, audit, run.")
    static let pageKeysOn = Self("page.keys_on", "Keys: turn on")
    static let pageKeysOff = Self("page.keys_off", "Keys: turn off")
    static let pageBackHome = Self("page.back_home", "Back to the first page")
    static let pageRequestID = Self("page.request_id", "Request")
    static let pageApply = Self("page.apply", "Apply")
    static let pageClear = Self("page.clear", "Clear")
    static let pageAny = Self("page.any", "any")
    static let pageYes = Self("page.yes", "yes")
    static let pageNext = Self("page.next", "Next page")
    static let pageOlder = Self("page.older", "Older cards")

    // MARK: Overview

    static let pageLiveOn = Self("page.live_on", "Refresh every 30 seconds")
    static let pageLiveOff = Self("page.live_off", "Stop refreshing")
    static let pageNeedsPerson = Self("page.needs_person", "Needs a person")
    static let pageNobodyNeeded = Self("page.nobody_needed", "No case needs a person.")
    static let pageOldest = Self("page.oldest", "Oldest since")
    static let pageEndpoints = Self("page.endpoints", "Endpoints")
    static let pageStageTitle = Self("page.stage", "Stage")
    static let pageLastSuccess = Self("page.last_success", "Last success")
    static let pageEndpointWorks = Self("page.endpoint_works", "works")
    static let pageEndpointUnused = Self("page.endpoint_unused", "not used yet")
    static func pageEndpointPauses(since: Timestamp) -> Self { Self("page.endpoint_pauses", "does not take cards since \(since)") }
    static let pageAtWork = Self("page.at_work", "Processes")
    static let pageNoProcess = Self("page.no_process", "No process is running.")
    static let pageHangs = Self("page.hangs", "hangs")
    static let pageCommand = Self("page.command", "Command")
    static let pageProcess = Self("page.process", "Process")
    static let pageClaims = Self("page.claims", "Cards in progress")
    static let pageStaying = Self("page.staying", "Files that stay")
    static let pageFreeDisk = Self("page.free_disk", "Free disk space")
    static let pageKey = Self("page.key", "Key of the sandbox")
    static func pageBytes(_ count: Int64) -> Self { Self("page.bytes", "\(code: "\(count / 1_000_000)") MB") }

    // MARK: Cases and cards

    static let pageBusinessNo = Self("page.business_no", "Business number")
    static let pageStateTitle = Self("page.state", "State")
    static let pageTodo = Self("page.todo", "What to do")
    static let pageToBring = Self("page.to_bring", "To bring")
    static let pageToBringOnly = Self("page.to_bring_only", "a side must be brought")
    static let pageDownload = Self("page.download", "Download")
    static let pageMine = Self("page.mine", "mine")
    static let pageCause = Self("page.cause", "Cause")
    static let pageSince = Self("page.since", "Since")
    static let pageMissing = Self("page.missing", "Missing side")
    static let pageNoCases = Self("page.no_cases", "No case fits.")
    static let pageNoCards = Self("page.no_cards", "No card fits.")
    static let pageNoSuchCase = Self("page.no_such_case", "There is no case of this number.")
    static func pageCaseTitle(_ number: String) -> Self { Self("page.case_title", "Case \(code: number)") }
    static let pageCard = Self("page.card", "Card")
    static let pageSideTitle = Self("page.side", "Side")
    static let pageSideUnknown = Self("page.side_unknown", "unknown")
    static let pageReason = Self("page.reason", "Reason")
    static let pageSubmitter = Self("page.submitter", "Sender")
    static let pageNumberOwner = Self("page.number_owner", "Sender of the first card")
    static let pagePersonTitle = Self("page.person_title", "Named person")
    static func pagePerson(_ number: Int) -> Self { Self("page.person", "person \(code: "\(number)")") }
    static let pageSent = Self("page.sent", "Sent")
    static let pageAttempts = Self("page.attempts", "Failed attempts")
    static let pageNextAttempt = Self("page.next_attempt", "Next attempt")
    static let pageDeliveryKey = Self("page.delivery_key", "Idempotency-Key")
    static let pageImage = Self("page.image", "Image")
    static func pageImageHidden(_ bytes: Int) -> Self { Self("page.image_hidden", "hidden, \(bytes: bytes)") }
    static let pageNoImage = Self("page.no_image", "There is no prepared image.")
    static let pageImageDropped = Self("page.image_dropped", "Retention deleted the image:")
    static let pageFields = Self("page.fields", "Fields")
    static let pageNotRead = Self("page.not_read", "The verifier has not read this card.")
    static let pageFieldPresent = Self("page.field_present", "present")
    static let pageFieldMissing = Self("page.field_missing", "missing")
    static let pageFieldEqual = Self("page.field_equal", "equal to what was expected")
    static let pageFieldDiffers = Self("page.field_differs", "differs from what was expected")
    static let pageName = Self("page.name", "Name")
    static let pageNumber = Self("page.number", "Identity number")
    static let pageGender = Self("page.gender", "Gender")
    static let pageEthnicity = Self("page.ethnicity", "Ethnicity")
    static let pageBirthDate = Self("page.birth_date", "Date of birth")
    static let pageAddress = Self("page.address", "Address")
    static let pageIssuer = Self("page.issuer", "Issuing authority")
    static let pageValidity = Self("page.validity", "Validity")
    static let pageTimeline = Self("page.timeline", "Timeline")
    static let pageOtherCards = Self("page.other_cards", "Other cards of the case")

    // MARK: Sending by hand, and the access log

    static let pageIntake = Self("page.intake", "Send photos")
    static let pageIntakeHint = Self("page.intake_hint", "One or both photos of one case, JPEG or PNG; the service checks them before it takes them.")
    static let pageSend = Self("page.send", "Send")
    static let pageNoPhoto = Self("page.no_photo", "Choose a photo of the front, of the back, or of both.")
    static let pageNewPhoto = Self("page.new_photo", "taken")
    static let pageKnownPhoto = Self("page.known_photo", "this photo was there already")
    static let pageLog = Self("page.log", "Access log")
    static let pageCheckChain = Self("page.check_chain", "Check the chain of all lines")
    static let pageChainChecking = Self("page.chain_checking", "The chain is being checked; the page refreshes itself.")
    static func pageChainWhole(_ lines: Int) -> Self { Self("page.chain_whole", "The chain is whole: \(count: lines) lines.") }
    static func pageChainBroken(_ findings: Int) -> Self { Self("page.chain_broken", "The chain is broken in \(count: findings) places; find them: idcard-pipeline fsck") }
    static let pageActionTitle = Self("page.action", "Action")
    static let pageWho = Self("page.who", "Person")
    static let pageWhy = Self("page.why", "Purpose")
    static let pageTime = Self("page.time", "Time")
    static let pageLineNumber = Self("page.line_number", "Line")
    static let pageNoLines = Self("page.no_lines", "No line of a person fits; lines of the pipeline show with a card.")
    static let pageOlderLines = Self("page.older_lines", "Older lines")
    static let pageOverTime = Self("page.over_time", "Over time")
    static let pageLastBackup = Self("page.last_backup", "Last backup")
    static let pageNone = Self("page.none", "none")

    // MARK: Review

    static let pageReview = Self("page.review", "Review")
    static let pageBegin = Self("page.begin", "Begin")
    static func pageCasesFree(_ count: Int) -> Self { Self("page.cases_free", one: "\(count: count) case waits for a person and is free.", other: "\(count: count) cases wait for a person and are free.") }
    static func pageOldestCase(_ since: Timestamp) -> Self { Self("page.oldest_case", "The oldest waits since \(since).") }
    static func pageClaimed(_ subject: String, _ cases: Int, until: Timestamp) -> Self { Self("page.claimed", "\(code: subject) looks at \(count: cases) until \(until).") }
    static let pageNothingWaits = Self("page.nothing_waits", "No case waits for a person.")
    static let pageAllClaimed = Self("page.all_claimed", "Others look at all cases that wait for a person.")
    static let pageNextCase = Self("page.next_case", "Next case")
    static let pageSkipCase = Self("page.skip_case", "Skip this case")
    static func pageDecided(_ number: String, _ action: Message, _ until: Timestamp) -> Self { Self("page.decided", "\(code: number): \(action), from \(until) on.") }
    static func pageDecidedFirst(_ number: String, _ action: Message, _ until: Timestamp) -> Self { Self("page.decided_first", "\(code: number): \(action). From \(until) on it waits for a second person.") }
    static func pageProposal(_ subject: String, _ action: Message, _ since: Timestamp) -> Self { Self("page.proposal", "\(code: subject) decided: \(action). It waits for a second person since \(since).") }
    static let pageClaimOver = Self("page.claim_over", "This case is not yours any more: ten minutes have passed, or it was decided. Take the next one.")
    static let pageUndo = Self("page.undo", "Undo")
    static func pageDropped(_ cards: [CardID]) -> Self { Self("page.dropped", "What you decided about these cards was not carried out; each says why: \(code: cards.map(\.rawValue).joined(separator: ", ")).") }
    static let pageUndone = Self("page.undone", "The decision was taken back.")
    static let pageUndoTooLate = Self("page.undo_too_late", "The decision cannot be taken back any more: its ten seconds are over.")
    static let pageWaitsForSecond = Self("page.waits_for_second", "Written down. It waits for a second person who decides the same.")
    static let pageSecondPerson = Self("page.second_person", "Waits for a second person")
    static let pageWhatMayBeDone = Self("page.what_may_be_done", "What may be done")
    static let pageNotPossible = Self("page.not_possible", "Why not the rest, and erasing")
    static func pageEraseByCommand(_ card: CardID) -> Self { Self("page.erase_by_command", "Erase it by command: idcard-pipeline cards erase \(card)") }
    static let pageInWords = Self("page.in_words", "More about it")
    static let pageYourWords = Self("page.your_words", "What you wrote")

    // MARK: Personal values

    static let pagePurpose = Self("page.purpose", "Purpose, such as a ticket number")
    static let pageReveal = Self("page.reveal", "Show what is personal")
    static let pageHide = Self("page.hide", "Hide")
    static func pageRevealed(_ purpose: String) -> Self { Self("page.revealed", "Shown for one minute. The access log notes it with the purpose \(code: purpose).") }
    static let pageExpectedName = Self("page.expected_name", "Expected name")
    static let pageExpectedNumber = Self("page.expected_number", "Expected number")
    static let pageUserNo = Self("page.user_no", "User account")
    static let pageFile = Self("page.file", "File")

    // MARK: Charts

    static let chartThroughput = Self("chart.throughput", "Cards admitted, verified and delivered")
    static let chartRefusals = Self("chart.refusals", "Rejected, failed and held cards by reason")
    static let chartAdmitted = Self("chart.admitted", "admitted")
    static let chartVerified = Self("chart.verified", "verified")
    static let chartOther = Self("chart.other", "other reasons")
    static func chartSummary(_ from: Timestamp, to end: Timestamp, _ highest: Int) -> Self { Self("chart.summary", "Bars from \(from) to \(end); the highest bar is \(count: highest).") }
    static let chartNothing = Self("chart.nothing", "No card in this time.")
    static let chartNumbers = Self("chart.numbers", "Numbers")
    static let chartSum = Self("chart.sum", "Sum")

    // MARK: Names of codes

    static let pageLookFirst = Self("page.look_first", "Show what is personal first: some decisions need a look at the photo as it is now.")
    static let pageWords = Self("page.words", "Words for other reviewers")
    static let pageWordsMissing = Self("page.words_missing", "Say why in words, then send the form again.")
    static let pageBoxMissing = Self("page.box_missing", "Confirm in the box what you have checked, then send the form again.")
    static func pageAgree(_ action: Message) -> Self { Self("page.agree", "Agree: \(action)") }
    static let pageDisagree = Self("page.disagree", "Disagree…")
    static let pageWithdraw = Self("page.withdraw", "Withdraw")
    static func pageSureDelivered(_ number: String, _ side: CardSide?) -> Self { Self("page.sure_delivered", "I have looked in the business backend: it has the \(Self.sideOrPhoto(side)) of \(code: number).") }
    static func pageSureMissing(_ number: String, _ side: CardSide?) -> Self { Self("page.sure_missing", "I have looked in the business backend: it lacks the \(Self.sideOrPhoto(side)) of \(code: number).") }
    static let pageSureResend = Self("page.sure_resend", "The backend keeps one document for each Idempotency-Key, so that the same bytes under the same key do no harm.")
    static let pageSureEnds = Self("page.sure_ends", "This ends the case: nothing more of it is sent, and a later photo waits for a reviewer.")
    static let pageSureAlone = Self("page.sure_alone", "Only this photo ends: another one of its side is there.")
    static let pageSureNumber = Self("page.sure_number", "The backend knows the case by this very number.")
    static let pageSureLooked = Self("page.sure_looked", "I have looked at the photos of the whole case.")
    static let pagePhoto = Self("page.photo", "photo")
    private static func sideOrPhoto(_ side: CardSide?) -> Message { side.map(Message.word) ?? .pagePhoto }
    static func pageAction(_ action: DecisionAction) -> Self {
        switch action {
        case .accept: Self("page.accept", "Accept")
        case .delivered: Self("page.mark_delivered", "The backend has it")
        case .resend: Self("page.resend", "Repeat with the same key")
        case .anew: Self("page.anew", "It lacks it: send as new")
        case .retake: Self("page.retake", "Return for retake")
        case .reject: Self("page.reject", "Reject")
        case .holder: Self("page.holder", "This person is the customer")
        case .retry: Self("page.retry", "Retry")
        case .erase: Self("page.erase", "Erase")
        }
    }
    static func pageSpan(_ span: ThroughputSpan) -> Self {
        switch span {
        case .hour: Self("page.hour", "Hour")
        case .day: Self("page.day", "Day")
        case .week: Self("page.week", "Week")
        }
    }
}
