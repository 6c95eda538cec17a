import Glibc

// Each message is on one line.
// swift-format-ignore
extension Message {
    // MARK: Texts without a sentence

    /// A word, number or sentence, unchanged.
    package static func textVerbatim(_ text: String) -> Self { Self("text.verbatim", "\(code: text)") }
    /// The same for personal data, free text or a secret.
    package static func textPersonal(_ text: Redacted<String>) -> Self { Self("text.personal", "\(text)") }
    /// The system's text for one of its errors.
    package static func textSystemError(_ code: Int32) -> Self { Self("text.system_error", "\(errno: code)") }
    /// A text after the same words in every language, such as columns.
    package static func textBehind(_ start: String, _ text: Message) -> Self { Self("text.behind", "\(code: start)\(text)") }
    package static func textAll(_ texts: [Message]) -> Self { Self("text.all", "\(texts)") }
    package static func textNamed(_ name: Redacted<String>, _ text: Message) -> Self { Self("text.named", "\(name): \(text)") }
    package static func textLabelled(_ label: String, _ text: Message) -> Self { Self("text.labelled", "\(code: label): \(text)") }

    /// The name of a language in the language itself.
    static let languageName = Self("language.name", "English")

    // MARK: Files

    static func fileExists(_ path: String) -> Self { Self("file.exists", "cannot write \(Redacted(path)): it exists; remove it or choose another path") }
    static func fileNotWritten(_ path: String, _ error: Int32) -> Self { Self("file.not_written", "cannot write \(Redacted(path)): \(errno: error); check the path, its owner and the free space") }
    static let fileArchive = Self("file.archive", "the file is an archive; unpack it and supply the JPEG or PNG photo in it")
    static let fileGzip = Self("file.gzip", "the file is compressed with gzip; decompress it (gunzip) and supply the JPEG or PNG photo in it")
    package static let fileWorkbook = Self("file.workbook", "the file is a workbook; save it as CSV UTF-8 and supply that as the manifest")
    static let fileOffice = Self("file.office", "the file is an office document; save the picture in it as JPEG or PNG and supply that")
    static let fileBase64 = Self("file.base64", "the file is an image as Base64 text; decode it and supply the JPEG or PNG photo")
    static let fileGitLFS = Self("file.git_lfs", "the file is a Git LFS pointer; fetch the JPEG or PNG photo: git lfs pull")
    static let fileEncrypted = Self("file.encrypted", "the file is encrypted by data loss prevention; export the photo as JPEG or PNG from a program that opens it")
    package static let fileTextMode = Self("file.text_mode", "the image was copied as text, which damaged it; copy the JPEG or PNG photo again in binary mode")
    static let fileZeros = Self("file.zeros", "the file holds only zeros, as after a broken copy; copy the photo again")
    static let fileWebPage = Self("file.web_page", "the file is a web page or XML, such as a server's error or login page; download the photo itself")
    static let fileVideo = Self("file.video", "the file is a video or an unsupported image format; supply a JPEG or PNG photo of the card")
    static let fileUnknown = Self("file.unknown", "the file is in no known image format; supply a JPEG or PNG photo of the card")
    static let filePDF = Self("file.pdf", "the file is a PDF document; export its page as JPEG or PNG and supply that")
    static let fileHEIC = Self("file.heic", "the file is a HEIC image; export it as JPEG or PNG and supply that, and set the phone to take JPEG (iPhone: Settings, Camera, Formats, Most Compatible)")
    static func fileUnsupportedFormat(_ format: ImageFormat) -> Self { Self("file.unsupported_format", "the file is a \(code: format.displayName) image; export it as JPEG or PNG and supply that") }

    // MARK: Files with secrets

    static func secretOpenMounted(_ path: String, mode: String) -> Self { Self("secret.open_mounted", "others can read or change \(Redacted(path)) (mode \(code: mode)); set its mode to 0440 and its group to one that this process belongs to (in Kubernetes: defaultMode 0440 and fsGroup)") }
    static func secretOpen(_ path: String, mode: String) -> Self { Self("secret.open", "others can read or change \(Redacted(path)) (mode \(code: mode)); run: chmod 600 \(Redacted(path))") }
    static func secretForeign(_ path: String, user: uid_t) -> Self { Self("secret.foreign", "\(Redacted(path)) belongs to another user, who can change it; run: chown \(user) \(Redacted(path))") }

