import CardEngine
import CardImaging
import CardModel
import CardRemote
import Foundation

/// Rules about several keys; a rule is skipped if one of its keys could not be read.
extension LoadedConfiguration {
    /// Adds all mistakes and warnings, and completes the secrets.
    mutating func check(requiringRemotes: Bool) {
        if self.configuration.sandboxPath.isEmpty { self.addMistake(.settingMissing, "sandbox.path", .configNoSandbox) }
        self.checkTimes()
        self.checkSecrets()
        self.checkReplies()
        self.checkForm()
        self.checkAddresses()
        self.checkFiles()
        self.checkIntake()
        self.checkServer()
        if requiringRemotes { self.checkMissing() }
        self.addWarnings()
    }

    /// Adds a mistake with the location where its key is set.
    mutating func addMistake(_ code: ReasonCode, _ name: String, _ what: Message) {
        let location: Message =
            switch self.sources[name] {
            case nil: .placeDefault
            case .file(let line): .placeLine(line)
            case .variable(let variable): .textVerbatim(variable)
            case .option: .placeOption
            }
        self.addMistake(code, name, from: self.sources[name], .configMistake(name, location, what))
    }

    /// Whether all these keys could be read.
    func areRead(_ names: String...) -> Bool { self.unread.isDisjoint(with: names) }

    func isSet(_ name: String) -> Bool { self.sources[name] != nil }

    // MARK: Mistakes

    /// Checks that lower limits do not exceed the upper ones.
    private mutating func checkTimes() {
        let engine = self.configuration.engine
        var limits = [("retry.base", engine.retry.base, "retry.cap", engine.retry.cap)]
        if self.configuration.backend.layout == .batch {
            // A run that waits less for progress than for a batch would always end first.
            limits.append(("delivery.batch_wait", engine.batchWait, "run.patience", engine.patience))
        }
        for (lower, shorter, upper, longer) in limits where self.areRead(lower, upper) && shorter > longer {
            let (short, long) = (DurationText.render(shorter), DurationText.render(longer))
            self.addMistake(.settingConflict, lower, .configLonger(short, upper, long))
        }
        let imaging = self.configuration.imaging
        if self.areRead("imaging.quality", "imaging.min_quality"), imaging.minQuality > imaging.quality,
            self.isSet("imaging.min_quality")
        {
            let message: Message = .configMinQuality(imaging.minQuality, quality: imaging.quality)
            self.addMistake(.settingConflict, "imaging.min_quality", message)
        }
    }

    /// Checks that each secret has only one source, and sets the source of the TOKEN.
    private mutating func checkSecrets() {
        let groups = [
            ["vault.key_file", "vault.key", "vault.key_command"],
            ["delivery.token", "delivery.token_file", "delivery.token_command"],
            ["webhooks.secrets", "webhooks.secrets_file"],
        ]
        for group in groups {
            let set = group.filter(self.isSet)
            guard set.count > 1, let last = set.last else { continue }
            self.addMistake(.settingConflict, last, .configExclusive(set))
        }
        guard !self.configuration.isEmbedded else { return }
        let secrets = self.configuration.deliverySecrets
        if let token = secrets.token {
            self.configuration.backend.token = .value(token)
        } else if let path = secrets.tokenFile {
            let file = SecretFile(path: path, key: "delivery.token_file")
            self.configuration.backend.token = .file { () throws(CodedError) in try file.read() }
            self.attempt(file.key) { () throws(CodedError) in _ = try file.read() }
        } else if let text = secrets.tokenCommand {
            let command = SecretCommand(key: "delivery.token_command", expected: .secretExpectsToken, text: text)
            self.configuration.backend.token = .command { try await command.firstLine() }
        }
    }

    /// Checks and sets the key of encrypted replies.
    private mutating func checkReplies() {
        guard !self.configuration.isEmbedded else { return }
        let secrets = self.configuration.deliverySecrets
        let key = "delivery.reply.key_file"
        guard let mode = ReplyEncryption.Mode(rawValue: secrets.replyEncryption.rawValue) else { return }
        guard let path = secrets.replyKeyFile else {
            if self.areRead(key) { self.addMistake(.settingMissing, key, .configReplyKey(mode)) }
            return
        }
        let text = self.attempt(key) { () throws(CodedError) in try SecretFile(path: path, key: key).read() }
        guard let text else { return }
        let encryption = ReplyEncryption(mode, key: text, startVector: secrets.replyStartVector)
        for (key, message) in encryption.mistakes { self.addMistake(.settingInvalid, key, message) }
        self.configuration.backend.encryption = encryption
    }

    private mutating func checkForm() {
        let isOctetStream = self.configuration.backend.body == .octetStream
        let layout = self.configuration.backend.layout
        if isOctetStream, layout != .single, self.areRead("delivery.body", "delivery.layout") {
            self.addMistake(.settingConflict, "delivery.body", .configOctetStream(layout))
        }
        let fields = ConfigurationKey.form.filter { $0.name.hasPrefix(ConfigurationKey.fieldFamily) }
        // Names of headers are case-insensitive (RFC 9110, section 5.1).
        self.checkNames(of: fields, and: self.configuration.backend.form.extra.map(\.name)) {
            isOctetStream ? $0.lowercased() : $0
        }
        self.checkNames(of: ConfigurationKey.replies.filter { $0.expectation == ValueType.text.expectation })
        self.checkCodes()
    }

