extension DialectForm {
    /// FaceID v3 ("OCR V2.0.0"): `POST /faceid/v3/ocridcard` with the file part `image` and no option.
    ///
    /// Legality always comes. The option `return_portrait` cuts the portrait out, which nobody here wants.
    ///
    /// Source: faceid.com/pages/documents/10881005 and faceid.com/faceid-open-doc/docs/idcard-api.html: 200×200 to
    /// 8000×8000 pixels, less than 10 MB.
    static let faceIDv3 = DialectForm(
        path: "/faceid/v3/ocridcard",
        imagePart: "image",
        options: [],
        limits: VerificationLimits(minimumEdge: 200, maximumEdge: 8000, maximumFileBytes: 9_999_999)
    )
}
