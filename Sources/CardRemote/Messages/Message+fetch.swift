import CardModel

// Each message stands on one line; a host is an entry of fetch.hosts.
// swift-format-ignore
extension Message {
    // MARK: Settings

    static func fetchHostInvalid(_ host: String) -> Self { Self("fetch.host_invalid", "\"\(Redacted(host))\" is not a host; write an address, a name such as images.example.com, or *.example.com for all names below example.com; leave out scheme, port and path, and write international names in their ASCII form") }
    static func fetchBlockInvalid(_ block: String) -> Self { Self("fetch.block_invalid", "\"\(Redacted(block))\" is not a block of addresses; write the first address and the prefix length, such as 10.20.0.0/16 or fd00:1::/32; for a single address, write only that address") }
    static func fetchPortInvalid(_ port: String) -> Self { Self("fetch.port_invalid", "\"\(Redacted(port))\" is not a port; write numbers from 1 to 65535") }

    // MARK: URLs

    static let fetchURLTooLong = Self("fetch.url_too_long", "the URL of the image has more than \(bytes: Limits.fetchURLBytes); use a shorter one")
    static let fetchURLCharacter = Self("fetch.url_character", "the URL of the image holds a character that is not allowed in a URL; percent-encode it")
    static let fetchURLRelative = Self("fetch.url_relative", "the URL of the image is not absolute; write it as https://host/path")
    static let fetchURLScheme = Self("fetch.url_scheme", "the URL of the image starts neither with https:// nor with http://; use one that does")
    static let fetchURLUser = Self("fetch.url_user", "the URL of the image holds a user name or a password; remove it")
    static let fetchURLHost = Self("fetch.url_host", "the host in the URL of the image is neither a name nor an address in its usual form; correct it")
    static let fetchURLPort = Self("fetch.url_port", "the port in the URL of the image is not a number from 1 to 65535; correct it")
    static let fetchNoHosts = Self("fetch.no_hosts", "cannot fetch images by URL while fetch.hosts is empty; list the hosts that images may come from")
    static let fetchHostRefused = Self("fetch.host_refused", "the host in the URL of the image is not in fetch.hosts; add it if images may come from there")
    static let fetchHTTPRefused = Self("fetch.http_refused", "the URL of the image starts with http://, but fetch.allow_http is off; use https")
    static func fetchPortRefused(_ port: Int) -> Self { Self("fetch.port_refused", "the URL of the image names port \(port), which is not in fetch.ports; add it if images may come from this port") }
    static func fetchAddressRefused(_ host: String, _ kind: SpecialAddress) -> Self { Self("fetch.address_refused", "the pipeline does not connect to \(code: host), because its address is of the kind \(kind); if images may come from this address, add its address block to fetch.allow_addresses") }
    static func fetchRedirects(_ host: String, limit: Int) -> Self { Self("fetch.redirects", "\(code: host) redirects more often than fetch.max_redirects (\(limit)) allows; use the URL at the end of the redirects, or raise fetch.max_redirects") }
    static func fetchRedirectUnusable(_ host: String) -> Self { Self("fetch.redirect_unusable", "\(code: host) redirects without a usable address; use another URL") }
    static func fetchRedirectHTTP(_ host: String) -> Self { Self("fetch.redirect_http", "\(code: host) redirects from https to http, which the pipeline does not follow; use another URL") }

    // MARK: Connections

    static let fetchUnresolved = Self("fetch.unresolved", "cannot resolve the host name in the URL of the image; check the URL and the name service of this machine")
    static func fetchTooSlow(_ host: String) -> Self { Self("fetch.too_slow", "\(code: host) stopped sending, or did not send the image in time; the pipeline keeps what it has and asks for the rest") }
    static func fetchCutOff(_ host: String) -> Self { Self("fetch.cut_off", "\(code: host) ended the connection before the image was complete; the pipeline fetches the rest later") }
    static func fetchUntrusted(_ host: String) -> Self { Self("fetch.untrusted", "the certificate of \(code: host) is not trusted or not valid now; if this is the right server, set fetch.tls.ca_file to a file with the certificates of the authority that issued the server's certificate") }
    static func fetchCertificateMissing(_ host: String) -> Self { Self("fetch.certificate_missing", "\(code: host) asks for a client certificate, which the pipeline never shows for images; use another URL") }

    // MARK: Answers

    static func fetchForbidden(_ host: String, _ status: Int) -> Self { Self("fetch.forbidden", "\(code: host) gives no access to the URL (status \(status)); a signed URL may have expired: send a new one") }
    static func fetchNotFound(_ host: String, _ status: Int) -> Self { Self("fetch.not_found", "\(code: host) has no image at the URL (status \(status)); send the card again with the right URL") }
    static func fetchGone(_ host: String, _ status: Int) -> Self { Self("fetch.gone", "\(code: host) has removed the image (status \(status)); send it again") }
    static func fetchThrottled(_ host: String, _ status: Int) -> Self { Self("fetch.throttled", "\(code: host) asks for a slower pace (status \(status)); the pipeline slows down") }
    static func fetchAgain(_ host: String, _ status: Int) -> Self { Self("fetch.again", "\(code: host) asks to try later (status \(status)); if this continues, ask who runs the host") }
    static func fetchServerError(_ host: String, _ status: Int) -> Self { Self("fetch.server_error", "\(code: host) failed (status \(status)); see its log") }
    static func fetchStatus(_ host: String, _ status: Int) -> Self { Self("fetch.status", "\(code: host) sent no image (status \(status)); check the URL") }
    static let fetchVersionChanged = Self("fetch.version_changed", "the host sends a different image at every request, so the rest of the image cannot be fetched; ask the operator of that host")
    static func fetchEncoding(_ host: String) -> Self { Self("fetch.encoding", "\(code: host) sends the image as gzip, but the gzip data is damaged or decompresses to more than imaging.max_source_bytes; have the image sent uncompressed") }
    static func fetchEmpty(_ host: String) -> Self { Self("fetch.empty", "\(code: host) sent an empty file; check the URL") }
    static func fetchTooLarge(_ host: String, limit: Int) -> Self { Self("fetch.too_large", "the image at \(code: host) has more than \(bytes: limit); send a smaller one, or raise imaging.max_source_bytes") }
    static let fetchNotAnImage = Self("fetch.not_an_image", "the file at the URL does not begin as an image does; check the URL")
}
