import CardInput
import CardModel
import CardRemote

// Each message stands on one line.
// swift-format-ignore
extension Message {
    static let serviceVerification = Self("service.verification", "the verification service")
    static let serviceBackend = Self("service.backend", "the business backend")

    // MARK: The configuration

    static func configFile(_ value: String) -> Self { Self("config.file", "# configuration file: \(Redacted(value))") }
    static func configUsable(_ value: String) -> Self { Self("config.usable", "the configuration is usable (file: \(Redacted(value)))") }
    static let configUsableNoFile = Self("config.usable_no_file", "the configuration is usable (no file)")
    static func configMistake(_ name: String, _ place: Message, _ what: Message) -> Self { Self("config.mistake", "\(code: name) (\(place)): \(what)") }
    static let configNoSandbox = Self("config.no_sandbox", "neither HOME nor XDG_DATA_HOME says where the sandbox is; set one of them, or give --sandbox DIR")
    static func configLonger(_ render: String, _ upper: String, _ render2: String) -> Self { Self("config.longer", "\(code: render) is longer than \(code: upper) (\(code: render2)); change one of the two") }
    static func configMinQuality(_ minimum: Double, quality: Double) -> Self { Self("config.min_quality", "\(minimum) is above imaging.quality (\(quality)); set imaging.min_quality lower") }
    static func configExclusive(_ set: [String]) -> Self { Self("config.exclusive", "only one of these can be set: \(codes: set); keep one") }
    static func configReplyKey(_ mode: ReplyEncryption.Mode) -> Self { Self("config.reply_key", "delivery.reply.encryption is \(mode), which needs a key; name the file with this key in delivery.reply.key_file") }
    static func configOctetStream(_ layout: DeliveryLayoutKind) -> Self { Self("config.octet_stream", "octet-stream carries one image, but delivery.layout \(layout) sends several; set delivery.layout to single or delivery.body to multipart") }
    static func configNoRetcode(_ code: String, _ tokenExpired: String) -> Self { Self("config.no_retcode", "\(code: code) is not a RETCODE; remove this entry; an HTTP status may stand only under \(code: tokenExpired), and only if this status stops delivery, such as http_403, or as http_200, http_201, http_202 or http_204 under \(code: RetcodeTable.Meaning.success.key), for answers without a body") }
    static func configRetcodeTwice(_ code: String, _ owner: String) -> Self { Self("config.retcode_twice", "\(code: code) is also in \(code: owner); remove the code from one of the two lists") }
    static let configNoSuccess = Self("config.no_success", "the list is empty, so no delivery would count as accepted; name at least one code")
    static func configFieldTwice(_ owner: String, _ name: String) -> Self { Self("config.field_twice", "\(code: owner) has the same name, \"\(Redacted(name))\"; give each field its own name") }
    static func configNameTwice(_ owner: String) -> Self { Self("config.name_twice", "\(code: owner) has the same name; give each field its own name") }
    static func configPair(_ key: String, _ key2: String) -> Self { Self("config.pair", "set both \(code: key) and \(code: key2), or neither") }
    static func configNoPrivateKey(_ key: String, _ path: String) -> Self { Self("config.no_private_key", "\(code: key): \(Redacted(path)) holds no private key in PEM; name the file with the block PRIVATE KEY") }
    static func configNoCertificate(_ path: String) -> Self { Self("config.no_certificate", "cannot read certificates in PEM from \(Redacted(path)); check its path and permissions") }
    static func configSource(_ source: String) -> Self { Self("config.source", "\"\(Redacted(source))\" does not have the form NAME=PATH; write it in this form") }
    static func configSourceTwice(_ parts: String) -> Self { Self("config.source_twice", "two sources have the name \(Redacted(parts)); rename one of them") }
    static func configDoneMarker(_ marker: String) -> Self { Self("config.done_marker", "\"\(Redacted(marker))\" cannot be the done marker; choose a suffix such as .done with at most \(count: WatchOptions.longestMarker) bytes, but not .json, which sidecars have") }
    static func configListen(_ listen: String) -> Self { Self("config.listen", "\"\(Redacted(listen))\" is not an address with a port; write it as 127.0.0.1:8080 or [::1]:8080") }
    static func configOrigin(value index: Int) -> Self { Self("config.origin", "entry \(index) is not an origin; write it as https://host") }
    static let configNoWebhookSecret = Self("config.no_webhook_secret", "there is no secret; write one as whsec_… or NAME=whsec_…")
    static func configHTTPHost(_ host: String) -> Self { Self("config.http_host", "\"\(Redacted(host))\" is not a host with a port; write it as backend.example:8080") }
    static func configHTTPTLS(_ section: String) -> Self { Self("config.http_tls", "http is not encrypted, so \(code: section).tls cannot apply; use https, or remove \(code: section).tls") }
    static let configHTTPVendor = Self("config.http_vendor", "the address begins with http:// and is on another machine, so photos, personal data and credentials can be read on the way; use https, which this service supports")
    static func configHTTPRemote(_ authority: String) -> Self { Self("config.http_remote", "the address begins with http:// and is on another machine, so photos, personal data and credentials can be read on the way; use https, or allow http to that other machine: allow_http.hosts: [\"\(Redacted(authority))\"]") }
    static func configMissing(_ alternatives: String, _ variables: String) -> Self { Self("config.missing", "\(code: alternatives) is not set; set it in the configuration file or by \(code: variables); or, to try the service without any account, run with --embedded") }
    static func configMissingAny(_ alternatives: [String], _ variables: [String]) -> Self { Self("config.missing_any", "none of \(codes: alternatives) is set; set one of them in the configuration file or by \(codes: variables); to try the program without any account, run with --embedded") }
    static func configPatience(_ key: String) -> Self { Self("config.patience", "run.patience is shorter than \(code: key), so a run may end while cards wait for their next attempt; raise run.patience") }
    static let configByteBudget = Self("config.byte_budget", "imaging.byte_budget is above 1990000; a service with a limit of 2 MB may refuse the form with the image; lower imaging.byte_budget")
    static let configKeyInSandbox = Self("config.key_in_sandbox", "vault.key_file lies in the sandbox, so a copy of the folder includes the key; move it elsewhere")
    static let configNoUser = Self("config.no_user", "delivery.user_no is not set, so photos without a user_no are refused; set delivery.user_no, or give user_no with each photo")
    static func configIgnore(_ pattern: String) -> Self { Self("config.ignore", "watch.ignore: \(Redacted(pattern)) never matches, since names contain no /; write a pattern for a single name") }
    static func configExtraFields(_ joined: String) -> Self { Self("config.extra_fields", "every form also carries the constant fields of delivery.fields: \(Redacted(joined))") }
    static func configUnusedURL(_ key: String) -> Self { Self("config.unused_url", "\(code: key) is not used with --embedded") }
    static func configHTTPAllowed(_ key: String) -> Self { Self("config.http_allowed", "\(code: key) is an http address of another machine, allowed by allow_http.hosts; http is not encrypted, so everything sent there can be read on the way") }
    static func configWeakened(_ names: [String]) -> Self { Self("config.weakened", "verdict.severity is less strict than the default, so some cards pass that the default would refuse or hold: \(codes: names)") }
    static func configReadable(_ path: String) -> Self { Self("config.readable", "others can read \(Redacted(path)), which holds secrets; run: chmod 600 \(Redacted(path))") }
    static func configQuoted(_ variable: String) -> Self { Self("config.quoted", "the value of \(code: variable) includes quotes; remove the quotes where this value is set") }
    static func configSimilarVariable(_ name: String, _ value: String) -> Self { Self("config.similar_variable", "unknown variable \(code: name) (ignored); did you mean \(code: value)?") }
    static func configUnknownVariable(_ name: String) -> Self { Self("config.unknown_variable", "unknown variable \(code: name) (ignored)") }
    static func configSimilarKey(_ name: String, _ place: Message, _ value: String) -> Self { Self("config.similar_key", "\(code: name) (\(place)) is not a key; did you mean \(code: value)?") }
    static func configUnknownKey(_ name: String, _ place: Message) -> Self { Self("config.unknown_key", "\(code: name) (\(place)) is not a key; print all keys: idcard-pipeline config sample") }
    static func configValueInvalid(_ name: String, _ place: Message, _ shown: String, _ expectation: Message) -> Self { Self("config.value_invalid", "\(code: name) (\(place)): cannot use \"\(Redacted(shown))\"; write \(expectation)") }
    static func configSecretInvalid(_ name: String, _ place: Message, _ expectation: Message) -> Self { Self("config.secret_invalid", "\(code: name) (\(place)): cannot use its value; write \(expectation)") }
    static func configNotUsable(_ errors: Int) -> Self { Self("config.not_usable", one: "the configuration is not usable: \(count: errors) error", other: "the configuration is not usable: \(count: errors) errors") }

