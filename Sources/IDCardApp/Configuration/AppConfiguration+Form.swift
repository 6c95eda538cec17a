extension AppConfiguration.Delivery {
    /// The names and constants of the form (`delivery.fields`, `delivery.doctype`, `delivery.filename`).
    package struct Form: Hashable, Sendable {
        /// One text for each side of a card.
        package struct Sides: Hashable, Sendable {
            /// For a front.
            package let front: String
            /// For a back.
            package let back: String
        }

        /// Field with the TOKEN (`delivery.fields.token`).
        package let token: String
        /// Field with the user account (`delivery.fields.user_no`).
        package let userNumber: String
        /// Field with the kind of business (`delivery.fields.business_type`).
        package let businessType: String
        /// Field with the business number (`delivery.fields.business_no`).
        package let businessNumber: String
        /// Field with the kind of document (`delivery.fields.doctype`).
        package let documentType: String
        /// Part with the image (`delivery.fields.file`).
        package let file: String
        /// Kinds of document (`delivery.doctype`).
        package let documentTypes: Sides
        /// File names (`delivery.filename`).
        package let filenames: Sides

        init(_ values: ResolvedConfiguration) {
            let text = { (path: String) in values.require("delivery.\(path)", \.text) }
            self.token = text("fields.token")
            self.userNumber = text("fields.user_no")
            self.businessType = text("fields.business_type")
            self.businessNumber = text("fields.business_no")
            self.documentType = text("fields.doctype")
            self.file = text("fields.file")
            self.documentTypes = Sides(front: text("doctype.front"), back: text("doctype.back"))
            self.filenames = Sides(front: text("filename.front"), back: text("filename.back"))
        }
    }
}
