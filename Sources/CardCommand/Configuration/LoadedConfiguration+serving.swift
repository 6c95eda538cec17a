import CardEngine
import CardImaging
import CardInput
import CardModel
import CardRemote
import CardServer
import Foundation
import NIOCore

// Mistakes and warnings about `serve`, `watch` and fetching.
extension LoadedConfiguration {
    /// Checks rules, sources and fetching, whose errors would otherwise appear at their first use.
    mutating func checkIntake() {
        let rule = "intake.business_no_from"
        do throws(CodedError) {
            _ = try BusinessNumberRule(self.configuration.businessNumberFrom)
        } catch {
            self.addMistake(error.code, rule, error.message)
        }
        for source in self.configuration.sources {
            let parts = source.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2, !source.hasPrefix("=") else {
                self.addMistake(.settingInvalid, "sources", .configSource(source))
                continue
            }
            if self.configuration.sourcePaths.updateValue(parts[1], forKey: parts[0]) != nil {
                self.addMistake(.settingConflict, "sources", .configSourceTwice(parts[0]))
            }
        }
        for (key, message) in self.configuration.fetch.mistakes { self.addMistake(.settingInvalid, key, message) }
        // A marker becomes part of a file name, with a number and a note after it.
        if let marker = self.configuration.watch.doneMarker,
            marker.contains("/") || marker == ".json" || marker.utf8.count > WatchOptions.longestMarker
        {
            self.addMistake(.settingInvalid, "watch.done_marker", .configDoneMarker(marker))
        }
    }

    /// Checks the address of `serve`; beyond this machine it needs a certificate.
    mutating func checkServer() {
        let key = "server.listen"
        let server = self.configuration.server
        guard let (host, _) = Self.listening(server.listen) else {
            return self.addMistake(.settingInvalid, key, .configListen(server.listen))
        }
        if !CardServer.Configuration.isLoopback(host), server.certificate == nil {
            self.addMistake(.settingConflict, key, .listenUnencrypted)
        }
        // The message does not repeat a value that is not an origin: it may hold a password.
        for (index, origin) in server.corsOrigins.enumerated() where Self.origin(origin) == nil {
            self.addMistake(.settingInvalid, "server.cors_origins", .configOrigin(value: index + 1))
        }
    }

    /// An origin as browsers write it: in lower case, and without the default port; `nil` if the text is not one.
    static func origin(_ text: String) -> String? {
        guard let parts = URLComponents(string: text.lowercased()), let scheme = parts.scheme, let host = parts.host,
            let usual = ["http": 80, "https": 443][scheme], !host.isEmpty
        else { return nil }
        let base = "\(scheme)://\(host)"
        guard text.lowercased() == base + (parts.port.map { ":\($0)" } ?? "") else { return nil }
        return base + (parts.port.map { $0 == usual ? "" : ":\($0)" } ?? "")
    }