    // MARK: Business numbers

    static let businessNumberEmpty = Self("business_number.empty", "the business number is empty; give the number of the case")
    static let businessNumberTooLong = Self("business_number.too_long", "the business number is longer than \(count: BusinessNumber.maximumLength) code points; give only the number of the case")
    static let businessNumberInvisible = Self("business_number.invisible", "the business number holds invisible characters (a line break, a byte order mark, a direction mark, a private-use character); remove them or type the number by hand")
    static let businessNumberDigest = Self("business_number.digest", "a business number of ~ and 16 hexadecimal digits stands for one that is erased; give the number of the case")
    static let businessNumberHoldsIdentityNumber = Self("business_number.holds_identity_number", "the business number holds an identity number, but business numbers are stored unencrypted; give the number of the case")

    // MARK: Submitted fields

    static func fieldSpreadsheet(_ field: SubmittedField) -> Self { Self("field.spreadsheet", "\(field) is not a real value, but what a spreadsheet or a program writes for a missing or damaged one (1.23E+15, 123.0, #N/A, nan, =\"00123\", {{number}}, **12); format the column as text, enter the values again, and export the file again") }
    static let fieldSide = Self("field.side", "side is neither front (人像面) nor back (国徽面); give one of the two, or leave side out; 正面 and 反面 may mean either side")
    static let fieldPriority = Self("field.priority", "priority is not a whole number from -1000000 to 1000000; give one or leave it out")
    static func fieldLostDigits(_ field: SubmittedField) -> Self { Self("field.lost_digits", "\(field) has lost its last digits: it ends in 000, and its check character is wrong; a spreadsheet keeps only 15 digits of a number; format the column as text, enter the numbers again, and export the file again") }
    static func fieldNotIdentityNumber(_ field: SubmittedField) -> Self { Self("field.not_identity_number", "\(field) is not an identity number: the number is masked, is cut off or has a wrong character; no card would match it; give the whole number or leave the field out") }
    static func fieldNameMasked(_ field: SubmittedField) -> Self { Self("field.name_masked", "\(field) is masked, so no card would match it; give the whole name or leave it out") }
    static func fieldTooLong(_ field: SubmittedField) -> Self { Self("field.too_long", "\(field) is longer than 256 code points; give only the value") }
    static func fieldInvisible(_ field: SubmittedField) -> Self { Self("field.invisible", "\(field) holds invisible characters; remove them or type the value by hand") }

    // MARK: Verdict

