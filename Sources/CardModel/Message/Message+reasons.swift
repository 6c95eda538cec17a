// Each message stands on one line.
// swift-format-ignore
extension Message {
    // What each reason means, in the order of the page.

    // MARK: The photo

    static let reasonCardNotRecognised = Self("reason.card_not_recognised", "The verifier saw no identity card; take the photo again.")
    static let reasonSeveralCards = Self("reason.several_cards", "The photo shows several cards, or both sides; photograph one side of one card.")
    static let reasonSideMismatch = Self("reason.side_mismatch", "The photo shows the other side than the one given; send the right side, or correct the side.")
    static let reasonReadingAbnormal = Self("reason.reading_abnormal", "The verifier calls something on the card abnormal; look at the photo.")
    static let reasonLegalityUnavailable = Self("reason.legality_unavailable", "The verifier gave no genuineness scores; see whether the account is licensed for them.")
    static let reasonLegalityLow = Self("reason.legality_low", "The genuineness score is below the threshold: a copy, a screen, an edited photo; photograph the card itself.")
    static let reasonImageEmpty = Self("reason.image_empty", "The file is empty; supply the photo again.")
    static let reasonImageCorrupt = Self("reason.image_corrupt", "The image is damaged; supply the original file.")
    static let reasonImageTruncated = Self("reason.image_truncated", "The image is cut off; supply the whole file.")
    static let reasonImageTooLargeBytes = Self("reason.image_too_large_bytes", "The file has more bytes than imaging.max_source_bytes; supply a smaller one.")
    static let reasonImageTooManyPixels = Self("reason.image_too_many_pixels", "The image has more pixels than imaging.max_pixels; supply a smaller one.")
    static let reasonImageEdgeTooLong = Self("reason.image_edge_too_long", "The image is wider or higher than libjpeg can decode; supply a smaller one.")
    static let reasonImageTooManyScans = Self("reason.image_too_many_scans", "The JPEG has more scans than a camera writes; save it as baseline JPEG.")
    static let reasonImageDecodeMemory = Self("reason.image_decode_memory", "Decoding the image takes too much memory; supply a smaller one.")
    static let reasonImageDecodeTime = Self("reason.image_decode_time", "Decoding the image took too long, each time; supply a smaller one.")
    static let reasonImageUnsupportedCoding = Self("reason.image_unsupported_coding", "The JPEG or PNG is of a kind that is not supported; save it as baseline JPEG.")
    static let reasonImageOverBudget = Self("reason.image_over_budget", "The image cannot be made as small as imaging.byte_budget; raise it.")
    static let reasonImageOutOfMemory = Self("reason.image_out_of_memory", "There was no memory to decode the image, each time; give the process more.")
    static let reasonImageInternalError = Self("reason.image_internal_error", "The decoder failed; supply the photo in another format.")
    static let reasonDecoderCrashed = Self("reason.decoder_crashed", "Decoding the image brings the decoder down; supply the photo in another format.")
    static let reasonDecoderUnavailable = Self("reason.decoder_unavailable", "The child process that decodes could not be started; see the log.")
    static let reasonUnsupportedFormat = Self("reason.unsupported_format", "The file is no JPEG or PNG; export it as one.")
    static let reasonStoredImageUnreadable = Self("reason.stored_image_unreadable", "The stored image is missing or damaged; import the photo again.")

    // MARK: The front

