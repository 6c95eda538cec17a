import IDCardApp
import Testing

@Suite("Names that belong to no key")
struct UnknownNameTests {
    @Test(
        "An unknown key of the file is refused and the closest known one is named",
        arguments: [
            ("imaging:\n  qualty: 0.5", "imaging.qualty", "imaging.quality"),
            ("imaging:\n  maxEdge: 1000", "imaging.maxEdge", "imaging.max_edge"),
            ("verification:\n  apikey: k", "verification.apikey", "verification.api_key"),
            ("delivery:\n  retcodes:\n    success: [0]", "delivery.retcodes.success", "delivery.retcode.success"),
            ("delivery:\n  time-out: 5s", "delivery.time-out", "delivery.timeout"),
            ("delivery:\n  tls:\n    cafile: a.pem", "delivery.tls.cafile", "delivery.tls.ca_file"),
            ("verdict:\n  severity:\n    expire: off", "verdict.severity.expire", "verdict.severity.expired"),
            ("log:\n  levels: info", "log.levels", "log.level"),
            ("imaging:\n  quality:\n    jpeg: 1", "imaging.quality.jpeg", "imaging.quality"),
        ]
    )
    func suggestion(yaml: String, path: String, meant: String) throws {
        let error = try #require(try ConfigurationFolder().refusal(yaml: yaml + "\n"))
        #expect(error.problems.map(\.code) == [.unknownKey])
        #expect(error.problems.map(\.key) == [path])
        #expect(error.message.hasPrefix("\(path) is no configuration key"))
        #expect(error.message.hasSuffix("did you mean \(meant)?"))
    }

    @Test("Nothing is suggested for a name that is near to none")
    func noSuggestion() throws {
        let error = try #require(try ConfigurationFolder().refusal(yaml: "kitchen:\n  temperature: 21\n"))
        #expect(error.problems.map(\.code) == [.unknownKey])
        #expect(!error.message.contains("did you mean"))
        #expect(error.message.contains("config show"))
    }

    @Test("A section with all its lines commented out is no error, a value in its place is")
    func emptySection() throws {
        let folder = try ConfigurationFolder()
        #expect(try folder.load(yaml: "imaging:\n#  quality: 0.4\n").imaging.quality == 0.5)
        let error = try #require(try folder.refusal(yaml: "imaging: fine\n"))
        #expect(error.problems.map(\.code) == [.unknownKey])
        #expect(error.message.contains("is a section"))
    }

    @Test("A key that is set twice is refused")
    func duplicate() throws {
        let folder = try ConfigurationFolder()
        let twoSpellings = try #require(
            try folder.refusal(yaml: "imaging:\n  quality: 0.4\nimaging.quality: 0.6\n")
        )
        #expect(twoSpellings.problems.map(\.code) == [.duplicateKey])
        let sameSection = try #require(try folder.refusal(yaml: "imaging:\n  quality: 0.4\n  quality: 0.6\n"))
        #expect(sameSection.problems.map(\.code) == [.fileMalformed])
        #expect(sameSection.message.contains("twice"))
    }

    @Test("A variable of ours that belongs to no key is a warning with the closest known one")
    func variables() throws {
        let configuration = try ConfigurationFolder().load(
            environment: [
                "IDCARD_VERIFICATION_APIKEY": "canary-value", "IDCARD_ZZZ": "1", "IDCARDS_X": "1", "PATH": "/bin",
            ]
        )
        let warnings = configuration.notices.filter { $0.level == .warning }.map(\.message)
        #expect(warnings.count == 2)
        #expect(warnings.first?.contains("IDCARD_VERIFICATION_APIKEY") == true)
        #expect(warnings.first?.contains("did you mean IDCARD_VERIFICATION_API_KEY?") == true)
        #expect(warnings.last?.contains("IDCARD_ZZZ") == true)
        #expect(!warnings.joined().contains("canary"))
    }

    @Test("No two keys share a path or a variable, and every section name is free")
    func table() {
        let paths = ConfigurationKey.all.map(\.path)
        #expect(Set(paths).count == paths.count)
        #expect(Set(ConfigurationKey.all.map(\.environmentName)).count == paths.count)
        for path in paths { #expect(!paths.contains { $0.hasPrefix(path + ".") }, "\(path) is a key and a section") }
        #expect(!ConfigurationKey.all.map(\.environmentName).contains("IDCARD_CONFIG"))
        for key in ConfigurationKey.all { #expect(key.summary.hasSuffix("."), "\(key.path)") }
    }

    @Test(
        "The variable is the path in capitals",
        arguments: [
            ("verification.url", "IDCARD_VERIFICATION_URL"), ("imaging.max_edge", "IDCARD_IMAGING_MAX_EDGE"),
            ("delivery.retcode.already_exists", "IDCARD_DELIVERY_RETCODE_ALREADY_EXISTS"),
            ("delivery.tls.ca_file", "IDCARD_DELIVERY_TLS_CA_FILE"),
            ("verdict.severity.id_number_checksum", "IDCARD_VERDICT_SEVERITY_ID_NUMBER_CHECKSUM"),
        ]
    )
    func environmentName(path: String, name: String) throws {
        #expect(try #require(ConfigurationKey.named(path)).environmentName == name)
    }
}