    static let verdictNumberMalformed = Self("verdict.number_malformed", "the identity number does not have 17 digits and a check character; take a sharper photo")
    static let verdictFirstGeneration = Self("verdict.first_generation", "the identity number has 15 digits, so the card is of the first generation, which is no longer valid; photograph the holder's current card")
    static let verdictUnsupportedDocument = Self("verdict.unsupported_document", "the number belongs to another document (a residence permit); photograph a resident identity card")
    static let verdictNumberChecksum = Self("verdict.number_checksum", "the check character of the identity number is wrong; take a sharper photo or check the card")
    static let verdictNumberRegion = Self("verdict.number_region", "the identity number starts with an unknown region; take a sharper photo")
    static let verdictNumberBirthDate = Self("verdict.number_birth_date", "the identity number holds an impossible birth date; take a sharper photo or check the card")
    static let verdictValidityMissing = Self("verdict.validity_missing", "the verifier read no validity period; take a sharper photo")
    static func verdictValidityUnreadable(_ printed: Redacted<String>) -> Self { Self("verdict.validity_unreadable", "the validity period (\(printed)) is neither two dates nor a date and 长期; compare it with the card and take a sharper photo") }
    static let verdictNotBegun = Self("verdict.not_begun", "the validity period has not begun; take a sharper photo or check the card")
    static let verdictValidityEndMissing = Self("verdict.validity_end_missing", "the verifier read no end of the validity period, so the card may have expired; look at the photo")
    static let verdictExpired = Self("verdict.expired", "the card has expired; photograph the holder's new card")
    static let verdictExpiresSoon = Self("verdict.expires_soon", "the card expires within \(count: Limits.daysOfNotice) days; ask the holder for the new card when this one expires")
    static let verdictValidityStartMissing = Self("verdict.validity_start_missing", "the verifier read no start of the validity period; compare the reading with the card")
    static let verdictValiditySpan = Self("verdict.validity_span", "the validity period is not 5, 10 or 20 years or 长期; compare the reading with the card")
    static let verdictIssuerMissing = Self("verdict.issuer_missing", "the verifier read no issuing authority; compare the reading with the card")
    static let verdictIssuer = Self("verdict.issuer", "the issuing authority is not a police authority (公安); compare the reading with the card")
    static let verdictNumberMissing = Self("verdict.number_missing", "the verifier read no identity number; take a sharper photo")
    static let verdictNumberBirthFuture = Self("verdict.number_birth_future", "the identity number holds a birth date in the future; take a sharper photo or check the card")
    static let verdictNameMissing = Self("verdict.name_missing", "the verifier read no name; take a sharper photo")
    static func verdictNameLong(_ count: Int) -> Self { Self("verdict.name_long", "the name has \(count: count) characters, more than \(count: Limits.charactersOfName); take a sharper photo") }
    static let verdictNameMasked = Self("verdict.name_masked", "a character of the name is masked or unreadable; if it is unreadable, take a sharper photo; if it is masked, have the verifier return whole names")
    static let verdictBirthDateMismatch = Self("verdict.birth_date_mismatch", "the printed birth date differs from the identity number; take a sharper photo or check the card")
    static let verdictGenderMismatch = Self("verdict.gender_mismatch", "the printed gender differs from the identity number; take a sharper photo or check the card")
    static func verdictUnderAge(_ minimumAge: Int) -> Self { Self("verdict.under_age", "the holder is younger than \(count: minimumAge) years (verdict.min_age); send the card again when the holder has that age") }
    static let verdictEthnicity = Self("verdict.ethnicity", "the ethnic group is not one of the 56 of GB 3304-91; compare the reading with the card")
    static let verdictExpectedNumberMalformed = Self("verdict.expected_number_malformed", "the expected identity number is malformed, so no card can match it; correct the expected number")
    static let verdictHolderNumber = Self("verdict.holder_number", "the identity number on the card is not the expected one; photograph the holder's own card or correct the expected number")
    static let verdictHolderName = Self("verdict.holder_name", "the name on the card is not the expected one; photograph the holder's own card or correct the expected name")
    static let verdictIssuedBeforeBirth = Self("verdict.issued_before_birth", "according to the back, the card was issued before the holder on the front was born; check that front and back belong to the same card")
    static let verdictSpanForAge = Self("verdict.span_for_age", "the validity period on the back does not fit the age of the holder on the front; check that front and back belong to the same card")
    static let verdictIssuerElsewhere = Self("verdict.issuer_elsewhere", "no place that the issuing authority on the back names stands in the address on the front; check that front and back belong to the same card")
    static func verdictSeveralCards(_ count: Int, expected side: CardSide) -> Self { Self("verdict.several_cards", "the photo shows \(count: count) cards; exactly one of them should show the expected side (\(side)), but none or several do; photograph one side of one card") }
    static func verdictSeveralCardsNoSide(_ count: Int) -> Self { Self("verdict.several_cards_no_side", "the photo shows \(count: count) cards, and no expected side is given, so it is unclear which card counts; photograph one side of one card") }
    static func verdictSideMismatch(_ side: CardSide, expected: CardSide) -> Self { Self("verdict.side_mismatch", "the photo shows the other side (\(side)), not the expected one (\(expected)); photograph the expected side or correct the metadata") }
    static let verdictLegalityUnavailable = Self("verdict.legality_unavailable", "the verifier gave no legality scores; ask the vendor to license the API key for these scores, or set verdict.severity.legality_unavailable to warn; after that, run: idcard-pipeline cards retry ID")
    static func verdictLegalityLow(_ legality: Legality, _ threshold: Double) -> Self { Self("verdict.legality_low", "the card does not look like an original: the score \(code: Legality.genuine) is \(legality.genuineScore), but must be at least \(threshold); the highest score of another class is: \(code: legality.strongestOtherClass ?? "-"); photograph the card itself, not a copy or a screen") }
    static let verdictAbnormal = Self("verdict.abnormal", "the verifier found something abnormal on the card (unclear, covered or altered); take a new photo in good light")
    static let verdictCardNotRecognised = Self("verdict.card_not_recognised", "the verifier recognised no identity card in the photo; take a new photo of the whole card")
    static let verdictSidesIdentical = Self("verdict.sides_identical", "the front and the back are the same image; take one photo of each side")

