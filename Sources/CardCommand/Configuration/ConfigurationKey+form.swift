import CardEngine
import CardModel
import CardRemote

extension ConfigurationKey {
    static let form: [ConfigurationKey] = [
        ConfigurationKey("delivery.business_type", \.backend.form.businessTypeValue, .text)
            .means("BUSINESSTYPE of the form."),
        ConfigurationKey("delivery.doctype.front", \.backend.form.frontDocumentType, .text)
            .means("Kind of document of a front."),
        ConfigurationKey("delivery.doctype.back", \.backend.form.backDocumentType, .text)
            .means("Kind of document of a back."),
        ConfigurationKey("delivery.filename.front", \.backend.form.frontFilename, .text)
            .means("File name of a front."),
        ConfigurationKey("delivery.filename.back", \.backend.form.backFilename, .text)
            .means("File name of a back."),
        ConfigurationKey("delivery.fields.token", \.backend.form.token, .text)
            .means("Name of the field with the TOKEN."),
        ConfigurationKey("delivery.fields.user_no", \.backend.form.userNumber, .text)
            .means("Name of the field with the user account."),
        ConfigurationKey("delivery.fields.business_type", \.backend.form.businessType, .text)
            .means("Name of the field with the kind of business."),
        ConfigurationKey("delivery.fields.business_no", \.backend.form.businessNumber, .text)
            .means("Name of the field with the business number."),
        ConfigurationKey("delivery.fields.doctype", \.backend.form.documentType, .text)
            .means("Name of the field with the kind of document."),
        ConfigurationKey("delivery.fields.file", \.backend.form.file, .text)
            .means("Name of the part with the image."),
    ]

    /// What stands before the names of further fields with constant values: `delivery.fields.CHANNEL: app`.
    static let fieldFamily = "delivery.fields."

    static let replies: [ConfigurationKey] = [
        ConfigurationKey("delivery.reply.code", \.backend.reply.code, .text)
            .means("Name of the reply's field with the code."),
        ConfigurationKey("delivery.reply.message", \.backend.reply.message, .text)
            .means("Name of the reply's field with the text."),
        ConfigurationKey("delivery.reply.items", \.backend.reply.items, .text)
            .means("Name of the reply's field with one answer per card."),
        ConfigurationKey("delivery.reply.encryption", \.deliverySecrets.replyEncryption, .word)
            .means("How replies are encrypted; they are then Base64 of that."),
        .optional("delivery.reply.key_file", \.deliverySecrets.replyKeyFile, .path)
            .means("File (mode 0600) with the key of encrypted replies: 16 bytes, or 24 and more."),
        ConfigurationKey("delivery.reply.iv", \.deliverySecrets.replyStartVector, .secret)
            .defaults(to: "that of the convention")
            .means("Start vector of 3des-cbc: 8 bytes."),
        ConfigurationKey("delivery.retcode.success", \.backend.retcodes.success, .codes)
            .means("RETCODEs of an accepted card."),
        ConfigurationKey("delivery.retcode.already_exists", \.backend.retcodes.alreadyExists, .codes)
            .means("RETCODEs of a card that the backend had before; it counts as delivered."),
        ConfigurationKey("delivery.retcode.token_expired", \.backend.retcodes.tokenExpired, .codes)
            .means("RETCODEs that say: nothing was applied, a new TOKEN is needed."),
        ConfigurationKey("delivery.retcode.retryable", \.backend.retcodes.retryable, .codes)
            .means("RETCODEs that say: send the same later."),
        ConfigurationKey("delivery.retcode.rejected", \.backend.retcodes.rejected, .codes)
            .means("RETCODEs of a refused card."),
        ConfigurationKey("delivery.retcode.unlisted", \.backend.retcodes.unlisted, .word)
            .means("What happens to a card whose RETCODE is in no list."),
    ]

    static let pace: [ConfigurationKey] = [
        ConfigurationKey("retry.base", \.engine.retry.base, .duration(.milliseconds(1)...(.seconds(3600))))
            .means(
                "Upper bound of the first delay after a failure; it doubles with every one, and the delay is drawn below it."
            ),
        ConfigurationKey("retry.cap", \.engine.retry.cap, .duration(.milliseconds(1)...(.seconds(86_400))))
            .means("Upper bound of every delay."),
        ConfigurationKey("stop.probe_interval", \.engine.probeInterval, .duration(.seconds(1)...(.seconds(86_400))))
            .means("Longest rest of a stopped stage before it tries one card."),
        ConfigurationKey("run.patience", \.engine.patience, .duration(.zero...(.seconds(86_400))))
            .means("How long a run waits for cards that are to be repeated later."),
        ConfigurationKey("run.shutdown_timeout", \.engine.shutdownTimeout, .duration(.zero...(.seconds(3600))))
            .means("How long calls under way may go on after SIGINT or SIGTERM."),
    ]
}
