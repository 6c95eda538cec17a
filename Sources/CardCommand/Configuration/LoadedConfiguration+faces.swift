import CardEngine
import CardImaging
import CardInput
import CardModel
import CardRemote
import CardServer
import Foundation
import NIOCore

// What `serve`, `watch` and fetching need, and what is missing or odd.
extension LoadedConfiguration {
    /// Rules, sources and fetching that would be refused when they are first used.
    mutating func checkIntake() {
        let rule = "intake.business_no_from"
        do throws(CodedError) {
            _ = try BusinessNumberRule(self.configuration.businessNumberFrom)
        } catch {
            self.note(error.code, rule, error.message)
        }
        for source in self.configuration.sources {
            let parts = source.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2, !source.hasPrefix("=") else {
                self.note(.settingInvalid, "sources", .configSource(source))
                continue
            }
            if self.configuration.sourcePaths.updateValue(parts[1], forKey: parts[0]) != nil {
                self.note(.settingConflict, "sources", .configSourceTwice(parts[0]))
            }
        }
        for (key, message) in self.configuration.fetch.mistakes { self.note(.settingInvalid, key, message) }
        // A marker is part of a file name, with a number and a note after it.
        if let marker = self.configuration.watch.doneMarker,
            marker.contains("/") || marker == ".json" || marker.utf8.count > WatchOptions.longestMarker
        {
            self.note(.settingInvalid, "watch.done_marker", .configDoneMarker(marker))
        }
    }

    /// An address that `serve` can listen on; beyond this machine only with a certificate.
    mutating func checkServer() {
        let key = "server.listen"
        let server = self.configuration.server
        guard let (host, _) = Self.listening(server.listen) else {
            return self.note(.settingInvalid, key, .configListen(server.listen))
        }
        if !CardServer.Configuration.isLoopback(host), server.certificate == nil {
            self.note(.settingConflict, key, .listenUnencrypted)
        }
        // An address that is no origin may hold a password, and is not repeated.
        for (index, origin) in server.corsOrigins.enumerated() where Self.origin(origin) == nil {
            self.note(.settingInvalid, "server.cors_origins", .configOrigin(value: index + 1))
        }
    }

    /// An origin as browsers write it: in small letters, and without the usual port; `nil` if it is none.
    static func origin(_ text: String) -> String? {
        guard let parts = URLComponents(string: text.lowercased()), let scheme = parts.scheme, let host = parts.host,
            let usual = ["http": 80, "https": 443][scheme], !host.isEmpty
        else { return nil }
        let place = "\(scheme)://\(host)"
        guard text.lowercased() == place + (parts.port.map { ":\($0)" } ?? "") else { return nil }
        return place + (parts.port.map { $0 == usual ? "" : ":\($0)" } ?? "")
    }

    /// Takes an address apart into host and port.
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

    /// Secrets of webhook senders, of which there is at least one where a key is set.
    mutating func checkWebhookSecrets() {
        let webhooks = self.configuration.webhooks
        guard self.isSet(webhooks.key), self.areRead(webhooks.key),
            let text = self.attempt(webhooks.key, { () throws(CodedError) in try webhooks.text() })
        else { return }
        do throws(CodedError) {
            guard try WebhookSecret.secrets(in: text).isEmpty else { return }
            self.note(.settingInvalid, webhooks.key, .configNoWebhookSecret)
        } catch {
            self.note(.settingInvalid, webhooks.key, error.message)
        }
    }

    /// Photos, personal data and credentials go to another machine over https; over http only to those that are listed.
    mutating func checkAddresses() {
        let hosts = self.configuration.httpHosts
        for host in hosts where ServiceAddress("http://\(host)")?.authority != host.lowercased() {
            self.note(.settingInvalid, "allow_http.hosts", .configHTTPHost(host))
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
            self.note(.settingConflict, "\(section).url", what)
        }
    }

    /// What must be set before anything can be verified and delivered.
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
            let error = CodedError(.settingMissing, .configuration, message)
            self.mistakes.append(.init(key: alternatives[0], error: error))
        }
    }

    /// What a person should know about a configuration that works.
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

    /// Addresses of services that are not used, or that others can listen to.
    private static func addressWarnings(_ configuration: Configuration) -> [Message] {
        Configuration.Service.allCases.compactMap { service in
            let key = "\(service.rawValue).url"
            guard let address = ServiceAddress(configuration[endpoint: service].url) else { return nil }
            if configuration.isEmbedded { return .configUnusedURL(key) }
            return address.isReadable ? .configHTTPAllowed(key) : nil
        }
    }

    /// Rules that refuse or hold a card by default and now let it pass.
    private static func weakened(_ configuration: Configuration) -> [Message] {
        let stops: Set<VerdictSeverity> = [.reject, .hold]
        let names = configuration.engine.rules.severities
            .filter { stops.contains($0.key.defaultSeverity) && !stops.contains($0.value) }.map(\.key.rawValue).sorted()
        return names.isEmpty ? [] : [.configWeakened(names)]
    }
}

/// The address of a service, as far as the rules look at it.
struct ServiceAddress {
    /// Whether what is sent there can be read on the way: nothing encrypts it, and it leaves this machine.
    let isReadable: Bool
    /// Whether it is one of the verification services themselves, which all speak https.
    let isVendor: Bool
    /// Host and port in small letters.
    let authority: String
    /// The address without its query, which may carry a key.
    let shown: String

    /// Takes an address apart; `nil` if no request can be sent to it.
    init?(_ text: String) {
        guard let address = try? EndpointAddress(text, key: "") else { return nil }
        let host = address.host.lowercased()
        // Names below localhost are this machine, too (RFC 6761).
        self.isReadable =
            !address.usesTLS && !host.hasSuffix(".localhost") && !CardServer.Configuration.isLoopback(host)
        // A dot at the end of a name says only that nothing is left out.
        let name = host.hasSuffix(".") ? String(host.dropLast()) : host
        self.isVendor = ["faceid.com", "faceplusplus.com", "megvii.com"].contains { ".\(name)".hasSuffix(".\($0)") }
        self.authority = address.authority.lowercased()
        self.shown = text.contains("?") ? text.prefix { $0 != "?" } + "?<redacted>" : text
    }
}
