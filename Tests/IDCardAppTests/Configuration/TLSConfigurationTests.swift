import Glibc
import IDCardApp
import IDCardTesting
import Testing

@Suite("Keys of TLS, for both outside services")
struct TLSConfigurationTests {
    private let folder: ConfigurationFolder
    private let certificate: String
    private let key: String

    init() throws {
        self.folder = try ConfigurationFolder()
        self.certificate = try self.folder.write(PEMText.certificate, to: "certificate.pem", mode: 0o644)
        self.key = try self.folder.write(PEMText.key, to: "client.key")
    }

    private func tls(_ section: String, _ configuration: AppConfiguration) -> AppConfiguration.TLS {
        section == "delivery" ? configuration.delivery.tls : configuration.verification.tls
    }

    @Test(
        "The trust is the system's, an authority's, a certificate's or nobody's",
        arguments: ["verification", "delivery"]
    )
    func trust(section: String) throws {
        let certificate = self.certificate
        let cases: [([String: String], AppConfiguration.TLS.Trust)] = [
            ([:], .system), (["ca_file": certificate], .authorities(path: certificate)),
            (["pinned_certificates": "\(certificate),\(certificate)"], .pinned(paths: [certificate, certificate])),
            (["insecure": "true"], .anything(isForced: false)),
            (["insecure": "yes", "insecure_force": "on"], .anything(isForced: true)),
            (["insecure": "off", "insecure_force": "No"], .system),
        ]
        for (settings, expected) in cases {
            let overrides = settings.map { ("\(section).tls.\($0.key)", $0.value) }
            let configuration = try self.folder.load(overrides: Dictionary(uniqueKeysWithValues: overrides))
            #expect(self.tls(section, configuration).trust == expected, "\(settings)")
            #expect(self.tls(section == "delivery" ? "verification" : "delivery", configuration).trust == .system)
        }
    }

    @Test("Three levels of sections are read from the file, and a path may start with ~")
    func fromFile() throws {
        let yaml = """
            delivery:
              tls:
                pinned_certificates:
                  - ~/certificate.pem
                client_certificate: ~/certificate.pem
                client_key: ~/client.key
            verification:
              tls:
                ca_file: \(self.certificate)
                insecure: false

            """
        let configuration = try self.folder.load(yaml: yaml)
        #expect(configuration.delivery.tls.trust == .pinned(paths: [self.certificate]))
        #expect(configuration.delivery.tls.identity?.certificatePath == self.certificate)
        #expect(configuration.delivery.tls.identity?.keyPath == self.key)
        #expect(configuration.verification.tls.trust == .authorities(path: self.certificate))
        #expect(configuration.verification.tls.identity == nil)
    }

    @Test(
        "Keys that contradict each other are refused",
        arguments: [
            (["ca_file": "C", "pinned_certificates": "C"], "pinned_certificates", ConfigurationError.Code.conflict),
            (["ca_file": "C", "insecure": "true"], "ca_file", .conflict),
            (["pinned_certificates": "C", "insecure": "true"], "pinned_certificates", .conflict),
            (["client_certificate": "C"], "client_key", .missing),
            (["client_key": "K"], "client_certificate", .missing),
        ]
    )
    func conflicts(settings: [String: String], key: String, code: ConfigurationError.Code) throws {
        for section in ["verification", "delivery"] {
            let overrides = settings.map { name, value in
                ("\(section).tls.\(name)", ["C": self.certificate, "K": self.key][value] ?? value)
            }
            let error = try #require(try self.folder.refusal(overrides: Dictionary(uniqueKeysWithValues: overrides)))
            #expect(error.problems.map(\.code) == [code])
            #expect(error.problems.map(\.key) == ["\(section).tls.\(key)"])
        }
    }

