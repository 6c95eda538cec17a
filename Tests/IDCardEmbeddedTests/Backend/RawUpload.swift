import AsyncHTTPClient
import NIOCore
import NIOHTTP1

/// A raw image with its fields in headers.
struct RawUpload {
    var headers: [(String, String)] = [
        ("X-TOKEN", "token%201"), ("X-USERNO", "user-1"), ("X-BUSINESSTYPE", "LOAN_APPLY"),
        ("X-BUSINESSNO", "%E5%8F%B71"),
        ("X-DOCTYPE", "IDCARD_FRONT_APP"), ("Content-Disposition", "attachment; filename=\"IDFrontImage.jpg\""),
        ("Content-Type", "application/octet-stream"),
    ]
    var body = HandWrittenForm.jpeg

    /// Replaces a header; `nil` removes it.
    mutating func set(_ name: String, _ value: String?) {
        self.headers.removeAll { $0.0 == name }
        if let value { self.headers.append((name, value)) }
    }
}

extension BackendClient {
    /// Sends a raw image; `key` is the header's value, quotes included.
    func upload(_ upload: RawUpload, key: String) async throws -> Answer {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(self.port)/upload")
        request.method = .POST
        request.headers.add(name: "Idempotency-Key", value: key)
        for (name, value) in upload.headers { request.headers.add(name: name, value: value) }
        request.body = .bytes(ByteBuffer(bytes: upload.body))
        return try await self.send(request)
    }
}