    static let reasonIdNumberMissing = Self("reason.id_number_missing", "The verifier read no identity number; take a sharper photo.")
    static let reasonIdNumberMalformed = Self("reason.id_number_malformed", "The identity number has not 17 digits and a check character; take a sharper photo.")
    static let reasonUnsupportedDocument = Self("reason.unsupported_document", "The number belongs to another document; photograph a resident identity card.")
    static let reasonIdNumberChecksum = Self("reason.id_number_checksum", "The check character of the identity number is wrong; take a sharper photo.")
    static let reasonIdNumberRegion = Self("reason.id_number_region", "The identity number begins with an unknown region; take a sharper photo.")
    static let reasonIdNumberBirthDate = Self("reason.id_number_birth_date", "The identity number holds an impossible birth date; take a sharper photo.")
    static let reasonBirthDateMismatch = Self("reason.birth_date_mismatch", "The printed birth date is not that of the number; take a sharper photo.")
    static let reasonGenderMismatch = Self("reason.gender_mismatch", "The printed gender is not that of the number; take a sharper photo.")
    static let reasonNameMissing = Self("reason.name_missing", "The verifier read no name; take a sharper photo.")
    static let reasonNameMasked = Self("reason.name_masked", "The verifier masks the name; ask the provider for full fields.")
    static let reasonEthnicityUnknown = Self("reason.ethnicity_unknown", "The ethnicity is none of the 56; compare the reading with the card.")
    static let reasonUnderAge = Self("reason.under_age", "The holder is younger than the rules allow.")
    static let reasonHolderNumberMismatch = Self("reason.holder_number_mismatch", "The card has another identity number than the expected one.")
    static let reasonHolderNameMismatch = Self("reason.holder_name_mismatch", "The card has another name than the expected one.")

    // MARK: The back

    static let reasonValidityUnreadable = Self("reason.validity_unreadable", "The validity period cannot be read; take a sharper photo.")
    static let reasonValidityStartMissing = Self("reason.validity_start_missing", "The verifier read no start of the validity period; compare it with the card.")
    static let reasonValidityEndMissing = Self("reason.validity_end_missing", "The verifier read no end of the validity period; look at the photo.")
    static let reasonValidityNotBegun = Self("reason.validity_not_begun", "The validity period has not begun; take a sharper photo.")
    static let reasonExpired = Self("reason.expired", "The card has expired; photograph the new one.")
    static let reasonExpiresSoon = Self("reason.expires_soon", "The card expires soon; ask the holder for the new one in time.")
    static let reasonValiditySpan = Self("reason.validity_span", "The validity period is not 5, 10 or 20 years or 长期; compare it with the card.")
    static let reasonIssuerUnusual = Self("reason.issuer_unusual", "The issuer does not read like one; compare it with the card.")

    // MARK: Both sides

    static let reasonIssuedBeforeBirth = Self("reason.issued_before_birth", "The card was issued before the holder was born; see whether front and back belong together.")
    static let reasonSpanForAge = Self("reason.span_for_age", "The validity period does not fit the holder's age; see whether front and back belong together.")
    static let reasonSidesIdentical = Self("reason.sides_identical", "Front and back are the same photo; take the other side.")
    static let reasonHolderConflict = Self("reason.holder_conflict", "The fronts of the number name different persons; reject the wrong one.")
    static let reasonMemberMismatch = Self("reason.member_mismatch", "The cards of one form name different user accounts; correct them.")

    // MARK: Whose card it is

    static let reasonSubmitterConflict = Self("reason.submitter_conflict", "Another submitter sent the first card of the number; accept or reject this one.")
    static let reasonUserNoMissing = Self("reason.user_no_missing", "Neither the card nor the configuration names a user account; give one.")
    static let reasonBusinessNoMissing = Self("reason.business_no_missing", "No source gives a business number; give one.")
    static let reasonBusinessNoInvalid = Self("reason.business_no_invalid", "The business number cannot be one; correct it.")
    static let reasonBusinessNoConflict = Self("reason.business_no_conflict", "Two sources of the photo name different business numbers; correct one of them.")
    static let reasonFieldInvalid = Self("reason.field_invalid", "A field has a value that cannot be used; correct it.")
    static let reasonFieldDuplicate = Self("reason.field_duplicate", "A field is given twice; give it once.")
    static let reasonTooManyPhotos = Self("reason.too_many_photos", "There are more photos of the number than a case has; look at them.")

