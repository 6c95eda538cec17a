extension DialectForm {
    /// Face++ cardpp v1: `POST /cardpp/v1/ocridcard` with the option `legality` and the file part `image_file`.
    ///
    /// The parts `image_base64` and `image_url` do the same and are not used: the first costs a third more, of the
    /// second the vendor advises against. A key that has not been paid for gets five zeros for `legality`.
    ///
    /// Source: console.faceplusplus.com.cn/documents/5671702, and the demos FacePlusPlus/MegviiIDCard-Android and -iOS:
    /// JPEG or PNG of 48×48 to 4096×4096 pixels, 2 MB at most. The whole body has the same limit, and answers 413 above
    /// it.
    static let faceppv1 = DialectForm(
        path: "/cardpp/v1/ocridcard",
        imagePart: "image_file",
        options: [("legality", "1")],
        limits: VerificationLimits(minimumEdge: 48, maximumEdge: 4096, maximumFileBytes: 2_000_000)
    )
}
