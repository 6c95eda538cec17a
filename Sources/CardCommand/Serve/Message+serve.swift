import CardModel

// Each message stands on one line.
// swift-format-ignore
extension Message {
    // MARK: The service

    static func serveNoTokenAccepted(_ reason: Message) -> Self { Self("serve.no_token_accepted", "no token is accepted: \(reason)") }
    static func serveNoClient(_ tokenCommand: String) -> Self { Self("serve.no_client", "no client has access yet; make a token (\(Redacted(tokenCommand))) or set webhooks.secrets") }
    static func serveListening(_ value: String) -> Self { Self("serve.listening", "listening on \(code: value); end with Ctrl-C") }
    static func serveSourceFailed(_ source: String, _ reason: Message) -> Self { Self("serve.source_failed", "cannot read the source \(code: source): \(reason)") }
    static func serveSecretsStay(_ reason: Message) -> Self { Self("serve.secrets_stay", "cannot load the new webhook secrets, so the old ones stay in use: \(reason)") }
    static func serveCertificateStays(_ reason: Message) -> Self { Self("serve.certificate_stays", "cannot load the new certificate, so the old one stays in use: \(reason)") }

    // MARK: Tokens

    static func tokensSenderName(_ key: String, _ name: String, _ command: String) -> Self { Self("tokens.sender_name", "\(code: key): a token and a webhook sender (webhooks.secrets) both have the name \(code: name), so their cards would be mixed; revoke the token: \(Redacted(command))") }
    static func tokensFileOwner(_ user: Int) -> Self { Self("tokens.file_owner", "the file belongs to user \(user), but its folder belongs to root; move the file into a folder that belongs to this user, set server.tokens_file to the new path, then run this command again") }
    static let tokensTooLong = Self("tokens.too_long", "the file would become too long; revoke tokens that are no longer used")
    static func tokensFile(_ key: String, _ path: String, _ reason: Message) -> Self { Self("tokens.file", "\(code: key): \(Redacted(path)): \(reason)") }
    static let tokensNoScope = Self("tokens.no_scope", "--scope is missing; name what the token may do")
    static func tokensUnknownScope(_ scope: String) -> Self { Self("tokens.unknown_scope", "unknown --scope \(code: scope); known are \(code: TokenScope.known)") }
    static let tokensDays = Self("tokens.days", "--days must be a number from 0 to 3650 (0: valid until revoked)")
    static let tokensID = Self("tokens.id", "--id must be an id of 8 hexadecimal digits, as `tokens list` shows it")
    static func tokensWritten(_ path: String) -> Self { Self("tokens.written", "the token is in \(Redacted(path))") }
    static let tokensNotShown = Self("tokens.not_shown", "the token was made; revoke it if it was not shown")
    static let tokensShownOnce = Self("tokens.shown_once", "store the token now; it is not shown again")
    static func tokensExpire(_ time: Timestamp) -> Self { Self("tokens.expire", "the token works until \(time)") }
    static func tokensValid(_ begin: Timestamp, until end: Timestamp) -> Self { Self("tokens.valid", "since \(begin), until \(end)") }
    static func tokensValidAlways(_ begin: Timestamp) -> Self { Self("tokens.valid_always", "since \(begin), until revoked") }
    static let tokensNeverExpire = Self("tokens.never_expire", "the token works until it is revoked")
    static let tokensActive = Self("tokens.active", "a running server uses the change at once, with one exception: if the server reads a copy of the tokens file (LoadCredential), restart the server")
    static func tokensUnknownID(_ id: String, _ list: Redacted<String>) -> Self { Self("tokens.unknown_id", "there is no token of this name with the id \(code: id); list the tokens: \(list)") }
    static func tokensUnknownName(_ list: Redacted<String>) -> Self { Self("tokens.unknown_name", "there is no token of this name; list the tokens: \(list)") }

    // MARK: Contents of files with secrets

    static let secretExpectsSecrets = Self("secret.expects_secrets", "secrets, one a line")
    static let secretExpectsTokens = Self("secret.expects_tokens", "the tokens that `idcard-pipeline tokens add` makes")
    static let tokensNoFile = Self("tokens.no_file", "server.tokens_file has no default, because neither HOME nor XDG_CONFIG_HOME is set; give --tokens-file FILE")
    static func tokensIsSender(_ name: String) -> Self { Self("tokens.is_sender", "\(code: name) is already the name of a webhook sender (webhooks.secrets), so the cards of the token and of the sender would be mixed; choose another name for the token") }
}
