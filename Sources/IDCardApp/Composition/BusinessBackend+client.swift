import IDCardCore
import IDCardDelivery
import IDCardPipeline
import OutboundHTTP

extension BusinessBackend {
    /// Calls the business backend of a configuration.
    ///
    /// - Throws: `DeliveryError` if the address or the layout cannot be used.
    static func calling(
        _ services: RemoteServices,
        configuration: AppConfiguration.Delivery,
        client: OutboundHTTPClient
    ) throws -> BusinessBackend {
        var names = FormNames()
        names.businessTypeValue = configuration.businessType
        let layout = try DeliveryLayout(
            DeliveryLayout.Kind(configuration.layout),
            names: names,
            userNumber: services.userNumber
        )
        let backend = try BusinessBackendClient(
            BusinessBackendClient.Configuration(
                url: services.deliveryURL,
                timeout: configuration.timeout,
                retcodes: services.retcodes
            ),
            http: client
        )
        let token = CurrentToken(source: services.token, partName: names.token)
        return BusinessBackend(
            form: { members in try token.form(members, layout: layout) },
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
            hasNewToken: { token.isNew(comparedWith: $0) }
        )
    }
}

/// The TOKEN that forms are written with, read anew for every form.
private struct CurrentToken: Sendable {
    let source: TokenSource
    let partName: String

    /// Writes a form with the TOKEN that holds now; a TOKEN that cannot be read stops the stage.
    func form(_ members: [DeliveryMember], layout: DeliveryLayout) throws -> [DeliveryPart] {
        let token: Redacted<String>
        do throws(ConfigurationError) {
            token = try self.source.current()
        } catch {
            throw RemoteFailure(.stop, code: "token_unavailable", message: error.message)
        }
        do throws(DeliveryError) {
            return try layout.parts(for: members, token: token)
        } catch {
            throw RemoteFailure(.rejected, code: "\(error.code)", message: error.message)
        }
    }

    /// Whether the source gives another TOKEN than a form was written with.
    func isNew(comparedWith parts: [DeliveryPart]) -> Bool {
        guard let token = try? self.source.current() else { return false }  // Still no TOKEN to go on with.
        return !parts.contains(.text(token.reveal(), name: self.partName))
    }
}

extension DeliveryLayout.Kind {
    fileprivate init(_ layout: AppConfiguration.Delivery.Layout) {
        switch layout {
        case .single: self = .single
        }
    }
}