    /// Splits an address into host and port.
    static func listening(_ text: String) -> (host: String, port: Int)? {
        guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]),
            (0...65_535).contains(port)
        else { return nil }
        var host = String(text[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = String(host.dropFirst().dropLast())
        } else if host.contains(":") {
            return nil
        }
        guard host == "localhost" || (try? SocketAddress(ipAddress: host, port: 0)) != nil else { return nil }
        return (host, port)
    }

    /// Checks the webhook secrets: if their key is set, there must be at least one.
    mutating func checkWebhookSecrets() {
        let webhooks = self.configuration.webhooks
        guard self.isSet(webhooks.key), self.areRead(webhooks.key),
            let text = self.attempt(webhooks.key, { () throws(CodedError) in try webhooks.text() })
        else { return }
        do throws(CodedError) {
            guard try WebhookSecret.secrets(in: text).isEmpty else { return }
            self.addMistake(.settingInvalid, webhooks.key, .configNoWebhookSecret)
        } catch {
            self.addMistake(.settingInvalid, webhooks.key, error.message)
        }
    }

    /// Checks the addresses of services: photos, personal data and credentials need https to other machines, except to those
    /// listed for http.
    mutating func checkAddresses() {
        let hosts = self.configuration.httpHosts
        for host in hosts where ServiceAddress("http://\(host)")?.authority != host.lowercased() {
            self.addMistake(.settingInvalid, "allow_http.hosts", .configHTTPHost(host))
        }
        for service in Configuration.Service.allCases where !self.configuration.isEmbedded {
            let (section, endpoint) = (service.rawValue, self.configuration[endpoint: service])
            guard let address = ServiceAddress(endpoint.url), address.isReadable else { continue }
            let what: Message
            if endpoint.tls.caFile != nil || endpoint.tls.clientCertificate != nil {
                what = .configHTTPTLS(section)
            } else if address.isVendor || !hosts.contains(where: { $0.lowercased() == address.authority }) {
                what = address.isVendor ? .configHTTPVendor : .configHTTPRemote(address.authority)
            } else {
                continue
            }
            self.addMistake(.settingConflict, "\(section).url", what)
        }
    }

    /// Checks that the settings for verification and delivery are set.
    mutating func checkMissing() {
        guard !self.configuration.isEmbedded else { return }
        let needed = [
            ["verification.url"], ["verification.api_key"], ["verification.api_secret"], ["delivery.url"],
            ["delivery.token_file", "delivery.token", "delivery.token_command"],
        ]
        for alternatives in needed where !alternatives.contains(where: { self.isSet($0) || self.unread.contains($0) }) {
            let variables = alternatives.map(ConfigurationKey.variable)
            let message: Message =
                alternatives.count == 1
                ? .configMissing(alternatives[0], variables[0]) : .configMissingAny(alternatives, variables)
            self.addMistake(.settingMissing, alternatives[0], from: nil, message)
        }
    }

    /// Adds warnings about a configuration that works.
    mutating func addWarnings() {
        let configuration = self.configuration
        var notices = Self.addressWarnings(configuration)
        let patience = configuration.engine.patience
        let times = [
            ("verification.timeout", configuration.verifier.endpoint.timeout),
            ("delivery.timeout", configuration.backend.endpoint.timeout), ("retry.cap", configuration.engine.retry.cap),
        ]
        for (key, time) in times where time > patience { self.configuration.runNotices.append(.configPatience(key)) }
        if configuration.imaging.byteBudget > 1_990_000 { notices.append(.configByteBudget) }
        if let key = configuration.vault.keyFile, key.hasPrefix(configuration.sandboxPath + "/") {
            notices.append(.configKeyInSandbox)
        }
        if configuration.delivery != nil, configuration.backend.userNumber == nil { notices.append(.configNoUser) }
        for pattern in configuration.watch.ignore where pattern.contains("/") { notices.append(.configIgnore(pattern)) }
        let extra = configuration.backend.form.extra.map(\.name)
        if !extra.isEmpty { notices.append(.configExtraFields(extra.joined(separator: ", "))) }
        self.configuration.notices += notices + Self.weakened(configuration)
    }

    /// Warns of addresses that are not used, or that are not encrypted.
    private static func addressWarnings(_ configuration: Configuration) -> [Message] {
        Configuration.Service.allCases.compactMap { service in
            let key = "\(service.rawValue).url"
            guard let address = ServiceAddress(configuration[endpoint: service].url) else { return nil }
            if configuration.isEmbedded { return .configUnusedURL(key) }
            return address.isReadable ? .configHTTPAllowed(key) : nil
        }
    }

    /// Warns of rules that refuse or hold a card by default, but let it pass as configured.
    private static func weakened(_ configuration: Configuration) -> [Message] {
        let stops: Set<VerdictSeverity> = [.reject, .hold]
        let names = configuration.engine.rules.severities
            .filter { stops.contains($0.key.defaultSeverity) && !stops.contains($0.value) }.map(\.key.rawValue).sorted()
        return names.isEmpty ? [] : [.configWeakened(names)]
    }
}

/// The parts of a service's address that the rules need.
struct ServiceAddress {
    /// Whether requests can be read on the way: they leave this machine without encryption.
    let isReadable: Bool
    /// Whether it belongs to one of the verification services, which all support https.
    let isVendor: Bool
    /// Host and port in lower case.
    let authority: String
    /// The address without its query, which may hold a secret.
    let shown: String

    /// Splits an address; `nil` if no request can be sent to it.
    init?(_ text: String) {
        guard let address = try? EndpointAddress(text, key: "") else { return nil }
        let host = address.host.lowercased()
        // Names below localhost are this machine, too (RFC 6761).
        self.isReadable =
            !address.usesTLS && !host.hasSuffix(".localhost") && !CardServer.Configuration.isLoopback(host)
        // A final dot only marks a name as fully qualified.
        let name = host.hasSuffix(".") ? String(host.dropLast()) : host
        self.isVendor = ["faceid.com", "faceplusplus.com", "megvii.com"].contains { ".\(name)".hasSuffix(".\($0)") }
        self.authority = address.authority.lowercased()
        self.shown = text.contains("?") ? text.prefix { $0 != "?" } + "?<redacted>" : text
    }
}