    @Test(
        "Without checks of certificates only this machine is called, unless it is forced",
        arguments: [
            ("https://backend.example/", nil, "false", true), ("https://backend.example/", nil, "true", false),
            ("https://127.example.com/", nil, "false", true), ("https://localhost:8443/", nil, "false", false),
            ("https://127.0.0.1:8443/", nil, "false", false), ("https://[::1]/", nil, "false", false),
            ("https://localhost/", "http://proxy.example:3128", "false", true),
            ("https://localhost/", "http://proxy.example:3128", "true", false),
            ("https://localhost/", "http://127.0.0.1:3128", "false", false),
        ] as [(String, String?, String, Bool)]
    )
    func insecure(url: String, proxy: String?, force: String, isRefused: Bool) throws {
        for section in ["verification", "delivery"] {
            var overrides = [
                "\(section).url": url, "\(section).tls.insecure": "true", "\(section).tls.insecure_force": force,
            ]
            overrides["\(section).proxy"] = proxy
            guard isRefused else {
                let warnings = try self.folder.load(overrides: overrides).notices.filter { $0.level == .warning }
                #expect(warnings.map(\.key) == ["\(section).tls.insecure"])
                #expect(warnings.first?.message.contains("THE CERTIFICATE OF THE SERVER IS NOT CHECKED") == true)
                continue
            }
            let error = try #require(try self.folder.refusal(overrides: overrides))
            #expect(error.problems.map(\.code) == [.insecureConnection])
            #expect(error.problems.map(\.key) == ["\(section).tls.insecure"])
            #expect(error.message.contains("\(section).tls.insecure_force"))
            #expect(error.notices.contains { $0.key == "\(section).tls.insecure" })
        }
    }

    @Test("What force alone and keys beside an http address do is nothing, and a warning")
    func unused() throws {
        let force = try self.folder.load(overrides: ["delivery.tls.insecure_force": "true"])
        #expect(force.notices.filter { $0.level == .warning }.map(\.key) == ["delivery.tls.insecure_force"])
        let plain = try self.folder.load(overrides: [
            "verification.url": "http://localhost/", "verification.tls.ca_file": self.certificate,
            "verification.tls.client_certificate": self.certificate, "verification.tls.client_key": self.key,
            "delivery.url": "http://localhost/", "delivery.tls.insecure": "false",
        ])
        let warnings = plain.notices.filter { $0.level == .warning }
        #expect(warnings.map(\.key) == ["verification.tls.ca_file"])
        #expect(warnings.first?.message.contains("verification.tls.client_key") == true)
    }

    @Test("A private key that others have rights to is refused", arguments: [0o644, 0o640, 0o660, 0o604])
    func keyMode(mode: Int) throws {
        let path = try self.folder.write(PEMText.key, to: "open.key", mode: mode)
        let error = try #require(
            try self.folder.refusal(overrides: [
                "delivery.tls.client_certificate": self.certificate, "delivery.tls.client_key": path,
            ])
        )
        #expect(error.problems.map(\.code) == [.insecureFile])
        #expect(error.problems.map(\.key) == ["delivery.tls.client_key"])
        #expect(error.message.contains("chmod 600 \(path)"))
    }

    @Test(
        "Files that are absent, folders, pipes or hold something else are refused",
        .timeLimit(.minutes(Sanitizer.minutes(1)))
    )
    func files() throws {
        let pipe = self.folder.path + "/pipe"
        #expect(mkfifo(pipe, 0o600) == 0)
        let other = try self.folder.write("canary\n", to: "other.pem")
        for path in [self.folder.path + "/absent", self.folder.path, pipe, other] {
            for name in ["ca_file", "pinned_certificates"] {
                let error = try #require(try self.folder.refusal(overrides: ["verification.tls.\(name)": path]))
                #expect(error.problems.map(\.code) == [.certificateUnreadable], "\(path)")
                #expect(error.problems.map(\.key) == ["verification.tls.\(name)"])
                #expect(error.message.contains(path))
            }
            let error = try #require(
                try self.folder.refusal(overrides: [
                    "verification.tls.client_certificate": self.certificate, "verification.tls.client_key": path,
                ])
            )
            #expect(error.problems.map(\.code) == [.secretUnreadable], "\(path)")
            #expect(!error.message.contains("canary"))
        }
    }

    @Test("The built-in endpoints need none of it")
    func embedded() throws {
        let configuration = try self.folder.load(
            overrides: [
                "delivery.tls.ca_file": "/nonexistent", "verification.tls.insecure": "true",
                "verification.url": "https://verify.example/",
            ],
            embedded: true
        )
        #expect(configuration.notices.map(\.key) == ["verification.url"])
    }
}
