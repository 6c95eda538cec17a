extension ReasonCode {
    /// What a reason is about, with the reasons and their meanings.
    package typealias Group = (title: String, reasons: [(code: ReasonCode, meaning: Message)])

    /// Every reason that we give for the state of a card or the refusal of an input; a remote's own codes are its own.
    package static let all: [(code: ReasonCode, meaning: Message)] = Self.groups.flatMap(\.reasons)

    package static let groups: [Group] = [
        (
            "The photo",
            Self.meanings([
                .reasonCardNotRecognised,
                .reasonSeveralCards,
                .reasonSideMismatch,
                .reasonReadingAbnormal,
                .reasonLegalityUnavailable,
                .reasonLegalityLow,
                .reasonImageEmpty,
                .reasonImageCorrupt,
                .reasonImageTruncated,
                .reasonImageTooLargeBytes,
                .reasonImageTooManyPixels,
                .reasonImageEdgeTooLong,
                .reasonImageTooManyScans,
                .reasonImageDecodeMemory,
                .reasonImageDecodeTime,
                .reasonImageUnsupportedCoding,
                .reasonImageOverBudget,
                .reasonImageOutOfMemory,
                .reasonImageInternalError,
                .reasonDecoderCrashed,
                .reasonDecoderUnavailable,
                .reasonUnsupportedFormat,
                .reasonStoredImageUnreadable,
            ])
        ),
        (
            "The front",
            Self.meanings([
                .reasonIdNumberMissing,
                .reasonIdNumberMalformed,
                .reasonUnsupportedDocument,
                .reasonIdNumberChecksum,
                .reasonIdNumberRegion,
                .reasonIdNumberBirthDate,
                .reasonBirthDateMismatch,
                .reasonGenderMismatch,
                .reasonNameMissing,
                .reasonNameMasked,
                .reasonEthnicityUnknown,
                .reasonUnderAge,
                .reasonHolderNumberMismatch,
                .reasonHolderNameMismatch,
            ])
        ),
        (
            "The back",
            Self.meanings([
                .reasonValidityUnreadable,
                .reasonValidityStartMissing,
                .reasonValidityEndMissing,
                .reasonValidityNotBegun,
                .reasonExpired,
                .reasonExpiresSoon,
                .reasonValiditySpan,
                .reasonIssuerUnusual,
            ])
        ),
        (
            "Both sides",
            Self.meanings([
                .reasonIssuedBeforeBirth,
                .reasonSpanForAge,
                .reasonSidesIdentical,
                .reasonHolderConflict,
                .reasonMemberMismatch,
            ])
        ),
        (
            "Whose card it is",
            Self.meanings([
                .reasonSubmitterConflict,
                .reasonUserNoMissing,
                .reasonBusinessNoMissing,
                .reasonBusinessNoInvalid,
                .reasonBusinessNoConflict,
                .reasonFieldInvalid,
                .reasonFieldDuplicate,
                .reasonTooManyPhotos,
            ])
        ),
        (
            "Waiting",
            Self.meanings([
                .reasonWaitsForFront,
                .reasonWaitsForBack,
                .reasonWaitsForVerification,
                .reasonWaitsForOlderPhoto,
                .reasonFrontMissing,
                .reasonClockDoubtful,
            ])
        ),
        (
            "Endpoints",
            Self.meanings([
                .reasonRefusedByRemote,
                .reasonAttemptsExhausted,
                .reasonOutcomeUnknown,
                .reasonRetcodeUnlisted,
                .reasonFetchUrlInvalid,
                .reasonFetchSchemeRefused,
                .reasonFetchPortRefused,
                .reasonFetchHostRefused,
                .reasonFetchAddressRefused,
                .reasonFetchRedirectRefused,
                .reasonFetchEncodingRefused,
                .reasonFetchNotAnImage,
                .reasonFetchEmpty,
            ])
        ),
        (
            "Files",
            Self.meanings([
                .reasonSourceUnreadable,
                .reasonSourceChanged,
                .reasonInputNotFound,
                .reasonInputUnreadable,
                .reasonRowConflict,
                .reasonSidecarInvalid,
                .reasonSidecarMissing,
            ])
        ),
        (
            "Ends",
            Self.meanings([
                .reasonDuplicate,
                .reasonSuperseded,
                .reasonRejectedByOperator,
                .reasonRestored,
                .reasonRequested,
                .reasonRetention,
            ])
        ),
    ]

    /// The id of a meaning ends with its code.
    private static func meanings(_ meanings: [Message]) -> [(code: ReasonCode, meaning: Message)] {
        meanings.map { (ReasonCode(rawValue: String($0.id.dropFirst("reason.".count))), $0) }
    }
}
