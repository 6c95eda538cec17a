import IDCardCore

extension ConfigurationChecks {
    /// Keys that somebody changed and that do nothing beside the others.
    var unusedNotices: [ConfigurationNotice] {
        guard !self.embedded else { return self.unusedOfVault }
        return self.unusedOfVerification + self.unusedOfDelivery + self.unusedOfReplies + self.unusedOfVault
    }

    private var unusedOfVault: [ConfigurationNotice] {
        self.unused(
            ["vault.key_file", "vault.key", "vault.key_command", "vault.key_timeout"],
            when: self.values.find("vault.mode", \.text) == "none",
            "vault.mode is none"
        )
            + self.unused(
                ["vault.key_timeout"],
                when: self.values.find("vault.mode", \.text) != "none"
                    && self.values["vault.key_command"].map { $0.value == nil } ?? false,
                "vault.key_command is not set"
            )
    }

    private var unusedOfVerification: [ConfigurationNotice] {
        self.unused(["verification.sign_lifetime"], unless: "verification.auth", is: "sign")
            + self.unused(
                [ConfigurationKey.severityPath(of: .underAge)],
                when: self.values.find("verdict.min_age", \.integer) == 0,
                "verdict.min_age is 0"
            )
            + self.unused(
                [ConfigurationKey.severityPath(of: .expiresSoon)],
                when: self.values.find("verdict.expiry_notice_days", \.integer) == 0,
                "verdict.expiry_notice_days is 0"
            )
    }

    private var unusedOfDelivery: [ConfigurationNotice] {
        let batch = ["batch_max_cards", "batch_max_bytes", "batch_wait", "reply.items"].map { "delivery.\($0)" }
        let form = ["fields.file", "filename.front", "filename.back"].map { "delivery.\($0)" }
        return self.unused(batch, unless: "delivery.layout", is: "batch")
            + self.unused(["delivery.header_prefix"], unless: "delivery.body", is: "octet-stream")
            + self.unused(form, unless: "delivery.body", is: "multipart")
            + self.unused(
                ["delivery.token_timeout"],
                when: self.values["delivery.token_command"].map { $0.value == nil } ?? false,
                "delivery.token_command is not set"
            )
    }

    private var unusedOfReplies: [ConfigurationNotice] {
        self.unused(
            ["delivery.reply.key", "delivery.reply.key_file"],
            when: self.values.find("delivery.reply.encryption", \.text) == "none",
            "delivery.reply.encryption is none"
        ) + self.unused(["delivery.reply.iv"], unless: "delivery.reply.encryption", is: "3des-cbc")
    }

    /// Notes the keys that only one word of another key gives a meaning; nothing if that could not be read.
    private func unused(_ paths: [String], unless key: String, is word: String) -> [ConfigurationNotice] {
        let isOther = self.values.find(key, \.text).map { $0 != word } ?? false
        return self.unused(paths, when: isOther, "\(key) is not \(word)")
    }

    private func unused(_ paths: [String], when isUnused: Bool, _ reason: String) -> [ConfigurationNotice] {
        guard isUnused else { return [] }
        return paths.filter(self.values.isChanged).map { .note(key: $0, "\($0) is not used: \(reason)") }
    }
}
