import AsyncHTTPClient
import Foundation
import IDCardTesting
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import Subprocess
import Testing

/// A service with real endpoints, as far as the user accounts of its cards go.
@Suite("idcard-pipeline serve, and cards without a user account", .timeLimit(.minutes(Sanitizer.minutes(5))))
struct ServeUserNumberTests {
    /// Endpoints that are never reached.
    private static let remotes = [
        "IDCARD_VERIFICATION_URL": "http://127.0.0.1:1", "IDCARD_VERIFICATION_API_KEY": "k",
        "IDCARD_VERIFICATION_API_SECRET": "s", "IDCARD_DELIVERY_URL": "http://127.0.0.1:1",
        "IDCARD_DELIVERY_TOKEN": "t",
    ]

    @Test(
        "One is refused before it is stored, unless the configuration names an account for all",
        arguments: [[:], ["IDCARD_DELIVERY_USER_NO": "U-1"]]
    )
    func refused(account: [String: String]) async throws {
        let tool = try Tool()
        let added = try await tool.run(["tokens", "add", "desk", "--scope", "submit"])
        let token = added.output.trimmingCharacters(in: .whitespacesAndNewlines)
        let photo = try Data(contentsOf: Project.fixtures.appending(path: "cards/LOAN-2026-0001/front.jpg"))
        let variables = Self.remotes.merging(account) { $1 }
        let serve = ["serve", "--listen", "127.0.0.1:0"]
        let status = try await tool.running(serve, variables) { errors, signal in
            let line = try #require(try await errors.line(containing: "listening on "))
            let address = try #require(line.split(separator: " ").first { $0.hasPrefix("http://") })
            var request = HTTPClientRequest(url: address.prefix { $0 != ";" } + "/v1/cards")
            request.method = .POST
            request.headers.add(name: "Authorization", value: "Bearer \(token)")
            request.headers.add(name: "Content-Type", value: "image/jpeg")
            request.headers.add(name: "Card-Business-No", value: "HTTP-1")
            request.body = .bytes(ByteBuffer(data: photo))
            let response = try await HTTPClient.shared.execute(request, timeout: .seconds(30))
            let body = String(buffer: try await response.body.collect(upTo: 1 << 20))
            #expect(response.status.code == (account.isEmpty ? 422 : 202), "\(body)")
            #expect(body.contains("user_no_missing") == account.isEmpty)
            try signal(.terminate)
        }
        #expect(status == 143)
    }
}
