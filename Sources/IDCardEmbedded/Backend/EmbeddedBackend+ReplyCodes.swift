extension EmbeddedBackend {
    /// The values of RETCODE, all with HTTP status 200. Anything a client cannot read at all is an HTTP error instead.
    ///
    /// | code | default | meaning | what the sender does |
    /// |---|---|---|---|
    /// | ``success`` | `000000` | stored | nothing more |
    /// | ``alreadyExists`` | `000001` | stored before for this side and business number | takes it as success |
    /// | ``tokenExpired`` | `100001` | TOKEN is no longer good; nothing stored | sends with a new TOKEN and key |
    /// | ``tokenUnknown`` | `100002` | TOKEN never was good | corrects its configuration |
    /// | ``layoutInvalid`` | `200001` | the parts are not those of a layout in their order | is wrong |
    /// | ``fieldInvalid`` | `200002` | a field has a value that is not allowed | is wrong |
    /// | ``imageInvalid`` | `200003` | FILE is not the JPEG that DOCTYPE announces | is wrong |
    /// | ``partlyRefused`` | `200010` | some documents were stored and others refused: see ITEMS | looks into ITEMS |
    /// | ``notApplied`` | `900001` | in ITEMS: not stored, because another document was refused | sends it again |
    ///
    /// An upload of several documents is answered with ITEMS, too: one code for each, in their order.
    package struct ReplyCodes: Sendable {
        /// Stored.
        package var success = "000000"
        /// Stored before, under another key.
        package var alreadyExists = "000001"
        /// The TOKEN is no longer good.
        package var tokenExpired = "100001"
        /// The TOKEN never was good.
        package var tokenUnknown = "100002"
        /// Parts are missing, too many, or in another order.
        package var layoutInvalid = "200001"
        /// A field's value is not allowed.
        package var fieldInvalid = "200002"
        /// The file is not the JPEG announced.
        package var imageInvalid = "200003"
        /// Some documents were stored and others refused.
        package var partlyRefused = "200010"
        /// Not stored, because another document of the same application was refused.
        package var notApplied = "900001"

        /// The defaults.
        package init() {}
    }
}

extension EmbeddedBackend.ReplyCodes {
    /// The code for a form or a document that is refused for what it holds.
    func code(for reason: Submission.Refusal.Reason) -> String {
        switch reason {
        case .layout: self.layoutInvalid
        case .field: self.fieldInvalid
        case .image: self.imageInvalid
        }
    }
}
