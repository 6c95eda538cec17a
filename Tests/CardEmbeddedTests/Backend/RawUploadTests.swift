import CardEmbedded
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct RawUploadTests {
    private let folder = BackendFolder()

    @Test(arguments: ["application/octet-stream", "image/jpeg"])
    func `Stores the image under what the headers say`(type: String) async throws {
        var upload = RawUpload()
        upload.set("Content-Type", type)
        try await withBackend(in: self.folder) {
            $0.tokens = ["token 1"]
        } body: { [upload] client async throws in
            let answer = try await client.upload(upload, key: "\"k\"")
            #expect(answer.text == #"{"RETCODE":"000000","RETMSG":"success"}"#)
            #expect(try await client.upload(upload, key: "\"k\"").isReplay)
        }
        let ledger = try self.folder.ledger()
        #expect(ledger.map(\.businessNo) == ["号1"])
        #expect(ledger.map(\.doctype) == ["IDCARD_FRONT_APP"])
        #expect(try Data(contentsOf: self.folder.url.appending(path: ledger[0].file)) == Data(HandWrittenForm.jpeg))
    }

    @Test func `Takes the fields and the image for the content that belongs to a key`() async throws {
        try await withBackend(in: self.folder) { client async throws in
            _ = try await client.upload(RawUpload(), key: "\"k\"")
            for (name, value) in [("X-BUSINESSNO", "B-2"), ("Content-Disposition", "attachment; filename=\"x\"")] {
                var other = RawUpload()
                other.set(name, value)
                #expect(try await client.upload(other, key: "\"k\"").status == 422, "\(name)")
            }
            var image = RawUpload()
            image.body.insert(0, at: 4)
            #expect(try await client.upload(image, key: "\"k\"").status == 422)
        }
        #expect(try self.folder.ledger().count == 1)
    }

    /// Names that are missing, values that are wrong, and headers that are ambiguous; the rest is as in a form.
    @Test(arguments: [
        ("X-BUSINESSNO", nil as String?, "200001" as String?), ("Content-Disposition", nil, "200001"),
        ("X-BUSINESSNO", "%FF", "200002"), ("Content-Disposition", "attachment; filename=a.jpg", "200003"),
        ("X-BUSINESSNO", "%", nil), ("X-BUSINESSNO", "%1", nil), ("X-BUSINESSNO", "%+1", nil),
        ("Content-Disposition", "inline; filename=\"IDFrontImage.jpg\"", nil),
        ("X-USERNO", "user-1\r\nX-USERNO: user-2", nil),
    ])
    func `refuses missing or wrong values as a form does`(name: String, value: String?, retcode: String?) async throws {
        var upload = RawUpload()
        upload.set(name, value)
        try await withBackend(in: self.folder) { [upload] client async throws in
            let answer = try await client.upload(upload, key: "\"k\"")
            #expect(answer.retcode == retcode && answer.code == (retcode == nil ? "form_malformed" : nil))
            #expect(answer.status == (retcode == nil ? 400 : 200))
        }
        #expect(try self.folder.documents().isEmpty)
    }
}

/// A raw image with its fields in headers.
private struct RawUpload {
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

extension EndpointClient {
    /// Sends a raw image; `key` is the header's value, quotes included.
    fileprivate func upload(_ upload: RawUpload, key: String) async throws -> RawResponse {
        let headers = upload.headers + [("Idempotency-Key", key)]
        return try await self.send(RawRequest("POST", "/upload", headers: headers, body: Data(upload.body)))
    }
}
