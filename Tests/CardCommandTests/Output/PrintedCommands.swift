/// What shows that a command which a message names works in the state that shows the message.
enum PrintedProof {
    /// The name of a test that reaches the state and runs the command.
    case test(String)
    /// Why there is none.
    case reason(String)
}

/// The commands that messages tell people to run, each as `id of the message: command`, by what shows that they work.
///
/// Those that only look (``PrintedCommandTests``) are left out: they work in every state.
enum PrintedCommands {
    static let table: [(PrintedProof, [String])] = decisions + deliveries + upkeep + access

    /// Decisions about cards.
    private static let decisions: [(PrintedProof, [String])] = [
        (
            .test("A refusal names no command that would be refused, too"),
            [
                "operator.may_be_delivered: cards resolve --as delivered",
                "operator.may_be_delivered: cards resolve --as reject",
                "operator.sent_again: cards resolve --as delivered", "operator.sent_again: cards resolve --as reject",
                "operator.decide: cards resolve --as accept", "operator.decide: cards resolve --as reject",
                "operator.never_sent: cards resolve --as accept", "operator.never_sent: cards resolve --as reject",
                "operator.never_sent_failed: cards retry", "operator.nothing_to_resend: cards resolve --as anew",
                "operator.nothing_to_resend_failed: cards retry", "operator.newer_sent: cards resolve --as delivered",
                "operator.newer_sent: cards resolve --as reject", "operator.not_verified: cards retry",
                "operator.no_side: cards resolve --as reject", "operator.unlisted: cards resolve --as delivered",
                "operator.unlisted: cards resolve --as reject", "operator.listed: cards retry",
            ]
        ),
        (
            .test("of fronts of two persons one goes if accepted, or without the wrong one"),
            [
                "application.different_holders: cards resolve --as accept",
                "application.different_holders: cards resolve --as holder", "cards.continue: run",
            ]
        ),
        (
            .test("the only photo of its side ends the case"),
            ["card.case_rejected: cards resolve --as accept", "card.case_rejected: cards resolve --as reject"]
        ),
        (
            .test("what is under it waits for a person, who says that it is right"),
            ["card.number_personal: cards resolve --as accept", "card.folder_personal: cards resolve --as accept"]
        ),
        (
            .test("it is returned for another number, which ends the case"),
            ["card.number_personal: cards resolve --as retake", "card.folder_personal: cards resolve --as retake"]
        ),
        (
            .test("the back of a returned front waits, and goes with the new front"),
            ["cards.retake_reason: cards resolve --as retake"]
        ),
        (
            .test("a stranger's photo is shown with both senders, and its image is exported"),
            ["card.foreign: cards export"]
        ),
        (
            .test("a decision stands in the history with who made it and why"),
            ["card.foreign: cards resolve --as reject"]
        ),
        (
            .test("a decision for two persons waits, and another person's carries it out"),
            ["card.foreign: cards resolve --as accept", "cards.waits_for_second: cards resolve --as withdraw"]
        ),
        (
            .test("a refused front keeps its back in later runs until it is imported or the back accepted"),
            ["run.front_missing: cards resolve --as accept"]
        ),
        (
            .test("a photo that waits for an older one goes once a person has decided about that one"),
            ["run.waits_for_older: cards resolve"]
        ),
        (
            .test("a card that a person marked as seen counts no more until its state changes"),
            ["run.known: cards resolve --as seen"]
        ),
        (
            .test("of two photos of one side in a list the later one is sent, until a person wants the other"),
            ["card.taken_earlier: cards retry", "run.right_photo: cards retry"]
        ),
        (
            .test("a decision that keeps another one out is withdrawn, and the other one counts"),
            ["decision.of_other: cards resolve --as withdraw"]
        ),
        (
            .test("a decision that was not carried out is told until a person has seen it"),
            ["trouble.dropped: cards resolve --as seen"]
        ),
        (
            .test("another process carries a decision out once its own is gone, or a minute late"),
            ["trouble.due: run"]
        ),
        (
            .test("a named card is erased because it was asked for, an expired one because it has expired"),
            ["page.erase_by_command: cards erase", "decision.erase: cards erase", "run.overdue: cards erase --expired"]
        ),
        (
            .test("an erasure that waits for a second person is taken back"),
            ["erase.no_terminal: --yes"]
        ),
        (
            .test("the file of a command that decides adds to the list, and two persons shorten it"),
            ["review.waits: review drop"]
        ),
        (
            .test("who wants nothing changed learns whether the action is on the list"),
            ["four_eyes.not_asked: review drop"]
        ),
        (
            .test("who wants an action off the list is agreed with or refused, as status says"),
            ["trouble.four_eyes: review drop", "trouble.four_eyes: review keep"]
        ),
    ]