    // MARK: Deciding

    static func applicationDifferentHolders(_ card: CardID) -> Self { Self("application.different_holders", "the fronts of this business number name different persons; compare the cards (idcard-pipeline cards show \(card)); if one person is the customer, run for a front of that person: idcard-pipeline cards resolve ID --as holder; the fronts of others are then rejected, and the rest continue; if all belong here, accept one card after the other: the same command with --as accept") }

    static let applicationEnded = Self("application.ended", "a reviewer ended the case before this card was delivered")

    // MARK: What a reviewer may do

    static let reviewPass = Self("review.pass", "Pass and send")
    static let reviewOneCard = Self("review.one_card", "One card: pass both")
    static let reviewLetIn = Self("review.let_in", "Let in, then verify")
    static let reviewSendAlone = Self("review.send_alone", "Send alone")
    static let reviewBothBelong = Self("review.both_belong", "Both belong here: pass this")
    static let reviewTakeBack = Self("review.take_back", "Take the return back")
    static let reviewNumberRight = Self("review.number_right", "The number is right")
    static let reviewReturnNumber = Self("review.return_number", "Return for another number")
    static let reviewReturn = Self("review.return", "Return for retake…")
    static let reviewReject = Self("review.reject", "Reject…")
    static let reviewNotOfPerson = Self("review.not_of_person", "Not this person's…")
    static func reviewHolder(_ person: Int) -> Self { Self("review.holder", "Person \(count: person) is the customer") }
    static let reviewDelivered = Self("review.delivered", "The backend has it")
    static let reviewResend = Self("review.resend", "Repeat with the same key")
    static let reviewAnew = Self("review.anew", "It lacks it: send as new")
    static let reviewUsePhoto = Self("review.use_photo", "Use this photo")
    static let reviewJudgeByList = Self("review.judge_by_list", "Judge by the list")
    static let reviewRetry = Self("review.retry", "Verify or send again")

    // MARK: Operators; behind "cannot change card N: "

