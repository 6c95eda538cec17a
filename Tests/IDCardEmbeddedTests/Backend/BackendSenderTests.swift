import Foundation
import IDCardEmbedded
import IDCardTesting
import MultipartForm
import Subprocess
import Testing

@Suite("Senders the embedded backend has to understand", .timeLimit(.minutes(Sanitizer.minutes(2))))
struct BackendSenderTests {
    private static let isCurlInstalled = ["/usr/bin/curl", "/usr/local/bin/curl", "/bin/curl"].contains {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    @Test("curl delivers a front", .enabled(if: isCurlInstalled, "curl is not installed"))
    func curl() async throws {
        let folder = BackendFolder()
        try await withBackend(in: folder) { client async throws in
            let image = folder.url.appending(path: "to-send.jpg").path
            try Data(HandWrittenForm.jpeg).write(to: URL(filePath: image))
            let fields = [
                "TOKEN=t", "USERNO=u", "BUSINESSTYPE=LOAN_APPLY", "BUSINESSNO=B-1", "DOCTYPE=IDCARD_FRONT_APP",
            ]
            let result = try await Subprocess.run(
                .name("curl"),
                arguments: Arguments(
                    ["-q", "-sS", "--noproxy", "*", "-H", "Idempotency-Key: \"k\""]
                        + fields.flatMap { ["--form-string", $0] }
                        + ["-F", "FILE=@\(image);type=image/jpeg;filename=IDFrontImage.jpg"]
                        + ["http://127.0.0.1:\(client.port)/upload"]
                ),
                output: .string(limit: 4_096),
                error: .string(limit: 4_096)
            )
            #expect(result.standardOutput == "{\"RETCODE\":\"000000\",\"RETMSG\":\"success\"}")
        }
        let ledger = try folder.ledger()
        #expect(ledger.map(\.businessNumber) == ["B-1"])
        #expect(try Data(contentsOf: folder.url.appending(path: ledger[0].file)) == Data(HandWrittenForm.jpeg))
    }

    @Test("the project's own encoder is read part by part")
    func ownEncoder() throws {
        let image = Data(HandWrittenForm.jpeg + Array("\r\n--form-\r\n--\r\n".utf8))
        let parts: [MultipartForm.Part] = [
            .text("", name: "empty"), .text("值; \"x\"\r\n", name: "text"), .text("2", name: "text"),
            .file(.bytes(image), name: "文", filename: "护照 a;b=c\\d.jpg", contentType: "image/jpeg"),
            .file(.bytes(Data()), name: "f\"g", filename: "e", contentType: "application/octet-stream"),
        ]
        let form = try MultipartForm(parts: parts, boundary: .derived(from: "key", absentFrom: parts))
        var reader = try form.makeReader()
        var body: [UInt8] = []
        while let chunk = try reader.read(upTo: 7) { body += chunk }
        let received = try ReceivedForm(
            parsing: body,
            contentType: form.contentType,
            contentLength: "\(form.contentLength)"
        )
        // The quote arrives as the encoder must write it: receivers do not turn %22 back.
        #expect(received.parts.map(\.name) == ["empty", "text", "text", "文", "f%22g"])
        #expect(received.parts.map(\.filename) == [nil, nil, nil, "护照 a;b=c\\d.jpg", "e"])
        #expect(received.parts.map(\.contentType) == [nil, nil, nil, "image/jpeg", "application/octet-stream"])
        #expect(received.parts.map(\.body) == [[], Array("值; \"x\"\r\n".utf8), [0x32], Array(image), []])
    }
}
