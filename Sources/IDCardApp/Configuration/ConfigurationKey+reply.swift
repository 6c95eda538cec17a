extension ConfigurationKey {
    static let retcodeKeys = [
        ConfigurationKey("delivery.retcode.success", .list, .value("000000"), "RETCODEs that mean: accepted."),
        ConfigurationKey(
            "delivery.retcode.already_exists",
            .list,
            .value(""),
            "RETCODEs that mean: the backend had it before; counts as delivered."
        ),
        ConfigurationKey(
            "delivery.retcode.token_expired",
            .list,
            .value(""),
            "RETCODEs that mean: not applied, a new TOKEN is needed."
        ),
        ConfigurationKey(
            "delivery.retcode.retryable",
            .list,
            .value(""),
            "RETCODEs that mean: try again later."
        ),
        ConfigurationKey(
            "delivery.retcode.rejected",
            .list,
            .value(""),
            "RETCODEs that mean: this card is refused. Every other one is a refusal, too, but may stop delivery."
        ),
    ]

    static let replyKeys = [
        ConfigurationKey(
            "delivery.reply.encryption",
            .choice(["none", "3des-cbc", "3des-ecb"]),
            .value("none"),
            "How replies are encrypted; they are then Base64 of that, perhaps within a JSON string."
        ),
        ConfigurationKey(
            "delivery.reply.key",
            .text,
            .unset,
            isSecret: true,
            "Key of encrypted replies: 16 or at least 24 bytes; either this or `delivery.reply.key_file`."
        ),
        ConfigurationKey(
            "delivery.reply.key_file",
            .path,
            .unset,
            "File (mode 0600) that holds the key of encrypted replies."
        ),
        ConfigurationKey(
            "delivery.reply.iv",
            .fixedText(bytes: 8),
            .value("01234567"),
            "Initialisation vector of `3des-cbc`."
        ),
        ConfigurationKey("delivery.reply.code", .text, .value("RETCODE"), "Name of the reply's field with the code."),
        ConfigurationKey("delivery.reply.message", .text, .value("RETMSG"), "Name of the reply's field with the text."),
        ConfigurationKey(
            "delivery.reply.items",
            .text,
            .value("ITEMS"),
            "Name of the reply's field with one answer per card, in the layout `batch`."
        ),
    ]
}
