import CardEngine
import CardModel
import CardRemote

extension ConfigurationKey {
    static let form: [ConfigurationKey] = [
        ConfigurationKey(
            "delivery.business_type",
            \.backend.form.businessTypeValue,
            .text,
            "BUSINESSTYPE of the form."
        ),
        ConfigurationKey(
            "delivery.doctype.front",
            \.backend.form.frontDocumentType,
            .text,
            "Kind of document of a front."
        ),
        ConfigurationKey(
            "delivery.doctype.back",
            \.backend.form.backDocumentType,
            .text,
            "Kind of document of a back."
        ),
        ConfigurationKey("delivery.filename.front", \.backend.form.frontFilename, .text, "File name of a front."),
        ConfigurationKey("delivery.filename.back", \.backend.form.backFilename, .text, "File name of a back."),
        ConfigurationKey("delivery.fields.token", \.backend.form.token, .text, "Name of the field with the TOKEN."),
        ConfigurationKey(
            "delivery.fields.user_no",
            \.backend.form.userNumber,
            .text,
            "Name of the field with the user account."
        ),
        ConfigurationKey(
            "delivery.fields.business_type",
            \.backend.form.businessType,
            .text,
            "Name of the field with the kind of business."
        ),
        ConfigurationKey(
            "delivery.fields.business_no",
            \.backend.form.businessNumber,
            .text,
            "Name of the field with the business number."
        ),
        ConfigurationKey(
            "delivery.fields.doctype",
            \.backend.form.documentType,
            .text,
            "Name of the field with the kind of document."
        ),
        ConfigurationKey("delivery.fields.file", \.backend.form.file, .text, "Name of the part with the image."),
    ]

    /// What stands before the names of further fields with constant values: `delivery.fields.CHANNEL: app`.
    static let fieldFamily = "delivery.fields."

    static let replies: [ConfigurationKey] = [
        ConfigurationKey(
            "delivery.reply.code",
            \.backend.reply.code,
            .text,
            "Name of the reply's field with the code."
        ),
        ConfigurationKey(
            "delivery.reply.message",
            \.backend.reply.message,
            .text,
            "Name of the reply's field with the text."
        ),
        ConfigurationKey(
            "delivery.reply.items",
            \.backend.reply.items,
            .text,
            "Name of the reply's field with one answer per card."
        ),
        ConfigurationKey(
            "delivery.reply.encryption",
            \.deliverySecrets.replyEncryption,
            .word,
            "How replies are encrypted; they are then Base64 of that."
        ),
        .optional(
            "delivery.reply.key_file",
            \.deliverySecrets.replyKeyFile,
            .path,
            "File (mode 0600) with the key of encrypted replies: 16 bytes, or 24 and more."
        ),
        ConfigurationKey(
            "delivery.reply.iv",
            \.deliverySecrets.replyStartVector,
            .secret,
            "Start vector of 3des-cbc: 8 bytes.",
            default: "that of the convention"
        ),
        ConfigurationKey(
            "delivery.retcode.success",
            \.backend.retcodes.success,
            .codes,
            "RETCODEs of an accepted card."
        ),
        ConfigurationKey(
            "delivery.retcode.already_exists",
            \.backend.retcodes.alreadyExists,
            .codes,
            "RETCODEs of a card that the backend had before; it counts as delivered."
        ),
        ConfigurationKey(
            "delivery.retcode.token_expired",
            \.backend.retcodes.tokenExpired,
            .codes,
            "RETCODEs that say: nothing was applied, a new TOKEN is needed."
        ),
        ConfigurationKey(
            "delivery.retcode.retryable",
            \.backend.retcodes.retryable,
            .codes,
            "RETCODEs that say: send the same later."
        ),
        ConfigurationKey(
            "delivery.retcode.rejected",
            \.backend.retcodes.rejected,
            .codes,
            "RETCODEs of a refused card."
        ),
        ConfigurationKey(
            "delivery.retcode.unlisted",
            \.backend.retcodes.unlisted,
            .word,
            "What happens to a card whose RETCODE is in no list."
        ),
    ]

    static let pace: [ConfigurationKey] = [
        ConfigurationKey(
            "retry.base",
            \.engine.retry.base,
            .duration(.milliseconds(1)...(.seconds(3600))),
            "Upper bound of the first delay after a failure; it doubles with every one, and the delay is drawn below it."
        ),
        ConfigurationKey(
            "retry.cap",
            \.engine.retry.cap,
            .duration(.milliseconds(1)...(.seconds(86_400))),
            "Upper bound of every delay."
        ),
        ConfigurationKey(
            "stop.probe_interval",
            \.engine.probeInterval,
            .duration(.seconds(1)...(.seconds(86_400))),
            "Longest rest of a stopped stage before it tries one card."
        ),
        ConfigurationKey(
            "run.patience",
            \.engine.patience,
            .duration(.zero...(.seconds(86_400))),
            "How long a run waits for cards that are to be repeated later."
        ),
        ConfigurationKey(
            "run.shutdown_timeout",
            \.engine.shutdownTimeout,
            .duration(.zero...(.seconds(3600))),
            "How long calls under way may go on after SIGINT or SIGTERM."
        ),
    ]
}
