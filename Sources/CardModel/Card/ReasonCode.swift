/// A stable machine-readable reason for a card's state, such as `holder_conflict`.
///
/// These are ours alone: the remote's own codes (`IMAGE_ERROR_UNSUPPORTED_FORMAT`) stand apart, so that no reply can change
/// what a rule does with a card. What one means for a card or an input stands in `Message.reasons`, so that people and
/// programmers read the same; only the others are explained here.
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
    /// There was no room on the sandbox's disk to take the input in.
    package static let diskSpaceLow = ReasonCode(rawValue: "disk_space_low")
    /// More cards are under way than the sandbox is to hold at a time.
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
    package static let requested = ReasonCode(rawValue: "requested")
    package static let retention = ReasonCode(rawValue: "retention")
    package static let attemptsExhausted = ReasonCode(rawValue: "attempts_exhausted")
    /// Its front is on its way; or none has come yet, and it goes alone when the wait is over.
    package static let waitsForFront = ReasonCode(rawValue: "waits_for_front")
    package static let waitsForBack = ReasonCode(rawValue: "waits_for_back")
    package static let waitsForVerification = ReasonCode(rawValue: "waits_for_verification")
    package static let waitsForOlderPhoto = ReasonCode(rawValue: "waits_for_older_photo")
    /// No front of its number is known, or all have ended undelivered.
    package static let frontMissing = ReasonCode(rawValue: "front_missing")
    package static let fieldInvalid = ReasonCode(rawValue: "field_invalid")
    package static let fieldDuplicate = ReasonCode(rawValue: "field_duplicate")
    package static let businessNumberConflict = ReasonCode(rawValue: "business_no_conflict")
    package static let submitterConflict = ReasonCode(rawValue: "submitter_conflict")
    package static let clockDoubtful = ReasonCode(rawValue: "clock_doubtful")
    package static let retcodeUnlisted = ReasonCode(rawValue: "retcode_unlisted")
    package static let tooManyPhotos = ReasonCode(rawValue: "too_many_photos")
    package static let refusedByRemote = ReasonCode(rawValue: "refused_by_remote")

    /// The keys given do not open the sandbox.
    package static let wrongKey = ReasonCode(rawValue: "wrong_key")
    /// The sandbox holds something that cannot be.
    package static let sandboxDamaged = ReasonCode(rawValue: "sandbox_damaged")
    /// The disk or database refuses to work.
    package static let sandboxUnavailable = ReasonCode(rawValue: "sandbox_unavailable")
    /// Another process holds the sandbox.
    package static let sandboxBusy = ReasonCode(rawValue: "sandbox_busy")
    /// The sandbox belongs to the other kind of endpoints, to an earlier build, or to a newer version.
    package static let wrongSandbox = ReasonCode(rawValue: "wrong_sandbox")
    /// There is no such card, run or sandbox.
    package static let notFound = ReasonCode(rawValue: "not_found")
    /// A card does not stand where a change expects it.
    package static let cardConflict = ReasonCode(rawValue: "card_conflict")
    /// A card is not as the person saw it who decided about it.
    package static let cardMoved = ReasonCode(rawValue: "card_moved")
    /// What a person decided on a page could not be carried out.
    package static let decisionRefused = ReasonCode(rawValue: "decision_refused")
    /// Its sender said something else about the card.
    package static let amended = ReasonCode(rawValue: "amended")
    package static let scopeMissing = ReasonCode(rawValue: "scope_missing")
    /// A purpose names the holder of a card.
    package static let purposePersonal = ReasonCode(rawValue: "purpose_personal")
    /// The name of a request was used for another one before.
    package static let requestReused = ReasonCode(rawValue: "request_reused")

    /// The reason that a person gives for an erasure, such as `requested:holder_request`: it never reads like one of ours.
    ///
    /// `nil` unless it is 1 to 40 letters, digits and _, and no identity number.
    package init?(given code: String) {
        guard code.wholeMatch(of: /[A-Za-z0-9_]{1,40}/) != nil, !IDNumber.isContained(in: code) else { return nil }
        self.init(rawValue: "\(Self.requested):\(code)")
    }

    /// Why a `verified` card waits for something that only a person can give.
    package static let needingAttention: Set<ReasonCode> = [.frontMissing, .userNumberMissing, .imageUnreadable]
    /// Why a `verified` card waits for another card, which has work of its own or needs a person.
    package static let waitingForCard: Set<ReasonCode> = [.waitsForFront, .waitsForOlderPhoto]
}

extension ReasonCode {
    /// What a reason is about, with the reasons and their meanings.
    package typealias Group = (title: String, reasons: [(code: ReasonCode, meaning: Message)])

    /// Every reason that we give for the state of a card or the refusal of an input; a remote's own codes are its own.
    package static let all: [(code: ReasonCode, meaning: Message)] = Self.groups.flatMap(\.reasons)

    package static let groups: [Group] = Message.reasons.map { title, meanings in
        (title, meanings.map { (ReasonCode(rawValue: String($0.id.dropFirst("reason.".count))), $0) })
    }
}
