/// The names and constants of the business backend's form; no document defines them but the backend's own.
package struct FormNames: Hashable, Sendable, Codable {
    /// The part that carries the TOKEN.
    package var token = "TOKEN"
    /// The part that carries the user account.
    package var userNumber = "USERNO"
    /// The part that carries the kind of business.
    package var businessType = "BUSINESSTYPE"
    /// The part that carries the business number.
    package var businessNumber = "BUSINESSNO"
    /// The part that carries the kind of document.
    package var documentType = "DOCTYPE"
    /// The file part.
    package var file = "FILE"
    /// The kind of business (`delivery.business_type`).
    package var businessTypeValue = "LOAN_APPLY"
    /// The kind of document of a front.
    package var frontDocumentType = "IDCARD_FRONT_APP"
    /// The kind of document of a back.
    package var backDocumentType = "IDCARD_BACK_APP"
    /// The file name of a front.
    package var frontFilename = "IDFrontImage.jpg"
    /// The file name of a back.
    package var backFilename = "IDBackImage.jpg"
    /// The content type of the files.
    package var contentType = "image/jpeg"

    /// Takes the names and constants of the original flow.
    package init() {}
}
