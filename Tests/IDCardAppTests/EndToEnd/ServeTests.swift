import AsyncHTTPClient
import Foundation
import IDCardTesting
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import Subprocess
import SystemPackage
import Testing

/// The built command as a service, asked over a real port, with its embedded endpoints.
@Suite("idcard-pipeline serve, as a user runs it", .serialized, .timeLimit(.minutes(Sanitizer.minutes(5))))
struct ServeTests {
    private struct Answer: Decodable {
        var cardID: String?
        var runID: String?
        var code: String?
        var duplicate: Bool?

        enum CodingKeys: String, CodingKey {
            case cardID = "card_id"
            case runID = "run_id"
            case code
            case duplicate
        }
    }

    private let tool: Tool

    init() throws { self.tool = try Tool() }

    private static let serve = ["serve", "--embedded", "--listen", "127.0.0.1:0"]

    private func token(_ name: String, _ scopes: String...) async throws -> String {
        let outcome = try await self.tool.run(["tokens", "add", name, "--scope"] + scopes)
        try #require(outcome.status == 0, "\(outcome.errors)")
        return outcome.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Waits until the service listens, and returns its address.
    private func address(_ errors: ErrorLines) async throws -> String {
        let line = try #require(try await errors.line(containing: "listening on "))
        let words = try #require(line.split(separator: " ").first { $0.hasPrefix("http://") })
        return String(words.drop { $0 == " " }.prefix { $0 != ";" })
    }

    private func send(
        _ method: String,
        _ url: String,
        token: String,
        headers: [(String, String)] = [],
        body: Data? = nil
    ) async throws -> (status: Int, answer: Answer?) {
        var request = HTTPClientRequest(url: url)
        request.method = .init(rawValue: method)
        request.headers.add(name: "Authorization", value: "Bearer \(token)")
        for (name, value) in headers { request.headers.add(name: name, value: value) }
        if let body { request.body = .bytes(ByteBuffer(data: body)) }
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(30))
        let data = Data(buffer: try await response.body.collect(upTo: 1 << 20))
        return (Int(response.status.code), try? JSONDecoder().decode(Answer.self, from: data))
    }