    // MARK: Waiting

    static let reasonWaitsForFront = Self("reason.waits_for_front", "The back waits for its front.")
    static let reasonWaitsForBack = Self("reason.waits_for_back", "The front waits for its back, so that both go together.")
    static let reasonWaitsForVerification = Self("reason.waits_for_verification", "Another card of the number is still to be verified.")
    static let reasonWaitsForOlderPhoto = Self("reason.waits_for_older_photo", "An older photo of the side is being delivered.")
    static let reasonFrontMissing = Self("reason.front_missing", "No front of the number is left that could be delivered; send it, or let the back go alone.")
    static let reasonClockDoubtful = Self("reason.clock_doubtful", "A date rule refuses the card by a clock that may be wrong; correct the clock.")

    // MARK: Endpoints

    static let reasonRefusedByRemote = Self("reason.refused_by_remote", "The endpoint refused the card; its own code is shown in place of this one.")
    static let reasonAttemptsExhausted = Self("reason.attempts_exhausted", "All attempts failed; mend the cause, then retry.")
    static let reasonOutcomeUnknown = Self("reason.outcome_unknown", "A delivery may have arrived; ask the backend, then decide.")
    static let reasonRetcodeUnlisted = Self("reason.retcode_unlisted", "The backend answered with a code that delivery.retcode does not list; list it, then retry.")
    static let reasonFetchUrlInvalid = Self("reason.fetch_url_invalid", "The address of the image is no URL; correct it.")
    static let reasonFetchSchemeRefused = Self("reason.fetch_scheme_refused", "The address of the image has a scheme that is not allowed; use https.")
    static let reasonFetchPortRefused = Self("reason.fetch_port_refused", "The address of the image has a port that is not allowed.")
    static let reasonFetchHostRefused = Self("reason.fetch_host_refused", "Images are not fetched from this host; list it in fetch.hosts.")
    static let reasonFetchAddressRefused = Self("reason.fetch_address_refused", "The host of the image has an address that is not allowed.")
    static let reasonFetchRedirectRefused = Self("reason.fetch_redirect_refused", "The host redirects where nothing is fetched from.")
    static let reasonFetchEncodingRefused = Self("reason.fetch_encoding_refused", "The host sends the image in an encoding that is not supported.")
    static let reasonFetchNotAnImage = Self("reason.fetch_not_an_image", "The host sent no image.")
    static let reasonFetchEmpty = Self("reason.fetch_empty", "The host sent nothing.")

    // MARK: Files

    static let reasonSourceUnreadable = Self("reason.source_unreadable", "The file cannot be read; check its rights.")
    static let reasonSourceChanged = Self("reason.source_changed", "The file changed while it was read; import it again.")
    static let reasonInputNotFound = Self("reason.input_not_found", "There is no such file or folder.")
    static let reasonInputUnreadable = Self("reason.input_unreadable", "The folder cannot be read; check its rights.")
    static let reasonRowConflict = Self("reason.row_conflict", "Two rows of the manifest say different things of one photo; correct one.")
    static let reasonSidecarInvalid = Self("reason.sidecar_invalid", "The JSON beside the photo cannot be used; correct it.")
    static let reasonSidecarMissing = Self("reason.sidecar_missing", "The photo lacks the JSON that watch.sidecar asks for.")

    // MARK: Ends

    static let reasonDuplicate = Self("reason.duplicate", "The same bytes are there already under the number.")
    static let reasonSuperseded = Self("reason.superseded", "A newer photo of the side took its place.")
    static let reasonRejectedByOperator = Self("reason.rejected_by_operator", "A person rejected the card.")
    static let reasonRestored = Self("reason.restored", "The card came back from a backup, and what became of it since is not known; ask the backend, then decide.")
    static let reasonRequested = Self("reason.requested", "A person asked for the card to be erased.")
    static let reasonRetention = Self("reason.retention", "The card was kept for as long as its retention allows.")
}
