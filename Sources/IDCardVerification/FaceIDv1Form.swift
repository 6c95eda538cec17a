extension DialectForm {
    /// FaceID v1: `POST /faceid/v1/ocridcard` with the option `legality` and the file part `image`, one side a photo.
    ///
    /// `return_portrait` belongs to v3 only; `biz_no` is sent by one public program and documented nowhere.
    ///
    /// Source: an integrator's copy of "OCRIDCard v1.0.0" and the public SDK zuochengyao/MegviiFaceID; the vendor's own
    /// page was not to be had. Limits of images are not confirmed; the sister interfaces of that generation take files
    /// of 2 MB, edges of 4096 pixels, and bodies of 2 MB.
    static let faceIDv1 = DialectForm(
        path: "/faceid/v1/ocridcard",
        imagePart: "image",
        options: [("legality", "1")],
        limits: VerificationLimits()
    )
}
