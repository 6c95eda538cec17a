import CardModel
import MultipartForm

/// What a dialect's request holds beside the credentials, and where it goes.
struct DialectForm: Sendable {
    /// The path that is appended to a URL without one.
    let path: String
    let imagePart: String
    /// The text parts that change what is read, in order.
    let options: [(name: String, value: String)]

    /// The options in words: part of the key under which readings are kept. Credentials are no part of it, nor is the
    /// clock.
    var parameters: String { self.options.map { "\($0.name)=\($0.value)" }.joined(separator: "&") }

    /// Makes the form of one photo.
    ///
    /// The file name is made up, so that none of the user's goes out. The boundary is derived from the photo: it is the
    /// same at every attempt, and holds a dash, as no Base64 does, so that a signature never makes it collide.
    ///
    /// - Throws: `MultipartFormError` with the code `boundary_collision`.
    func form(
        _ image: PreparedImage,
        credentials: [MultipartForm.Part]
    ) throws(MultipartFormError) -> MultipartForm {
        var parts = credentials
        parts += self.options.map { .text($0.value, name: $0.name) }
        parts.append(.file(image.jpeg, name: self.imagePart, filename: "idcard.jpg", contentType: "image/jpeg"))
        return try MultipartForm(
            parts: parts,
            boundary: .derived(from: image.digest.hexadecimal, absentFrom: parts)
        )
    }
}

extension VerificationDialect {
    /// What its requests hold, with where that is documented.
    var form: DialectForm {
        switch self {
        // FaceID v1: `POST /faceid/v1/ocridcard` with the option `legality` and the file part `image`, one side a photo.
        //
        // `return_portrait` belongs to v3 only; `biz_no` is sent by one public program and documented nowhere.
        //
        // Source: an integrator's copy of "OCRIDCard v1.0.0" and the public SDK zuochengyao/MegviiFaceID; the vendor's own
        // page was not to be had. Limits of images are not confirmed; the sister interfaces of that generation take files
        // of 2 MB and edges of 4096 pixels.
        case .faceIDv1: DialectForm(path: "/faceid/v1/ocridcard", imagePart: "image", options: [("legality", "1")])
        // FaceID v3 ("OCR V2.0.0"): `POST /faceid/v3/ocridcard` with the file part `image` and no option.
        //
        // Legality always comes. The option `return_portrait` cuts the portrait out, which nobody here wants.
        //
        // Source: faceid.com/pages/documents/10881005 and faceid.com/faceid-open-doc/docs/idcard-api.html: 200×200 to
        // 8000×8000 pixels, less than 10 MB.
        case .faceIDv3: DialectForm(path: "/faceid/v3/ocridcard", imagePart: "image", options: [])
        // Face++ cardpp v1: `POST /cardpp/v1/ocridcard` with the option `legality` and the file part `image_file`.
        //
        // The parts `image_base64` and `image_url` do the same and are not used: the first costs a third more, of the
        // second the vendor advises against. A key that has not been paid for gets five zeros for `legality`.
        //
        // Source: console.faceplusplus.com.cn/documents/5671702, and the demos FacePlusPlus/MegviiIDCard-Android and -iOS:
        // JPEG or PNG of 48×48 to 4096×4096 pixels, 2 MB at most. The whole body has the same limit, and answers 413 above
        // it.
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
