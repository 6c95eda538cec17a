/// A stable machine-readable reason for a card's state, such as `holder_conflict`. Codes of a remote
/// (`IMAGE_ERROR_UNSUPPORTED_FORMAT`) are stored apart, since rules act on reason codes: a reply must not be able to imitate one.
/// `Message.reasons` explains the codes of cards and inputs; comments explain the rest.
package struct ReasonCode: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }

    package var description: String { self.rawValue }

    package static let businessNumberMissing = ReasonCode(rawValue: "business_no_missing")
    package static let businessNumberInvalid = ReasonCode(rawValue: "business_no_invalid")
    package static let sourceUnreadable = ReasonCode(rawValue: "source_unreadable")
    package static let sourceChanged = ReasonCode(rawValue: "source_changed")
    package static let sourceTooLarge = ReasonCode(rawValue: "image_too_large_bytes")
    package static let unsupportedFormat = ReasonCode(rawValue: "unsupported_format")
    package static let decoderCrashed = ReasonCode(rawValue: "decoder_crashed")
    /// The sandbox's disk had no room for the input.
    package static let diskSpaceLow = ReasonCode(rawValue: "disk_space_low")
    /// More cards are in progress than the sandbox may hold at a time.
    package static let queueFull = ReasonCode(rawValue: "queue_full")
    package static let duplicate = ReasonCode(rawValue: "duplicate")
    package static let imageUnreadable = ReasonCode(rawValue: "stored_image_unreadable")
    package static let userNumberMissing = ReasonCode(rawValue: "user_no_missing")
    package static let holderConflict = ReasonCode(rawValue: "holder_conflict")
    package static let outcomeUnknown = ReasonCode(rawValue: "outcome_unknown")
    package static let restored = ReasonCode(rawValue: "restored")
    package static let superseded = ReasonCode(rawValue: "superseded")
    package static let takenEarlier = ReasonCode(rawValue: "taken_earlier")
    package static let rejectedByOperator = ReasonCode(rawValue: "rejected_by_operator")
    /// A photo came after a reviewer had ended its case.
    package static let caseRejected = ReasonCode(rawValue: "case_rejected")
    /// The business number names a person.
    package static let businessNumberPersonal = ReasonCode(rawValue: "business_no_personal")
    /// A person said that a delivered front shows another person than the customer.
    package static let holderDisowned = ReasonCode(rawValue: "holder_disowned")
    package static let requested = ReasonCode(rawValue: "requested")
    package static let retention = ReasonCode(rawValue: "retention")
    package static let attemptsExhausted = ReasonCode(rawValue: "attempts_exhausted")
    /// The front is in progress; or no front has come yet, and the back is sent alone when the wait is over.
    package static let waitsForFront = ReasonCode(rawValue: "waits_for_front")
    package static let waitsForBack = ReasonCode(rawValue: "waits_for_back")
    package static let waitsForVerification = ReasonCode(rawValue: "waits_for_verification")
    package static let waitsForOlderPhoto = ReasonCode(rawValue: "waits_for_older_photo")
    /// No front of the back's number is known, or none was delivered and none is in progress.
    package static let frontMissing = ReasonCode(rawValue: "front_missing")
    package static let fieldInvalid = ReasonCode(rawValue: "field_invalid")
    package static let fieldDuplicate = ReasonCode(rawValue: "field_duplicate")
    package static let businessNumberConflict = ReasonCode(rawValue: "business_no_conflict")
    package static let submitterConflict = ReasonCode(rawValue: "submitter_conflict")
    package static let clockDoubtful = ReasonCode(rawValue: "clock_doubtful")
    package static let retcodeUnlisted = ReasonCode(rawValue: "retcode_unlisted")
    /// The cards of a delivery name different user accounts, so they do not belong into one form.
    package static let memberMismatch = ReasonCode(rawValue: "member_mismatch")
    package static let tooManyPhotos = ReasonCode(rawValue: "too_many_photos")
    package static let refusedByRemote = ReasonCode(rawValue: "refused_by_remote")

    /// None of the given keys unseals the sandbox.
    package static let wrongKey = ReasonCode(rawValue: "wrong_key")
    /// The sandbox holds inconsistent data.
    package static let sandboxDamaged = ReasonCode(rawValue: "sandbox_damaged")
    /// The disk or database refuses to work.
    package static let sandboxUnavailable = ReasonCode(rawValue: "sandbox_unavailable")
    /// Another process uses the sandbox.
    package static let sandboxBusy = ReasonCode(rawValue: "sandbox_busy")
    /// The sandbox is one for the other kind of endpoints, built-in or real, or of an earlier build or newer version.
    package static let wrongSandbox = ReasonCode(rawValue: "wrong_sandbox")
    /// There is no such card, run or sandbox.
    package static let notFound = ReasonCode(rawValue: "not_found")
    /// A card is not in the state that a change expects.
    package static let cardConflict = ReasonCode(rawValue: "card_conflict")
    /// A card changed after the person who decided about it saw it.
    package static let cardMoved = ReasonCode(rawValue: "card_moved")
    /// A decision made on a page could not be carried out.
    package static let decisionRefused = ReasonCode(rawValue: "decision_refused")
    /// The submitter changed the metadata of the card.
    package static let amended = ReasonCode(rawValue: "amended")
    package static let scopeMissing = ReasonCode(rawValue: "scope_missing")
    /// A purpose names the holder of a card.
    package static let purposePersonal = ReasonCode(rawValue: "purpose_personal")
    /// An earlier, different request had the same name.
    package static let requestReused = ReasonCode(rawValue: "request_reused")

    /// Creates a person's reason for an erasure, such as `requested:holder_request`, which equals no other code. `nil` unless
    /// `code` is 1 to 40 letters, digits and _, without an identity number.
    package init?(given code: String) {
        guard code.wholeMatch(of: /[A-Za-z0-9_]{1,40}/) != nil, !IDNumber.isContained(in: code) else { return nil }
        self.init(rawValue: "\(Self.requested):\(code)")
    }

    /// Reasons why a `verified` card waits for something that only its submitter can give.
    package static let needingAttention: Set<ReasonCode> = [.frontMissing, .userNumberMissing, .imageUnreadable]
    /// Reasons that a person gave for a rejection: only a person takes them back.
    package static let byPerson: Set<ReasonCode> = Set(RetakeReason.allCases.map(\.code)).union([.rejectedByOperator])
    /// Those by which a reviewer ends a case: no other photo is wanted under its number.
    package static let endingCase: Set<ReasonCode> = [.rejectedByOperator, RetakeReason.number.code]
    /// Events of which only callers learn who see all cards: they name persons, or say what a reviewer suspects.
    package static let forReviewers: Set<ReasonCode> = [.decisionRefused, .holderDisowned]
    /// Reasons why a card is held before it is verified, until a person lets it in.
    package static let letInByPerson: Set<ReasonCode> = [.submitterConflict, .caseRejected]
    /// Reasons why the backend may have a held card.
    package static let perhapsDelivered: Set<ReasonCode> = [.outcomeUnknown, .restored, .retcodeUnlisted]
    /// Reasons why a `verified` card waits for another card, which has work of its own or needs a person.
    package static let waitingForCard: Set<ReasonCode> = [.waitsForFront, .waitsForOlderPhoto]
}

extension ReasonCode {
    /// A topic with its reasons and their meanings.
    package typealias Group = (title: String, reasons: [(code: ReasonCode, meaning: Message)])

    /// Every reason for the state of a card or the refusal of an input, without the codes of remotes.
    package static let all: [(code: ReasonCode, meaning: Message)] = Self.groups.flatMap(\.reasons)

    /// The meaning of a reason that a person gave; the person's own words are for reviewers.
    package var meaningByPerson: Message? {
        Self.byPerson.contains(self) ? Self.all.first { $0.code == self }?.meaning : nil
    }

    package static let groups: [Group] = Message.reasons.map { title, meanings in
        (title, meanings.map { (ReasonCode(rawValue: String($0.id.dropFirst("reason.".count))), $0) })
    }
}