    static let operatorRejected = Self("operator.rejected", "a person rejected this card for good; send a new photo instead")
    static func operatorRetryState(_ state: CardState) -> Self { Self("operator.retry_state", "the state is \(state); only a failed, rejected, held or superseded card can be retried") }
    static func operatorMayBeDelivered(_ card: CardID, or decisions: [String]) -> Self { Self("operator.may_be_delivered", "the backend may have the card; look in the backend; if the card is there, run: idcard-pipeline cards resolve \(card) --as delivered; if not, run the same command with \(codes: decisions) (only --as reject sends nothing)") }
    static func operatorSentAgain(_ card: CardID) -> Self { Self("operator.sent_again", "the backend may have the card, and its delivery is sent again without a retry; if the card is in the backend, run: idcard-pipeline cards resolve \(card) --as delivered; if it must not be sent, run the same command with --as reject") }
    static func operatorDecide(_ card: CardID) -> Self { Self("operator.decide", "a person must decide; look at the card, then: idcard-pipeline cards resolve \(card) --as accept (or --as reject)") }
    static let operatorCaseEnded = Self("operator.case_ended", "a reviewer ended its case, so nothing more of it is sent")
    static let operatorReplaced = Self("operator.replaced", "a newer photo of the same side replaced this card")
    static let operatorImageDropped = Self("operator.image_dropped", "the card is delivered and its image is no longer stored; send a new photo if the backend needs one")
    static let operatorNoImage = Self("operator.no_image", "the image could not be used; send a new photo instead")
    static func operatorRejectState(_ state: CardState) -> Self { Self("operator.reject_state", "the state is \(state); only a card that failed, is held for a decision or was rejected by a rule can be rejected") }
    static func operatorRetakeState(_ state: CardState) -> Self { Self("operator.retake_state", "the state is \(state); only a card that failed, or is held for a decision after its verification, can go back for a retake") }
    static func operatorAnewState(_ card: CardID) -> Self { Self("operator.anew_state", "the card is not held because the backend may have it, so it has no other key to be sent under; show what may be done: idcard-pipeline cards show \(card)") }
    static let operatorNoDispute = Self("operator.no_dispute", "the fronts of its case do not name several persons, or this card names none of them; there is nothing to decide")
    static func operatorListed(_ card: CardID) -> Self { Self("operator.listed", "a list of delivery.retcode has the code that the backend answered by now; have the card judged by the list: idcard-pipeline cards retry \(card)") }
    static func operatorUnlisted(_ card: CardID, _ code: String, or decisions: [String]) -> Self { Self("operator.unlisted", "the backend may have the card: it answered with the RETCODE \(code: code), which no list of delivery.retcode has; list the code and retry the card, or look in the backend; if the card is there, run: idcard-pipeline cards resolve \(card) --as delivered; if not, run the same command with \(codes: decisions) (only --as reject sends nothing)") }
    static func operatorDeliveredState(_ state: CardState) -> Self { Self("operator.delivered_state", "the state is \(state); only a card that was sent can be resolved as delivered") }
    static func operatorNeverSent(_ card: CardID) -> Self { Self("operator.never_sent", "the card was never sent; decide with: idcard-pipeline cards resolve \(card) --as accept (or --as reject)") }
    static func operatorNeverSentFailed(_ card: CardID) -> Self { Self("operator.never_sent_failed", "the card was never sent; to send it, run: idcard-pipeline cards retry \(card)") }
    static func operatorNothingToResend(_ card: CardID) -> Self { Self("operator.nothing_to_resend", "no stored delivery of the card can be sent again; if the backend does not have the card, run: idcard-pipeline cards resolve \(card) --as anew") }
    static func operatorNothingToResendFailed(_ card: CardID) -> Self { Self("operator.nothing_to_resend_failed", "no stored delivery of the card can be sent again; to send the card, run: idcard-pipeline cards retry \(card)") }
    static func operatorResendState(_ state: CardState) -> Self { Self("operator.resend_state", "the state is \(state); only a held card can be sent again") }
    static func operatorStillUnlisted(_ code: String) -> Self { Self("operator.still_unlisted", "no list of delivery.retcode has the RETCODE \(code: code) that the backend answered; add it to the right list, for example to \(code: RetcodeTable.Meaning.success.key) if it means success, then retry the card") }
    static let operatorNewerSent = Self("operator.newer_sent", "a newer photo of the same side was already sent, so this card can no longer be sent; if the backend has this card, resolve it with --as delivered, otherwise with --as reject")
    static func operatorAcceptState(_ state: CardState) -> Self { Self("operator.accept_state", "the state is \(state); only a card that is held for a decision can be accepted") }
    static func operatorNotVerified(_ card: CardID) -> Self { Self("operator.not_verified", "the card was not verified yet; retry it: idcard-pipeline cards retry \(card)") }
    static let operatorNoSide = Self("operator.no_side", "the verifier saw neither side of a card in the photo; reject the card with --as reject")
    static func operatorSeenState(_ state: CardState) -> Self { Self("operator.seen_state", "the state is \(state); only a card that needs a person can be marked as seen") }
    static let operatorUnderWay = Self("operator.under_way", "an attempt is under way; wait until it ends")
    static func operatorRefused(_ card: CardID, _ why: Message) -> Self { Self("operator.refused", "cannot change card \(card): \(why)") }

    // MARK: Files in PEM; behind the key of the configuration

    static func pemEncrypted(_ path: String) -> Self { Self("pem.encrypted", "the key in \(Redacted(path)) has a passphrase; take it off: openssl pkey -in \(Redacted(path)) -out plain.key") }
    static func pemPKCS12(_ path: String) -> Self { Self("pem.pkcs12", "\(Redacted(path)) is in PKCS#12 (.p12, .pfx), not in PEM; convert it: openssl pkcs12 -in \(Redacted(path)) -nodes -out plain.pem") }
    static func pemKeyDER(_ path: String) -> Self { Self("pem.key_der", "the key in \(Redacted(path)) is in DER, not in PEM; convert it: openssl pkey -inform DER -in \(Redacted(path)) -out plain.key") }
    static func pemCertificateDER(_ path: String) -> Self { Self("pem.certificate_der", "the certificate in \(Redacted(path)) is in DER, not in PEM; convert it: openssl x509 -inform DER -in \(Redacted(path)) -out plain.pem") }
}
