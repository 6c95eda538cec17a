import CardModel
import MultipartForm

// Each message stands on one line.
// swift-format-ignore
extension Message {
    static func verifierCredentialEmpty(_ key: String) -> Self { Self("verifier.credential_empty", "\(code: key) is empty; set it to the value of your account with the verifier") }
    static func verifierForm(_ code: MultipartFormError.Code) -> Self { Self("verifier.form", "cannot build the form with the image (\(code)); report this") }

    // MARK: Errors; the error is the vendor's code, with a detail that the vendor lists

    static func verifierAuthentication(_ error: String) -> Self { Self("verifier.authentication", "the verifier refused the API key (\(code: error)); check verification.api_key and verification.api_secret, and for signed requests also this machine's clock") }
    static func verifierAuthorization(_ error: String) -> Self { Self("verifier.authorization", "the verifier does not let this API key use the service (\(code: error)); check the account's balance, quota and permissions") }
    static func verifierPermission(_ error: String) -> Self { Self("verifier.permission", "the API key has no permission for a parameter (\(code: error)); ask the vendor to license the API key for the legality scores") }
    static func verifierConcurrency(_ error: String) -> Self { Self("verifier.concurrency", "the API key has used up its calls per second (\(code: error)), so the pipeline slows down by itself; if this happens often, lower verification.concurrency") }
    static func verifierInterface(_ error: String) -> Self { Self("verifier.interface", "the verifier has no such interface (\(code: error)); check verification.url and verification.dialect") }
    static func verifierArguments(_ error: String) -> Self { Self("verifier.arguments", "the verifier refused the request's arguments (\(code: error)); check verification.dialect and verification.auth; if they are right, report this") }
    static func verifierImageSize(_ error: String) -> Self { Self("verifier.image_size", "the verifier does not accept the size of the image (\(code: error)); the pipeline tries a smaller image once; if that fails, take a new photo") }
    static func verifierFileSize(_ error: String) -> Self { Self("verifier.file_size", "the file is too large for the verifier (\(code: error)); the pipeline tries a smaller image once; to avoid this, lower imaging.byte_budget") }
    static func verifierUndecodable(_ error: String) -> Self { Self("verifier.undecodable", "the verifier cannot decode the image (\(code: error)); take a new photo") }
    static func verifierImageURL(_ error: String) -> Self { Self("verifier.image_url", "the verifier found no image at the URL (\(code: error)); check verification.dialect") }
    static func verifierFailed(_ error: String) -> Self { Self("verifier.failed", "the verifier failed (\(code: error)); if this continues, ask its support") }
    static func verifierUnknownError(_ error: String, _ status: Int) -> Self { Self("verifier.unknown_error", "the verifier answered \(status) with an unknown error (\(code: error)); see the vendor's list of error codes") }

    // MARK: Statuses

    static func verifierTooLarge(_ status: Int) -> Self { Self("verifier.too_large", "the form is too large for the verifier (status \(status)); the pipeline tries a smaller image once; to avoid this, lower imaging.byte_budget") }
    static func verifierThrottled(_ status: Int) -> Self { Self("verifier.throttled", "the verifier asks for fewer calls (status \(status)), so the pipeline slows down by itself; if this happens often, lower verification.concurrency") }
    static func verifierBusy(_ status: Int) -> Self { Self("verifier.busy", "the verifier is busy (status \(status)); the pipeline slows down") }
    static func verifierRedirect(_ status: Int) -> Self { Self("verifier.redirect", "the verifier answered \(status), but the pipeline follows no redirects; set verification.url to where the redirect points") }
    static func verifierAccess(_ status: Int) -> Self { Self("verifier.access", "the verifier answered \(status); check verification.api_key, verification.api_secret and any proxy on the way") }
    static func verifierProxy(_ status: Int) -> Self { Self("verifier.proxy", "a proxy before the verifier asks for credentials (status \(status)); set them in verification.proxy") }
    static func verifierURL(_ status: Int) -> Self { Self("verifier.url", "the verifier answered \(status); check verification.url") }
    static func verifierStatus(_ status: Int) -> Self { Self("verifier.status", "the verifier answered \(status); if this continues, see the log of the service") }
    static func verifierCutOff(_ status: Int, _ count: Int) -> Self { Self("verifier.cut_off", "the verifier answered \(status), but the answer broke off after \(bytes: count); if this happens repeatedly, check the network and any proxy on the way") }

    // MARK: Answers

    static func verifierDialect(_ answered: VerificationDialect, _ configured: VerificationDialect) -> Self { Self("verifier.dialect", "the verifier answers in the dialect \(answered), not in \(configured); check verification.url and verification.dialect") }
    static func verifierUnreadable(_ status: Int, _ count: Int, _ why: Message) -> Self { Self("verifier.unreadable", "cannot read the verifier's answer (status \(status), \(bytes: count)): \(why); if this continues, check verification.url") }
    static func verifierHTML(_ status: Int, _ count: Int, _ dialect: VerificationDialect) -> Self { Self("verifier.html", "the verifier answered with HTML (status \(status), \(bytes: count)), not in the dialect \(dialect); if this continues, check verification.url") }
    static func verifierNoReading(_ status: Int, _ count: Int, _ dialect: VerificationDialect) -> Self { Self("verifier.no_reading", "the verifier's answer (status \(status), \(bytes: count)) is not a reading in the dialect \(dialect); if this continues, check verification.url") }
}
