import IDCardCore
import IDCardDelivery
import IDCardPipeline
import OutboundHTTP
import Synchronization

extension BusinessBackend {
    /// Calls a business backend.
    ///
    /// - Throws: `DeliveryError` if the address, the layout or the encryption cannot be used.
    static func calling(
        _ services: RemoteServices,
        configuration: AppConfiguration.Delivery,
        client: OutboundHTTPClient
    ) throws -> BusinessBackend {
        let layout = try DeliveryLayout(
            DeliveryLayout.Kind(configuration.layout),
            names: services.names,
            userNumber: services.userNumber,
            maximumBatchMembers: configuration.batch.maximumCards
        )
        try services.delivery.check(layout.kind)
        let backend = try BusinessBackendClient(services.delivery, http: client)
        let token = CurrentToken(source: services.token, partName: services.names.token)
        return BusinessBackend(
            grouping: DeliveryGrouping(configuration),
            defaultUserNumber: services.userNumber,
            host: EndpointURL(services.delivery.url)?.hostAndPort ?? services.delivery.url,
            form: { members in try await token.form(members, layout: layout) },
            boundary: { key, parts, images in
                do throws(DeliveryError) {
                    return try backend.boundary(forKey: key, parts: parts, images: images)
                } catch {
                    throw RemoteFailure(.stop, code: "\(error.code)", message: error.message)
                }
            },
            send: { delivery in
                let outcome = await backend.send(delivery)
                // A delivery that was cut short ends without an outcome; one that was answered, or never sent, has one.
                if case .failed(let failure) = outcome, failure.failureClass != .notSent {
                    try Task.checkCancellation()
                }
                return outcome
            },
            hasNewToken: { await token.isNew(comparedWith: $0) },
            usesOtherToken: { await token.isOther(than: $0) }
        )
    }
}

/// The TOKEN that forms are written with: read anew for every form; one that a command gives, when it was refused.
private final class CurrentToken: Sendable {
    private let source: TokenSource
    private let partName: String
    private let fromCommand = Mutex<Redacted<String>?>(nil)
    /// A TOKEN that is issued may end the one before: one command at a time, and none for a form older than the TOKEN.
    private let asking = KeyedExclusion<Int>()

    init(source: TokenSource, partName: String) {
        self.source = source
        self.partName = partName
    }

    /// Writes a form with the TOKEN that holds now; a TOKEN that cannot be read stops the stage.
    func form(_ members: [DeliveryMember], layout: DeliveryLayout) async throws -> [DeliveryPart] {
        let token: Redacted<String>
        do {
            token = try await self.asking.run(under: 0) {
                if let known = self.fromCommand.withLock({ $0 }) { known } else { try await self.read() }
            }
        } catch let error as ConfigurationError {
            throw RemoteFailure(.stop, code: "token_unavailable", message: error.message)
        }
        do throws(DeliveryError) {
            return try layout.parts(for: members, token: token)
        } catch {
            throw RemoteFailure(.rejected, code: "\(error.code)", message: error.message)
        }
    }

    /// Whether the source gives another TOKEN than a form was written with.
    func isNew(comparedWith parts: [DeliveryPart]) async -> Bool {
        await self.asking.run(under: 0) {
            if let known = self.fromCommand.withLock({ $0 }), !self.holds(parts, known) { return true }
            do {
                return !self.holds(parts, try await self.read())
            } catch is CancellationError {
                // Nothing is known of the TOKEN: no reason to stop the stage.
                return true
            } catch {
                return false  // Still no TOKEN to go on with.
            }
        }
    }

    /// Whether forms are written with another TOKEN by now; a command that was not run yet is not run for this.
    func isOther(than parts: [DeliveryPart]) async -> Bool {
        if let known = self.fromCommand.withLock({ $0 }) { return !self.holds(parts, known) }
        guard !self.source.isCommand else { return false }
        return await self.isNew(comparedWith: parts)
    }

    private func holds(_ parts: [DeliveryPart], _ token: Redacted<String>) -> Bool {
        parts.contains(.text(token.reveal(), name: self.partName))
    }

    private func read() async throws -> Redacted<String> {
        let token = try await self.source.current()
        if self.source.isCommand { self.fromCommand.withLock { $0 = token } }
        return token
    }
}

extension DeliveryLayout.Kind {
    fileprivate init(_ layout: AppConfiguration.Delivery.Layout) {
        switch layout {
        case .single: self = .single
        case .application: self = .application
        case .batch: self = .batch
        }
    }
}

extension DeliveryGrouping {
    fileprivate init(_ delivery: AppConfiguration.Delivery) {
        switch delivery.layout {
        case .single: self = .single
        case .application: self = .application
        case .batch:
            self = .batch(
                maximumCards: delivery.batch.maximumCards,
                maximumBytes: delivery.batch.maximumBytes,
                wait: delivery.batch.wait
            )
        }
    }
}