    // MARK: The file; mostly behind "cannot use the configuration file FILE: "

    static func configFileTooLong(_ reason: Message) -> Self { Self("config_file.too_long", "\(reason); name the right file with --config") }
    static func configFileNotUTF8(_ reason: Message) -> Self { Self("config_file.not_utf8", "\(reason); save it as UTF-8") }
    static func configFileUnreadable(_ reason: Message, _ variable: String) -> Self { Self("config_file.unreadable", "\(reason); name another file with --config or \(code: variable)") }
    static let configFileNoSections = Self("config_file.no_sections", "the file holds no sections with `key: value` lines; print a file to start from: idcard-pipeline config sample")
    static let configFileBraces = Self("config_file.braces", "there are braces or brackets where a key is expected; if they belong to a text, put the text in quotes")
    static let configFileList = Self("config_file.list", "an entry of the list is not a plain value; write only texts and numbers in it")
    static let configFileNoValue = Self("config_file.no_value", "the key has no value; give one or remove the line")
    static func configFileTwice(_ name: String, _ path: String, line: Int, first: Int) -> Self { Self("config_file.twice", "\(code: name) (\(Redacted(path)), line \(line)) is already set in line \(first); keep one") }
    static func configFileLine(_ path: String, line: Int, _ what: Message) -> Self { Self("config_file.line", "\(Redacted(path)), line \(line): \(what)") }
    static func configFileKey(_ name: String, _ path: String, line: Int, _ what: Message) -> Self { Self("config_file.key", "\(code: name) (\(Redacted(path)), line \(line)): \(what)") }
    static func configFileTwiceInSection(_ name: String, _ path: String, line: Int) -> Self { Self("config_file.twice_in_section", "\(code: name) (\(Redacted(path)), line \(line)) is set twice in its section; keep one") }
    static func configFileYAMLAt(line: Int, column: Int) -> Self { Self("config_file.yaml_at", "invalid YAML at line \(line), column \(column); check spaces and quotes there") }
    static let configFileYAML = Self("config_file.yaml", "invalid YAML; write sections with `key: value` lines")
    static func configFileUnusable(_ path: String, _ what: Message) -> Self { Self("config_file.unusable", "cannot use the configuration file \(Redacted(path)): \(what)") }

