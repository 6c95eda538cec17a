extension ConfigurationKey {
    /// The names and constants of the business backend's form.
    static let formKeys =
        [
            Self.name("fields.token", "TOKEN", "Name of the field with the TOKEN."),
            Self.name("fields.user_no", "USERNO", "Name of the field with the user account."),
            Self.name("fields.business_type", "BUSINESSTYPE", "Name of the field with the kind of business."),
            Self.name("fields.business_no", "BUSINESSNO", "Name of the field with the business number."),
            Self.name("fields.doctype", "DOCTYPE", "Name of the field with the kind of document."),
            Self.name("fields.file", "FILE", "Name of the part with the image."),
            Self.name("doctype.front", "IDCARD_FRONT_APP", "Kind of document of a front."),
            Self.name("doctype.back", "IDCARD_BACK_APP", "Kind of document of a back."),
            Self.name("filename.front", "IDFrontImage.jpg", "File name of a front."),
            Self.name("filename.back", "IDBackImage.jpg", "File name of a back."),
        ]

    private static func name(_ path: String, _ fallback: String, _ summary: String) -> ConfigurationKey {
        ConfigurationKey("delivery.\(path)", .text, .value(fallback), summary)
    }
}
