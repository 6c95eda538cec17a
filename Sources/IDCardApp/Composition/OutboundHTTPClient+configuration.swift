import IDCardCore
import OutboundHTTP

extension OutboundHTTPClient.Configuration {
    /// Takes the settings of one of the two remote sides.
    ///
    /// - Throws: `OutboundHTTPError` if a certificate, key or proxy cannot be used.
    init(
        _ http: AppConfiguration.HTTP,
        tls: AppConfiguration.TLS,
        proxy: ProxyAddress?,
        concurrency: Int
    ) throws(OutboundHTTPError) {
        self.init()
        self.connectTimeout = http.connectTimeout
        self.poolTimeout = http.poolWaitTimeout
        self.idleWriteTimeout = http.idleWriteTimeout
        self.idleReadTimeout = http.idleReadTimeout
        self.poolIdleTimeout = http.poolIdleTimeout
        self.maximumReplyBytes = http.maximumReplyBytes
        // Every call that may be under way has a connection; none waits for another's.
        self.maximumConnectionsPerHost = max(self.maximumConnectionsPerHost, concurrency)
        self.tls = try TLSSettings(tls)
        guard let proxy else { return }
        self.proxy = try ProxySettings(
            host: proxy.host,
            port: proxy.port,
            user: proxy.user?.reveal(),
            password: proxy.password?.reveal()
        )
    }
}

extension TLSSettings {
    /// Reads the certificates and the key that a configuration names.
    fileprivate init(_ tls: AppConfiguration.TLS) throws(OutboundHTTPError) {
        let trust: Trust
        var insecure = (is: false, forced: false)
        switch tls.trust {
        case .system: trust = .systemRoots
        case .authorities(let path): trust = .certificates([.file(path)])
        case .pinned(let paths): trust = .pinned(paths.map(PEMSource.file))
        case .anything(let isForced): (trust, insecure) = (.systemRoots, (true, isForced))
        }
        try self.init(
            trust: trust,
            clientIdentity: tls.identity.map {
                ClientIdentity(certificates: .file($0.certificatePath), privateKey: .file($0.keyPath))
            },
            insecure: insecure.is,
            insecureForced: insecure.forced
        )
    }
}