    /// Endpoints and deliveries.
    private static let deliveries: [(PrintedProof, [String])] = [
        (
            .test("what a message about a card names can be done"),
            [
                "verdict.legality_unavailable: cards retry", "card.taken_earlier_unnamed: cards retry",
                "delivery.unknown: cards resolve --as anew", "delivery.unknown: cards resolve --as delivered",
                "delivery.damaged: cards resolve --as anew", "delivery.damaged: cards resolve --as delivered",
                "delivery.damaged: cards resolve --as reject", "delivery.left: cards resolve --as anew",
                "delivery.left: cards resolve --as delivered", "restore.held: cards resolve --as anew",
                "restore.held: cards resolve --as delivered",
                "fsck.delivering_without_delivery: cards resolve --as delivered",
                "fsck.not_a_member: cards resolve --as delivered",
                "fsck.unknown_without_delivery: cards resolve --as anew",
                "fsck.unknown_without_delivery: cards resolve --as delivered",
                "fsck.unknown_without_delivery: cards resolve --as reject",
            ]
        ),
        (
            .test("a wrong TOKEN with a RETCODE of no list stops delivery; with the right one all is sent"),
            ["backend.unlisted: cards retry"]
        ),
        (
            .test(
                "a backend that is not understood gets each document once, and the settings that are named deliver all"
            ),
            ["pause.resume: resume"]
        ),
        (.test("an endpoint that waits is called at once by the name that status shows"), ["pause.until: resume"]),
        (.test("its exit status is that of a run with these refusals"), ["no_number.missing: run"]),
        (
            .test("what is passed over by its name is told once for each rule, as by run, without names"),
            ["status.staying: run --dry-run"]
        ),
    ]

    /// The sandbox, its keys and its backups.
    private static let upkeep: [(PrintedProof, [String])] = [
        (
            .test("what can be mended without a risk is, and nothing is left"),
            [
                "fsck.reading_missing: fsck --repair", "fsck.never_decided: fsck --repair",
                "fsck.kept_without_card: fsck --repair", "fsck.delivered_not_noted: fsck --repair",
                "fsck.second_holder: fsck --repair", "fsck.order_ahead: fsck --repair",
                "fsck.attempt_of_nobody: fsck --repair", "fsck.case_wrong: fsck --repair",
                "fsck.erased_with_remains: fsck --repair",
            ]
        ),
        (
            .test("what can be repaired is, by the command that the check names"),
            ["fsck.count_wrong: fsck --repair", "fsck.repair: fsck --repair"]
        ),
        (
            .test("a line that was removed is found, and written again by a repair"),
            ["fsck.erasure_line_missing: fsck --repair"]
        ),
        (
            .test("killed at any step, an erasure is done with its line or not done at all"),
            ["fsck.erasure_cut_off: cards erase"]
        ),
        (.test("a card that has no image ends, and its photo is imported again"), ["fsck.image_missing: run"]),
        (
            .test("without a key and a sandbox, keys init and run make them"),
            ["keys.missing: keys init", "sandbox.missing: run"]
        ),
        (.test("a rotation that was cut off is finished, and another one is possible"), ["keys.finished: keys rotate"]),
        (.test("a path one level off, above or below, sends nothing again"), ["sandbox.second: --new-sandbox"]),
        (
            .test("config check opens the sandbox, and says what moving an older one away loses"),
            ["sandbox.older: --new-sandbox"]
        ),
        (
            .test("while a process works, a change of keys and a restore end with 75 and name it"),
            ["restore.not_empty: --force"]
        ),
        (
            .test("a sandbox that cannot be read is replaced by force"),
            ["restore.unreadable: --force", "restore.missing: backup", "restore.not_backup: backup"]
        ),
        (
            .reason("on the full disk a restore changes nothing, by force either; with room it is restore.unreadable"),
            ["restore.unreadable_full: --force"]
        ),
        (
            .test("erased cards that a restore brings back go again with the list of erasures"),
            ["restore.no_erasures: --force"]
        ),
    ]

    /// Tokens.
    private static let access: [(PrintedProof, [String])] = [
        (
            .test("a server that no client may ask says how a token is made"),
            ["serve.no_client: {tokenCommand}", "page.token_hint: tokens add"]
        ),
        (
            .test("a server for other machines that no client may ask starts once a token is made"),
            ["listen.no_token: {tokenCommand}"]
        ),
        (
            .test("a token with the name of a webhook sender opens nothing, and the others go on"),
            ["trouble.barred: tokens revoke", "tokens.sender_name: {command}"]
        ),
        (
            .test("a tokens file of another kind is moved away, and a token is made"),
            ["token.file_invalid: tokens add"]
        ),
        (
            .reason("it tells what kind of file is expected, beside the message that says what to do"),
            ["secret.expects_tokens: tokens add"]
        ),
    ]
}
