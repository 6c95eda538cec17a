import AsyncHTTPClient
import CardModel
import Foundation
import NIOHTTP1

/// A URL that the rules allow, with the checked addresses of its host.
struct FetchRoute: Sendable {
    let target: FetchTarget
    /// The name of the host in messages.
    let label: String
    /// The host with each of its addresses, the preferred ones first.
    var hosts: [CheckedHost]

    /// Classifies the faults of this route.
    var faults: FetchFaults { FetchFaults(label: self.label, usesTLS: self.target.usesTLS) }

    /// Checks a URL, resolves its host and checks every address. A host with a single forbidden address is refused, because the
    /// connection might be made to this one.
    init(_ url: String, rules: FetchRules, resolver: HostResolver) async throws(FetchError) {
        do { (self.target, self.label) = try rules.check(url) } catch { throw .forbidden(error) }
        let addresses: [IPAddress]
        do {
            addresses =
                switch self.target.host {
                case .address(let address): [address]
                case .name(let name): try await resolver.resolve(name)
                }
        } catch {
            var failure = FetchFaults(label: self.label, usesTLS: self.target.usesTLS).failure(.dns)
            // A name without an address is the fault of one URL, so it must not count for the host as an unreachable one.
            if error as? HostResolver.Failure == .noAddress { failure.failureClass = .transient }
            throw .failed(failure)
        }
        if let special = addresses.lazy.compactMap({ rules.addresses.refusal(of: $0) }).first {
            throw .forbidden(.fetchAddressRefused, .fetchAddressRefused(self.label, special))
        }
        let host = self.target.host
        self.hosts = addresses.prefix(Limits.fetchAddresses).map { CheckedHost(host: host, address: $0) }
    }

    /// Returns the route of a redirect; throws if no further redirect is allowed, or the rules forbid the target.
    func redirect(
        to location: String,
        isAllowed: Bool,
        rules: FetchRules,
        resolver: HostResolver
    ) async throws(FetchError) -> FetchRoute {
        guard isAllowed else {
            throw .forbidden(.fetchRedirectRefused, .fetchRedirects(self.label, limit: rules.maximumRedirects))
        }
        let base = URL(string: self.target.url)
        guard !location.isEmpty, let url = URL(string: location, relativeTo: base)?.absoluteString else {
            throw .forbidden(.fetchRedirectRefused, .fetchRedirectUnusable(self.label))
        }
        let next = try await FetchRoute(url, rules: rules, resolver: resolver)
        guard next.target.usesTLS || !self.target.usesTLS else {
            throw .forbidden(.fetchRedirectRefused, .fetchRedirectHTTP(self.label))
        }
        return next
    }

    func request(_ part: ImagePart?) -> HTTPClientRequest {
        var request = HTTPClientRequest(url: self.target.url)
        request.headers = [
            "User-Agent": "idcard-pipeline", "Accept": "image/*, */*;q=0.5", "Accept-Encoding": "identity",
        ]
        if let part {
            let last = part.range.upperBound == .max ? "" : "\(part.range.upperBound - 1)"
            request.headers.add(name: "Range", value: "bytes=\(part.range.lowerBound)-\(last)")
            if let validator = part.version.validator { request.headers.add(name: "If-Range", value: validator) }
        }
        return request
    }
}
