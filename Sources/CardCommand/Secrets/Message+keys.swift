import CardModel
import CardStore

// Each message stands on one line.
// swift-format-ignore
extension Message {
    // MARK: keys init

    static func keysMade(_ path: String, _ key: String) -> Self { Self("keys.made", "made the key file \(Redacted(path)) (mode 0600, key \(code: key))") }
    static let keysUsed = Self("keys.used", "the key is used without further configuration")
    static func keysConfigure(_ path: String) -> Self { Self("keys.configure", "add to the configuration:\n  vault:\n    key_file: \(Redacted(path))") }
    static let keysKeepCopy = Self("keys.keep_copy", "keep a copy of the key in another place; without it the sandbox cannot be read")
    static let keysNoPlace = Self("keys.no_place", "neither HOME nor XDG_CONFIG_HOME says where the key belongs; give --key-file FILE")
    static func keysInSandbox(_ path: String) -> Self { Self("keys.in_sandbox", "\(Redacted(path)) is in a sandbox, so a copy of the sandbox would include the key; choose another path with --key-file FILE") }
    static func keysExist(_ path: String) -> Self { Self("keys.exist", "\(Redacted(path)) exists and is not replaced, because a sandbox may need its keys; choose another path with --key-file FILE") }

    // MARK: keys rotate

    static func keysRotated(_ keys: Int, _ key: String) -> Self { Self("keys.rotated", one: "\(count: keys) card key is now encrypted with the new key \(code: key)", other: "\(count: keys) card keys are now encrypted with the new key \(code: key)") }
    static func keysFinished(_ key: String) -> Self { Self("keys.finished", "an earlier key rotation was unfinished; it is finished now, with the key \(code: key); to change the key again, run: idcard-pipeline keys rotate") }
    static func keysDamaged(_ keys: Int) -> Self { Self("keys.damaged", one: "\(count: keys) card key was already damaged, and no key opens it; show it: idcard-pipeline fsck", other: "\(count: keys) card keys were already damaged, and no key opens them; show them: idcard-pipeline fsck") }
    static func keysRetired(_ path: String) -> Self { Self("keys.retired", "the old key is in \(Redacted(path)); keep this file as long as you keep backups made with the old key") }
    static let keysChangedMeanwhile = Self("keys.changed_meanwhile", "another process changed the key meanwhile, so nothing was changed here; look at the key file, then run this again")
    static let keysNoNewKey = Self("keys.no_new_key", "there is no new key; make one (openssl rand -base64 32), put it before the current key in vault.key or in the output of vault.key_command, then run this command again")

    // MARK: Keys of the sandbox

    static let keysMissing = Self("keys.missing", "there is no key for the encrypted sandbox; set vault.key_file (IDCARD_VAULT_KEY_FILE), vault.key (IDCARD_VAULT_KEY) or vault.key_command, or make a key: idcard-pipeline keys init")
    static func keysMadeEmbedded(_ path: String) -> Self { Self("keys.made_embedded", "made the key of the sandbox for --embedded: \(Redacted(path)) (mode 0600); without this key that sandbox cannot be read") }
    static func keysValue(_ reason: Message) -> Self { Self("keys.value", "vault.key: \(reason); expected: \(secretExpectsKeys)") }
    static func keysFileMissing(_ key: String, _ path: String) -> Self { Self("keys.file_missing", "\(code: key): the key file \(Redacted(path)) does not exist, and a new key does not open the existing sandbox; put back the key file of that sandbox, or name a new sandbox with --sandbox DIR") }
    static func keysFileNotMade(_ key: String, _ path: String, _ error: Int32) -> Self { Self("keys.file_not_made", "\(code: key): cannot make \(Redacted(path)): \(errno: error); correct the permissions of its folder") }
    static let keysNone = Self("keys.none", "there is no key")
    static func keysLineInvalid(_ line: Int) -> Self { Self("keys.line_invalid", "line \(line) is not a key") }
    static func keysLineRepeated(_ line: Int) -> Self { Self("keys.line_repeated", "line \(line) repeats an earlier key") }
    static let keysTooMany = Self("keys.too_many", "there are more than \(count: KeyRing.maximumCount) keys")

    // MARK: Files with secrets

    static let secretExpectsKeys = Self("secret.expects_keys", "keys, one a line, each of 32 random bytes in Base64 (or 64 hexadecimal digits)")
    static let secretExpectsOne = Self("secret.expects_one", "one secret and nothing else")
    static func secretFile(_ key: String, _ path: String, _ reason: Message, expected: Message) -> Self { Self("secret.file", "\(code: key): cannot use \(Redacted(path)): \(reason); expected in the file (mode 0600): \(expected)") }
    static let secretNotOneLine = Self("secret.not_one_line", "the file is empty or has more than one line")
    static let secretNotRegular = Self("secret.not_regular", "the file is not a regular file")
    static func textFileTooLong(_ limit: Int) -> Self { Self("text_file.too_long", "the file is longer than \(bytes: limit)") }
    static let textFileNotUTF8 = Self("text_file.not_utf8", "the file is not UTF-8 text")
    static func textFileSilent(_ time: Duration) -> Self { Self("text_file.silent", "the file is a pipe, and no program wrote into it for \(time)") }
    static func textFileUnreadable(_ error: Int32) -> Self { Self("text_file.unreadable", "cannot read the file: \(errno: error)") }

    // MARK: Commands that write secrets

    static func secretCommand(_ key: String, _ reason: Message, expected: Message) -> Self { Self("secret.command", "\(code: key): \(reason); run the command by hand with /bin/sh -c; it must end with exit status 0 and write: \(expected)") }
    static let secretCommandLine = Self("secret_command.line", "the first line that the command wrote is not a secret")
    static func secretCommandSlow(_ limit: Duration) -> Self { Self("secret_command.slow", "the command took longer than \(limit)") }
    static func secretCommandOutput(_ reason: Message) -> Self { Self("secret_command.output", "the output of the command cannot be used: \(reason)") }
    static let secretCommandNotRun = Self("secret_command.not_run", "the command could not be run, or its output could not be read")
    static func secretCommandTooLong(_ limit: Int) -> Self { Self("secret_command.too_long", "the command wrote more than \(bytes: limit)") }
    static func secretCommandFailed(_ status: Int32) -> Self { Self("secret_command.failed", "the command failed with exit status \(status)") }
    static func secretCommandSignal(_ signal: Int32) -> Self { Self("secret_command.signal", "the command was ended by signal \(signal)") }
}
