extension ConfigurationKey {
    /// What holds for images wherever they are taken in from files.
    static let intakeKeys = [
        ConfigurationKey(
            Self.businessNumberRulePath,
            .text,
            .value("folder"),
            """
            What in the path of an image is its business number if nothing else gives one: `folder` (directly below the named \
            one), `folder:LEVEL`, `root`, `pattern:REGEX` or `none`; for `watch`, `sources`, and `run` without `--business-no-from`.
            """
        )
    ]

    /// The path of the key that says which part of a path is a business number.
    static let businessNumberRulePath = "intake.business_no_from"
}
