import CardModel
import MultipartForm

/// The path of a dialect's request, and its content without the credentials.
struct DialectForm: Sendable {
    /// The path that is used if the configured URL has none.
    let path: String
    let imagePart: String
    /// The text parts that change the reading, in order.
    let options: [(name: String, value: String)]

    /// The options as text: part of the key under which readings are stored, so it depends neither on credentials nor on the time.
    var parameters: String { self.options.map { "\($0.name)=\($0.value)" }.joined(separator: "&") }

    /// Makes the form of one photo.
    ///
    /// The file name is a constant, so that no file name of the user is sent. The boundary is derived from the photo, so it is the
    /// same in every attempt. Signatures, which differ, never contain it: they are Base64, and the boundary has a dash.
    ///
    /// - Throws: `MultipartFormError` with the code `boundary_collision`.
    func form(_ image: PreparedImage, credentials: [MultipartForm.Part]) throws(MultipartFormError) -> MultipartForm {
        var parts = credentials
        parts += self.options.map { .text($0.value, name: $0.name) }
        parts.append(.file(image.jpeg, name: self.imagePart, filename: "idcard.jpg", contentType: "image/jpeg"))
        return try MultipartForm(parts: parts, boundary: .derived(from: image.digest.hexadecimal, absentFrom: parts))
    }
}

extension VerificationDialect {
    /// The form of the dialect's requests, with the sources.
    var form: DialectForm {
        switch self {
        // FaceID v1: `POST /faceid/v1/ocridcard` with the option `legality` and the file part `image`, one side for each photo.
        //
        // Only v3 has `return_portrait`; one public program sends `biz_no`, which no page documents.
        //
        // Source: an integrator's copy of "OCRIDCard v1.0.0" and the public SDK zuochengyao/MegviiFaceID; the vendor's own page
        // was not available. The limits of images are not known for certain; other interfaces of that generation accept files of
        // 2 MB and edges of 4096 pixels.
        case .faceIDv1: DialectForm(path: "/faceid/v1/ocridcard", imagePart: "image", options: [("legality", "1")])
        // FaceID v3 ("OCR V2.0.0"): `POST /faceid/v3/ocridcard` with the file part `image` and no option.
        //
        // The reply always has a legality. The option `return_portrait` adds the portrait, which we do not need.
        //
        // Source: faceid.com/pages/documents/10881005 and faceid.com/faceid-open-doc/docs/idcard-api.html: 200×200 to
        // 8000×8000 pixels, less than 10 MB.
        case .faceIDv3: DialectForm(path: "/faceid/v3/ocridcard", imagePart: "image", options: [])
        // Face++ cardpp v1: `POST /cardpp/v1/ocridcard` with the option `legality` and the file part `image_file`.
        //
        // The alternative parts `image_base64` and `image_url` are not used: the first costs a third more bytes, and the vendor
        // advises against the second. For a key without a licence, all five scores of `legality` are zero.
        //
        // Source: console.faceplusplus.com.cn/documents/5671702, and the demos FacePlusPlus/MegviiIDCard-Android and -iOS: JPEG
        // or PNG of 48×48 to 4096×4096 pixels, 2 MB at most. The whole body has the same limit; above it, the answer is 413.
        case .faceppv1: DialectForm(path: "/cardpp/v1/ocridcard", imagePart: "image_file", options: [("legality", "1")])
        }
    }

    var reply: any DialectReply.Type {
        switch self {
        case .faceIDv1: FaceIDv1Reply.self
        case .faceIDv3: FaceIDv3Reply.self
        case .faceppv1: Faceppv1Reply.self
        }
    }
}
