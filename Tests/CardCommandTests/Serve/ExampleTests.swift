import Foundation
import Subprocess
import SystemPackage
import TestSupport
import Testing

/// What lies in `config/examples` is usable as it is.
@Suite(.timeLimit(.minutes(5))) struct ExampleTests {
    private static let folder = Project.root.appending(path: "config/examples")
    private static let secret = "whsec_" + Data(repeating: 7, count: 32).base64EncodedString()
    private static let configurations = names("yaml")

    private let tool: Tool

    init() throws { self.tool = try Tool() }

    private static func names(_ suffix: String) -> [String] {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return all.filter { $0.hasSuffix("." + suffix) }.sorted()
    }

    @Test(arguments: configurations) func `an example configuration is usable with the secrets it asks for`(
        file: String
    ) async throws {
        let token = try self.tool.secretFile("token", "TOKEN-1")
        let key = try self.tool.secretFile("reply.key", "0123456789abcdef01234567")
        let secrets = [
            "IDCARD_VERIFICATION_API_KEY": "key", "IDCARD_VERIFICATION_API_SECRET": "secret",
            "IDCARD_DELIVERY_TOKEN_FILE": token.path, "IDCARD_DELIVERY_REPLY_KEY_FILE": key.path,
        ]
        let path = Self.folder.appending(path: file).path
        try await self.tool.run(["config", "check", "--config", path], secrets, ends: 0)
    }

    @Test func `the example configurations are found`() {
        #expect(Self.configurations.count >= 4, "\(Self.configurations)")
    }

    @Test(arguments: ["webhook.py", "webhook.sh"])
    func `an example sender brings a card in, and prints why one is refused`(
        sender: String
    ) async throws {
        let photo = Project.fixtures.appending(path: "cards/LOAN-2026-0001/front.jpg").path
        let secrets = ["IDCARD_WEBHOOKS_SECRETS": "branch=\(Self.secret)"]
        try await self.tool.serve(["--embedded", "--documents", self.tool.documents.path], secrets) { service, _ in
            let url = service.address + "/v1/webhooks/cards"
            let first = try await self.send(sender, [url, "LOAN-1", photo])
            #expect(first.status == .exited(0) && first.output.contains("card_id"), "\(first)")
            let refused = try await self.send(sender, [url, "", photo])
            #expect(refused.status == .exited(1) && refused.output.contains("business_no"), "\(refused)")
        }
        #expect(try await self.tool.run(["cards", "list", "--embedded", "--quiet"]).lines.count == 1)
    }

    private func send(_ sender: String, _ arguments: [String]) async throws -> (
        status: TerminationStatus, output: String, errors: String
    ) {
        let result = try await Subprocess.run(
            .path(FilePath(Self.folder.appending(path: sender).path)),
            arguments: Arguments(arguments),
            environment: .inherit.updating(["WEBHOOK_SECRET": Self.secret]),
            output: .string(limit: 1 << 20),
            error: .string(limit: 1 << 20)
        )
        return (result.terminationStatus, result.standardOutput, result.standardError)
    }
}
