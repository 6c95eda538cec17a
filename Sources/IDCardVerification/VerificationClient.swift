package import Foundation
package import IDCardCore
package import OutboundHTTP

/// A verification service that reads one photo of one side, whatever its dialect.
///
/// A struct of closures: the service keeps no state on this side. Calling it again is harmless and costs quota only.
///
/// ```swift
/// let client = try VerificationClient(
///     VerificationClient.Configuration(
///         dialect: .faceppv1,
///         url: "https://api-cn.faceplusplus.com",
///         apiKey: key,
///         apiSecret: secret
///     ),
///     http: http
/// )
/// switch await client.verify(jpeg, boundaryKey: digest) {
/// case .read(let reading): judge(reading)
/// case .failed(let failure): decide(on: failure.failureClass)
/// }
/// ```
package struct VerificationClient: Sendable {
    /// The name of the provider and dialect: part of the key under which readings are kept.
    package var provider: String
    /// The parameters that change what is read: part of the same key. Never a credential.
    package var parameters: String
    /// What the service takes as an image.
    package var limits: VerificationLimits

    private let call: @Sendable (Data, String) async -> VerificationOutcome

    /// Makes a client out of a closure that takes the JPEG and the boundary key.
    package init(
        provider: String,
        parameters: String,
        limits: VerificationLimits = VerificationLimits(),
        call: @escaping @Sendable (_ jpeg: Data, _ boundaryKey: String) async -> VerificationOutcome
    ) {
        self.provider = provider
        self.parameters = parameters
        self.limits = limits
        self.call = call
    }

    /// Makes the client of a configured endpoint.
    ///
    /// - Parameters:
    ///   - configuration: where, as whom, in which dialect.
    ///   - http: what carries the requests.
    ///   - now: the wall clock, for signatures.
    ///   - random: gives a number of at most ten digits that differs from call to call, for signatures.
    /// - Throws: ``VerificationError``: `invalid_url`, `missing_credentials` or `invalid_lifetime`.
    package init(
        _ configuration: Configuration,
        http: OutboundHTTPClient,
        now: @escaping @Sendable () -> Timestamp = { Timestamp(Date()) },
        random: @escaping @Sendable () -> UInt64 = { .random(in: 0...9_999_999_999) }
    ) throws(VerificationError) {
        let dialect = configuration.dialect
        let endpoint = try DialectEndpoint(
            configuration,
            credentials: Credentials(configuration, now: now, random: random),
            http: http
        )
        self.init(
            provider: dialect.rawValue,
            parameters: dialect.form.parameters,
            limits: dialect.limits,
            call: { jpeg, boundaryKey in await endpoint.verify(jpeg, boundaryKey: boundaryKey) }
        )
    }

    /// Has one photo read.
    ///
    /// - Parameters:
    ///   - jpeg: the photo as it will be delivered.
    ///   - boundaryKey: what the form's boundary is derived from, such as the photo's digest: the same photo makes the
    ///     same bytes, a signature excepted.
    package func verify(_ jpeg: Data, boundaryKey: String) async -> VerificationOutcome {
        await self.call(jpeg, boundaryKey)
    }
}
