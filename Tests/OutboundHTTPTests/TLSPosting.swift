import IDCardTesting
import MultipartForm

@testable import OutboundHTTP

/// Posts a form to a server that shows a certificate, and says how it ended and how many requests the server has seen.
func postOverTLS(
    to server: SpecimenCertificate,
    trusting settings: TLSSettings,
    host: String = "localhost",
    clientAuthority: String? = nil,
    isLimitedToTLS12: Bool = false,
    fileBytes: Int = 3000
) async throws -> (exchange: HTTPExchange, received: Int) {
    var options = FaultServer.Options()
    options.tls = FaultTLS(
        certificates: server.certificate,
        privateKey: server.key,
        clientAuthority: clientAuthority,
        isLimitedToTLS12: isLimitedToTLS12
    )
    var configuration = OutboundHTTPClient.Configuration()
    configuration.tls = settings
    var exchange = HTTPExchange.cancelled(.notSent)
    var received = 0
    try await withFaultServer(.reply(FaultReply(body: "{}")), options: options) { server, port in
        let endpoint = try RemoteEndpoint("https://\(host):\(port)/")
        let form = try makeForm(fileBytes: fileBytes)
        exchange = try await withClient(configuration) {
            await $0.post(form, to: endpoint, deadline: .seconds(20))
        }
        received = server.received.count
    }
    return (exchange, received)
}
