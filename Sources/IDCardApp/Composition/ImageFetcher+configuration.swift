import IDCardCore
import IDCardFetch
import IDCardImaging
import IDCardPipeline
import OutboundHTTP

extension ImageFetcher {
    /// The fetcher of a configuration; `nil` if it names no host: then nothing is fetched, and cards named by URL wait.
    ///
    /// - Throws: `ConfigurationError` if a host, a block of addresses, a port or the authorities cannot be used.
    static func configured(_ configuration: AppConfiguration) throws(ConfigurationError) -> ImageFetcher? {
        let fetch = configuration.fetch
        guard !fetch.hosts.isEmpty else { return nil }
        do {
            var settings = FetchSettings()
            settings.hosts = try fetch.hosts.map(HostPattern.init)
            settings.allowedAddresses = try fetch.allowedAddresses.map(AddressBlock.init)
            settings.allowsHTTP = fetch.allowsHTTP
            settings.ports = Set(try fetch.ports.map { try Self.port($0, of: configuration) })
            settings.maximumRedirects = fetch.maximumRedirects
            settings.maximumURLBytes = fetch.maximumURLBytes
            settings.maximumBytes = configuration.imaging.maximumSourceBytes
            settings.timeout = fetch.timeout
            settings.stallTimeout = fetch.stallTimeout
            settings.connectTimeout = fetch.connectTimeout
            settings.resolveTimeout = fetch.resolveTimeout
            settings.parallelAbove = fetch.parallelAbove
            settings.parallelRanges = fetch.parallelRanges
            if let path = fetch.authoritiesPath { settings.tls = try TLSSettings(trust: .certificates([.file(path)])) }
            settings.userAgent = fetch.userAgent
            return try URLImageFetcher(settings: settings, isImage: { ImageFormat.sniff($0) != .unknown }).imageFetcher
        } catch let error as ConfigurationError {
            throw error
        } catch let error as FetchError {
            throw Self.refusal(error.message, key: "fetch", of: configuration)
        } catch let error as OutboundHTTPError {
            throw Self.refusal("fetch.tls.ca_file: \(error.message)", key: "fetch.tls.ca_file", of: configuration)
        } catch {
            throw Self.refusal("fetch cannot be used", key: "fetch", of: configuration)
        }
    }

    private static func port(_ text: String, of configuration: AppConfiguration) throws(ConfigurationError) -> Int {
        guard let port = Int(text), 1...65_535 ~= port else {
            throw Self.refusal(
                "fetch.ports: \(text) is no port; expected 1 to 65535",
                key: "fetch.ports",
                of: configuration
            )
        }
        return port
    }

    private static func refusal(
        _ message: String,
        key: String,
        of configuration: AppConfiguration
    ) -> ConfigurationError {
        let code: ConfigurationError.Code = key.hasSuffix("ca_file") ? .certificateUnusable : .malformedValue
        return ConfigurationError(
            [.init(code, key: key, message)],
            notices: configuration.notices,
            file: configuration.file
        )
    }
}