    // MARK: Where a key is set

    static let placeDefault = Self("place.default", "by default")
    static func placeLine(_ line: Int) -> Self { Self("place.line", "line \(line)") }
    static let placeOption = Self("place.option", "command line")
    static func placeFile(_ path: String, line: Int) -> Self { Self("place.file", "\(Redacted(path)), line \(line)") }

    // MARK: Values of keys

    static let valueFlag = Self("value.flag", "true or false")
    static func valueInteger(_ range: ClosedRange<Int>) -> Self { Self("value.integer", "a whole number from \(range.lowerBound) to \(range.upperBound)") }
    static func valueBytes(_ ends: String, _ ends2: String) -> Self { Self("value.bytes", "a number of bytes such as 1990000, 2MB or 32MiB, from \(code: ends) to \(code: ends2)") }
    static func valueNumber(_ ends: String, _ ends2: String) -> Self { Self("value.number", "a number from \(code: ends) to \(code: ends2)") }
    static let valueRate = Self("value.rate", "a number from 0 (no limit) to 10000")
    static func valueDuration(_ ends: String, _ ends2: String) -> Self { Self("value.duration", "a time such as 500ms, 5s, 10m, 2h or 30d, from \(code: ends) to \(code: ends2)") }
    static let valueText = Self("value.text", "one line of text")
    static let valueAddress = Self("value.address", "an address such as https://host/path, without user name, password or #")
    static let valueTimeZone = Self("value.time_zone", "a time zone of this system, such as Asia/Shanghai")
    static let valuePath = Self("value.path", "a path")
    static let valueCredential = Self("value.credential", "printable ASCII characters without spaces")
    static let valueUserNo = Self("value.user_no", "a user account as the backend knows it")
    static let valueList = Self("value.list", "a list, or texts separated by commas")
    static let valuePaths = Self("value.paths", "a list of paths, or paths separated by commas")
    static let valueNamedPaths = Self("value.named_paths", "a list of NAME=PATH entries, or one text with the entries separated by commas")
    static let valueCodes = Self("value.codes", "a list, or codes separated by commas")
    static func valueSomeOf(_ words: [String]) -> Self { Self("value.some_of", "a list, or words separated by commas, of \(codes: words)") }
    static func valueOneOf(_ map: [String]) -> Self { Self("value.one_of", "one of \(codes: map)") }
    static let valueWithoutQuotes = Self("value.without_quotes", "the value without the quotes around it")
    static let valueDigits = Self("value.digits", "digits as 0 to 9, not full-width or of another script")
    static func valueVisible(_ point: String) -> Self { Self("value.visible", "the value without the invisible character \(code: point)") }
    static func valueCommas(_ separator: String) -> Self { Self("value.commas", "commas (,) between the entries instead of \(code: separator)") }

    // MARK: Contents of files with secrets

    static let secretExpectsToken = Self("secret.expects_token", "the TOKEN as the first line")
    static let secretExpectsPEM = Self("secret.expects_pem", "a private key in PEM")

    // MARK: Options

    static let optionsDocuments = Self("options.documents", "--documents needs --embedded: only the built-in backend keeps documents on this machine")
    static func optionsEmpty(_ option: String) -> Self { Self("options.empty", "\(code: option) must not be empty; leave it out or give the number") }
}
