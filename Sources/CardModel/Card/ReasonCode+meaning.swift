extension ReasonCode {
    /// What a reason is about, with the reasons and their meanings.
    package typealias Group = (title: String, reasons: [(code: ReasonCode, meaning: Message)])

    /// Every reason that we give for the state of a card or the refusal of an input; a remote's own codes are its own.
    package static let all: [(code: ReasonCode, meaning: Message)] = Self.groups.flatMap(\.reasons)

    // swift-format-ignore
    package static let groups: [Group] = [
        Self.group("The photo", [
            .reasonCardNotRecognised, .reasonSeveralCards, .reasonSideMismatch, .reasonReadingAbnormal,
            .reasonLegalityUnavailable, .reasonLegalityLow, .reasonImageEmpty, .reasonImageCorrupt,
            .reasonImageTruncated, .reasonImageTooLargeBytes, .reasonImageTooManyPixels, .reasonImageEdgeTooLong,
            .reasonImageTooManyScans, .reasonImageDecodeMemory, .reasonImageDecodeTime,
            .reasonImageUnsupportedCoding, .reasonImageOverBudget, .reasonImageOutOfMemory,
            .reasonImageInternalError, .reasonDecoderCrashed, .reasonDecoderUnavailable, .reasonUnsupportedFormat,
            .reasonStoredImageUnreadable,
        ]),
        Self.group("The front", [
            .reasonIdNumberMissing, .reasonIdNumberMalformed, .reasonUnsupportedDocument, .reasonIdNumberChecksum,
            .reasonIdNumberRegion, .reasonIdNumberBirthDate, .reasonBirthDateMismatch, .reasonGenderMismatch,
            .reasonNameMissing, .reasonNameMasked, .reasonEthnicityUnknown, .reasonUnderAge,
            .reasonHolderNumberMismatch, .reasonHolderNameMismatch,
        ]),
        Self.group("The back", [
            .reasonValidityUnreadable, .reasonValidityStartMissing, .reasonValidityEndMissing,
            .reasonValidityNotBegun, .reasonExpired, .reasonExpiresSoon, .reasonValiditySpan, .reasonIssuerUnusual,
        ]),
        Self.group("Both sides", [
            .reasonIssuedBeforeBirth, .reasonSpanForAge, .reasonSidesIdentical, .reasonHolderConflict,
            .reasonMemberMismatch,
        ]),
        Self.group("Whose card it is", [
            .reasonSubmitterConflict, .reasonUserNoMissing, .reasonBusinessNoMissing, .reasonBusinessNoInvalid,
            .reasonBusinessNoConflict, .reasonFieldInvalid, .reasonFieldDuplicate, .reasonTooManyPhotos,
        ]),
        Self.group("Waiting", [
            .reasonWaitsForFront, .reasonWaitsForBack, .reasonWaitsForVerification, .reasonWaitsForOlderPhoto,
            .reasonFrontMissing, .reasonClockDoubtful,
        ]),
        Self.group("Endpoints", [
            .reasonRefusedByRemote, .reasonAttemptsExhausted, .reasonOutcomeUnknown, .reasonRetcodeUnlisted,
            .reasonFetchUrlInvalid, .reasonFetchSchemeRefused, .reasonFetchPortRefused, .reasonFetchHostRefused,
            .reasonFetchAddressRefused, .reasonFetchRedirectRefused, .reasonFetchEncodingRefused,
            .reasonFetchNotAnImage, .reasonFetchEmpty,
        ]),
        Self.group("Files", [
            .reasonSourceUnreadable, .reasonSourceChanged, .reasonInputNotFound, .reasonInputUnreadable,
            .reasonRowConflict, .reasonSidecarInvalid, .reasonSidecarMissing,
        ]),
        Self.group("Ends", [
            .reasonDuplicate, .reasonSuperseded, .reasonRejectedByOperator, .reasonRestored, .reasonRequested,
            .reasonRetention,
        ]),
    ]

    /// The id of a meaning ends with its code.
    private static func group(_ title: String, _ meanings: [Message]) -> Group {
        (title, meanings.map { (ReasonCode(rawValue: String($0.id.dropFirst("reason.".count))), $0) })
    }
}
