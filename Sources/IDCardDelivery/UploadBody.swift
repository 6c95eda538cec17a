/// What a delivery is sent as (`delivery.body`).
package enum UploadBody: Hashable, Sendable {
    /// A form, for all layouts.
    case multipart
    /// The image alone, with the texts in headers; for the layout `single`.
    case octetStream(OctetStreamUpload)
}
