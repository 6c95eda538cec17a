import IDCardCore

extension ConfigurationChecks {
    /// What a person should know about a configuration that works.
    var notices: [ConfigurationNotice] {
        self.addressNotices + self.tlsNotices + self.timeNotices + self.imagingNotices + self.limitNotices
            + self.deliveryNotices + self.unusedNotices + self.vaultNotices
    }

    private var addressNotices: [ConfigurationNotice] {
        ["verification.url", "delivery.url"].compactMap { key in
            guard let url = self.values.find(key, \.url) else { return nil }
            if self.embedded { return .warning(key: key, "\(key) is not used with --embedded") }
            guard url.isPlainText, !url.isLoopback else { return nil }
            return .warning(
                key: key,
                "\(key) is an http address of another machine: photos, personal data and credentials can be read on "
                    + "the way; use https"
            )
        }
    }

    private var timeNotices: [ConfigurationNotice] {
        guard let patience = self.values.find("run.patience", \.duration) else { return [] }
        return ["verification.timeout", "delivery.timeout", "retry.cap"].compactMap { key in
            guard let duration = self.values.find(key, \.duration), duration > patience else { return nil }
            return .warning(
                key: "run.patience",
                "run.patience (\(DurationText.render(patience))) is shorter than \(key) "
                    + "(\(DurationText.render(duration))): `run` may end with work that only waits"
            )
        }
    }

    private var imagingNotices: [ConfigurationNotice] {
        guard let budget = self.values.find("imaging.byte_budget", \.integer), budget > 1_990_000 else { return [] }
        let key = "imaging.byte_budget"
        return [
            .warning(
                key: key,
                "\(key) is above 1990000: with the form around it, services that take 2 MB may refuse images"
            )
        ]
    }

    private var deliveryNotices: [ConfigurationNotice] {
        guard !self.embedded else { return [] }
        var notices: [ConfigurationNotice] = []
        if self.values.find("delivery.on_unknown", \.text) == "resend" {
            notices.append(
                .note(
                    key: "delivery.on_unknown",
                    "delivery.on_unknown is resend: the business backend must honour the header Idempotency-Key, or a "
                        + "delivery whose reply is lost may be stored twice; otherwise set it to hold"
                )
            )
        }
        if self.values.find("delivery.retcode.token_expired", \.list) == [] {
            notices.append(
                .note(
                    key: "delivery.retcode.token_expired",
                    "delivery.retcode.token_expired is empty: a reply that asks for a new TOKEN counts as a refusal of "
                        + "the card, until stop.equal_refusals of them in a row stop delivery"
                )
            )
        }
        return notices
    }

    private var vaultNotices: [ConfigurationNotice] {
        guard self.values.find("vault.mode", \.text) == "none" else { return self.vaultPlaceNotices }
        return [.warning(key: "vault.mode", SandboxOpening.warning)]
    }

    /// A key that goes wherever the sandbox goes opens every copy of it.
    private var vaultPlaceNotices: [ConfigurationNotice] {
        guard let key = self.values.find("vault.key_file", \.text),
            let sandbox = self.values.find("sandbox.path", \.text),
            key.hasPrefix(sandbox + "/")
        else { return [] }
        return [
            .warning(
                key: "vault.key_file",
                "vault.key_file lies in the sandbox: whoever has a copy of the folder has the key too; move it elsewhere"
            )
        ]
    }
}