    /// Checks that each RETCODE is in one list only, and an HTTP status only in a list that may hold it.
    private mutating func checkCodes() {
        var owners: [String: String] = [:]
        let tokenExpired = "delivery.retcode.token_expired"
        for key in ConfigurationKey.replies {
            // Only codes have lists as values.
            guard case .list(let codes) = key.show(self.configuration) else { continue }
            for code in codes {
                if RetcodeTable.isStatus(code), !Self.mayHold(code, in: key.name) {
                    self.addMistake(.settingInvalid, key.name, .configNoRetcode(code, tokenExpired))
                }
                guard let owner = owners.updateValue(key.name, forKey: code) else { continue }
                self.addMistake(.settingConflict, key.name, .configRetcodeTwice(code, owner))
            }
        }
        let success = "delivery.retcode.success"
        if self.configuration.backend.retcodes.success.isEmpty, self.areRead(success) {
            self.addMistake(.settingConflict, success, .configNoSuccess)
        }
    }

    /// Whether an HTTP status such as `http_403` may stand among the RETCODEs of a key.
    private static func mayHold(_ status: String, in key: String) -> Bool {
        switch key {
        case RetcodeTable.Meaning.tokenExpired.key: RetcodeTable.canMeanToken(status)
        case RetcodeTable.Meaning.success.key: RetcodeTable.statusesOfSuccess.contains(status)
        default: false
        }
    }

    /// Checks that all fields have different names, including `further` ones that have no key.
    private mutating func checkNames(
        of keys: [ConfigurationKey],
        and further: [String] = [],
        normal: (String) -> String = { $0 }
    ) {
        var owners: [String: String] = [:]
        for key in keys where self.areRead(key.name) {
            let name = key.show(self.configuration).text
            guard let owner = owners.updateValue(key.name, forKey: normal(name)) else { continue }
            self.addMistake(.settingConflict, key.name, .configFieldTwice(owner, name))
        }
        for name in further {
            guard let owner = owners.updateValue(name, forKey: normal(name)) else { continue }
            let key = ConfigurationKey.fieldFamily + name
            self.addMistake(.settingConflict, key, .configNameTwice(owner))
        }
    }

    private mutating func checkFiles() {
        for service in Configuration.Service.allCases where !self.configuration.isEmbedded {
            let endpoint = self.configuration[endpoint: service]
            let section = service.rawValue
            self.checkPair(
                ("\(section).tls.client_certificate", endpoint.tls.clientCertificate),
                ("\(section).tls.client_key", endpoint.tls.clientKey)
            )
            self.checkCertificate("\(section).tls.ca_file", endpoint.tls.caFile)
        }
        let server = self.configuration.server
        self.checkPair(("server.tls.certificate", server.certificate), ("server.tls.key", server.key))
        self.checkCertificate("fetch.tls.ca_file", self.configuration.fetch.caFile)
        self.checkWebhookSecrets()
    }

    /// Checks a certificate and its private key: neither comes alone, and other users must not be able to read the key.
    private mutating func checkPair(_ certificate: (key: String, path: String?), _ key: (key: String, path: String?)) {
        guard self.areRead(certificate.key, key.key) else { return }
        if (certificate.path == nil) != (key.path == nil) {
            let missing = certificate.path == nil ? certificate.key : key.key
            self.addMistake(.settingMissing, missing, .configPair(certificate.key, key.key))
        }
        self.checkCertificate(certificate.key, certificate.path)
        guard let path = key.path else { return }
        self.attempt(key.key) { () throws(CodedError) in
            if let other = PEMFile(path: path).otherKind(isKey: true) {
                throw CodedError(.secretUnreadable, .configuration, .textLabelled(key.key, other))
            }
            let text = try SecretFile(path: path, key: key.key).readText(expected: .secretExpectsPEM)
            guard !text.reveal().contains("PRIVATE KEY-----") else { return }
            throw CodedError(.secretUnreadable, .configuration, .configNoPrivateKey(key.key, path))
        }
    }

    private mutating func checkCertificate(_ key: String, _ path: String?) {
        guard let path, self.readsFiles else { return }
        let file = PEMFile(path: path)
        guard !String(decoding: file.bytes, as: UTF8.self).contains("-----BEGIN CERTIFICATE-----") else { return }
        self.addMistake(.settingInvalid, key, file.otherKind(isKey: false) ?? .configNoCertificate(path))
    }

    /// Calls a body that reads the file of a key, and adds its error to the mistakes; `nil` then, and if files are not read.
    @discardableResult
    mutating func attempt<Value>(_ key: String, _ body: () throws(CodedError) -> Value) -> Value? {
        guard self.readsFiles else { return nil }
        do throws(CodedError) {
            return try body()
        } catch {
            self.mistakes.append(.init(key: key, line: self.sources[key]?.line, error: error))
            return nil
        }
    }
}
