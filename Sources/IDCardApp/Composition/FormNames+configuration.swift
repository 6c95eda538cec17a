import IDCardDelivery

extension FormNames {
    /// Takes the names and constants of the form from the configuration.
    init(_ delivery: AppConfiguration.Delivery) {
        self.init()
        let form = delivery.form
        self.token = form.token
        self.userNumber = form.userNumber
        self.businessType = form.businessType
        self.businessNumber = form.businessNumber
        self.documentType = form.documentType
        self.file = form.file
        self.businessTypeValue = delivery.businessType
        self.frontDocumentType = form.documentTypes.front
        self.backDocumentType = form.documentTypes.back
        self.frontFilename = form.filenames.front
        self.backFilename = form.filenames.back
    }
}
