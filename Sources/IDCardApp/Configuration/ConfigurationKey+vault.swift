extension ConfigurationKey {
    static let vaultKeys = [
        ConfigurationKey(
            "vault.mode",
            .choice(["aes-256-gcm", "none"]),
            .value("aes-256-gcm"),
            "Protection of images and fields in the sandbox; `none`: they lie there unencrypted, and every start warns."
        ),
        ConfigurationKey(
            "vault.key_file",
            .path,
            .computed("$XDG_CONFIG_HOME/idcard-pipeline/vault.key if it exists"),
            "File (mode 0600) with the keys of the sandbox, the current one first; `keys init` makes it. "
                + "`--embedded` has its own, `…/embedded.key`, and makes it."
        ),
        ConfigurationKey(
            "vault.key",
            .text,
            .unset,
            isSecret: true,
            "Key of the sandbox, 32 random bytes in Base64, or several with commas between, the current one first; only "
                + "one of this, `vault.key_file` and `vault.key_command`."
        ),
        ConfigurationKey(
            "vault.key_command",
            .text,
            .unset,
            isSecret: true,
            "Command for `/bin/sh -c` that writes the keys of the sandbox, one a line, the current one first."
        ),
        ConfigurationKey(
            "vault.key_timeout",
            .duration(Self.anyTimeout),
            .value("10s"),
            "Longest time of `vault.key_command`."
        ),
    ]
}
