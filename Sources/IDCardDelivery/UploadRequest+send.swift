import IDCardCore
import IDCardMultipartForm
import OutboundHTTP

extension UploadRequest {
    /// Sends it once.
    func send(
        by http: OutboundHTTPClient,
        to endpoint: RemoteEndpoint,
        deadline: Duration
    ) async -> HTTPExchange {
        switch self.content {
        case .form(let form):
            await http.post(form, to: endpoint, headers: self.headers, deadline: deadline)
        case .image(let bytes, let contentType):
            await http.upload(
                .bytes(bytes),
                contentType: contentType,
                to: endpoint,
                headers: self.headers,
                deadline: deadline
            )
        }
    }
}