    /// The lines of `/metrics`.
    private func figures(of address: String, token: String) async throws -> [String] {
        var request = HTTPClientRequest(url: address + "/metrics")
        request.headers.add(name: "Authorization", value: "Bearer \(token)")
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(30))
        let text = String(buffer: try await response.body.collect(upTo: 1 << 20))
        return text.split(separator: "\n").map(String.init)
    }

    private func upload(to address: String, token: String) async throws -> (status: Int, answer: Answer?) {
        let photo = try Data(contentsOf: Project.fixtures.appending(path: "cards/LOAN-2026-0001/front.jpg"))
        let headers = [("Content-Type", "image/jpeg"), ("Card-Business-No", "HTTP-1")]
        return try await self.send("POST", address + "/v1/cards", token: token, headers: headers, body: photo)
    }

    @Test("An uploaded card is delivered once, however often it is sent, and SIGTERM ends the service in order")
    func upload() async throws {
        let token = try await self.token("desk", "submit", "read")
        let status = try await self.tool.running(Self.serve, ["IDCARD_LOG_LEVEL": "debug"]) { errors, signal in
            let address = try await self.address(errors)
            let first = try await self.upload(to: address, token: token)
            #expect(first.status == 202)
            #expect(first.answer?.duplicate == false)
            #expect(try await errors.line(containing: "delivery attempted")?.contains("accepted") == true)
            let second = try await self.upload(to: address, token: token)
            #expect(second.answer?.cardID == first.answer?.cardID)
            #expect(second.answer?.duplicate == true)
            let figures = try await self.figures(of: address, token: token)
            for line in [
                #"idcard_stage_calls_total{outcome="accepted",stage="prepare"} 1"#,
                #"idcard_stage_calls_total{outcome="accepted",stage="verify"} 1"#,
                #"idcard_stage_duration_seconds_count{stage="deliver"} 1"#,
                #"idcard_cards_entered_total{state="verified"} 1"#,
            ] {
                #expect(figures.contains(line), "\(line)")
            }
            try signal(.terminate)
        }
        #expect(status == 143)
        let cards = try await self.tool.run(["cards", "list", "--embedded", "--state", "delivered", "--quiet"])
        #expect(cards.output.split(separator: "\n").count == 1)
    }

    @Test("What was received before the process is killed is delivered by the next one")
    func killed() async throws {
        let token = try await self.token("desk", "submit")
        var card: String?
        let status = try await self.tool.running(Self.serve) { errors, signal in
            let address = try await self.address(errors)
            card = try await self.upload(to: address, token: token).answer?.cardID
            try signal(.kill)
        }
        #expect(status == 128 + 9)
        #expect(try await self.tool.run(["run", "--embedded"]).status == 0)
        let cards = try await self.tool.run(["cards", "list", "--embedded", "--state", "delivered", "--quiet"])
        #expect(cards.output.trimmingCharacters(in: .whitespacesAndNewlines) == card)
    }

    @Test("A run over a named folder takes its cards in; one of no source, and one without the scope, are refused")
    func sources() async throws {
        let folder = try self.tool.folder(
            "inbox",
            [
                "S-1/front.jpg": "cards/LOAN-2026-0001/front.jpg",
                "S-1/back.jpg": "cards/LOAN-2026-0001/back.jpg",
            ]
        )
        let submitting = try await self.token("desk", "submit", "read")
        let reading = try await self.token("auditor", "read")
        let variables = ["IDCARD_SOURCES": "inbox=\(folder.path)"]
        let status = try await self.tool.running(Self.serve, variables) { errors, signal in
            let address = try await self.address(errors)
            let json = [("Content-Type", "application/json")]
            let known = Data(#"{"source":"inbox"}"#.utf8)
            let unknown = Data(#"{"source":"outbox"}"#.utf8)
            let runs = address + "/v1/runs"
            let refused = try await self.send("POST", runs, token: reading, headers: json, body: known)
            #expect(refused.status == 403)
            let absent = try await self.send("POST", runs, token: submitting, headers: json, body: unknown)
            #expect(absent.status == 422)
            let run = try await self.send("POST", runs, token: submitting, headers: json, body: known)
            #expect(run.status == 202)
            let ended = try await errors.line(containing: "run over a source ended")
            #expect(ended?.contains("run.state=complete") == true)
            let id = try #require(run.answer?.runID)
            #expect(try await self.send("GET", "\(runs)/\(id)", token: submitting).status == 200)
            try signal(.interrupt)
        }
        #expect(status == 130)
        #expect(try await self.tool.run(["run", "--embedded"]).status == 0)
        let cards = try await self.tool.run(["cards", "list", "--embedded", "--state", "delivered", "--quiet"])
        #expect(cards.output.split(separator: "\n").count == 2)
    }

    @Test("A token that was taken back is refused once the service was told, and a new one works")
    func reload() async throws {
        let old = try await self.token("old", "read")
        let status = try await self.tool.running(Self.serve) { errors, signal in
            let address = try await self.address(errors)
            #expect(try await self.send("GET", address + "/v1/cards", token: old).status == 200)
            let new = try await self.token("new", "read")
            #expect(try await self.tool.run(["tokens", "revoke", "old"]).status == 0)
            #expect(try await self.send("GET", address + "/v1/cards", token: new).status == 401)
            try signal(.terminalClosed)
            #expect(try await errors.line(containing: "read again") != nil)
            #expect(try await self.send("GET", address + "/v1/cards", token: new).status == 200)
            #expect(try await self.send("GET", address + "/v1/cards", token: old).status == 401)
            try signal(.terminate)
        }
        #expect(status == 143)
    }

    /// What is wrong with a configuration, and the key that the words name.
    struct Mistake: Sendable, CustomTestStringConvertible {
        var arguments: [String] = []
        var variables: [String: String] = [:]
        var key: String

        var testDescription: String { "\(self.arguments) \(self.variables)" }
    }

    private static let wrongOnes = [
        Mistake(arguments: ["--listen", "nowhere"], key: "server.listen"),
        Mistake(arguments: ["--listen", "0.0.0.0:0"], key: "server.tls.certificate"),
        Mistake(variables: ["IDCARD_SOURCES": "inbox"], key: "NAME=PATH"),
        Mistake(variables: ["IDCARD_WEBHOOKS_SECRETS": "short"], key: "webhooks.secrets"),
        // More than the process lets itself open, whatever the system allows.
        Mistake(variables: ["IDCARD_SERVER_MAX_CONNECTIONS": "65536"], key: "open files"),
        Mistake(variables: ["IDCARD_SERVER_TLS_KEY": "/nowhere.pem"], key: "server.tls.certificate"),
    ]

    @Test("A wrong configuration ends with 78 before anything listens, and says which key", arguments: wrongOnes)
    func mistakes(_ mistake: Mistake) async throws {
        let outcome = try await self.tool.run(["serve", "--embedded"] + mistake.arguments, mistake.variables)
        #expect(outcome.status == 78)
        #expect(outcome.errors.contains(mistake.key), "\(outcome.errors)")
    }

    @Test("A port that another program has is named with the key or option that sets it", arguments: ["serve", "verifier"])
    func takenPort(command: String) async throws {
        let other = FaultServer { _, _ in .answer { _ in FaultReply("200 OK") } }
        let port = try await other.start()
        let arguments = [
            "serve": ["serve", "--embedded", "--listen", "127.0.0.1:\(port)"],
            "verifier": ["verifier", "--port", "\(port)"],
        ]
        let outcome = try await self.tool.run(try #require(arguments[command]))
        await other.stop()
        #expect(outcome.status == 78)
        let key = command == "serve" ? "server.listen" : "--port"
        let words = "error: cannot listen on 127.0.0.1:\(port): another program listens there (`ss -ltnp 'sport = :\(port)'`"
        #expect(outcome.errors.contains(words) && outcome.errors.contains(key), "\(outcome.errors)")
    }
}
