import Foundation
import Subprocess
import SystemPackage
import TestSupport
import Testing

/// The built command as a service, asked over a real port.
@Suite("idcard-pipeline serve", .serialized, .timeLimit(.minutes(5)))
struct ServeTests {
    let tool: Tool
    let verifier = MarkVerifier()
    let backend = ScriptedBackend()
    /// Tells of each form that comes.
    let forms = Gate()

    init() throws {
        self.tool = try Tool()
        self.forms.open()
        self.backend.answer { [forms] _ in await forms.wait() }
    }

    /// Serves while a function asks; both endpoints are there before and after.
    func serving(_ others: [String] = [], _ body: (_ file: [String]) async throws -> Void) async throws {
        try await self.tool.serving(self.verifier, self.backend, RemoteConfiguration(others: others), body)
    }

    func deliveries(_ count: Int) async { for _ in 0..<count { await self.forms.arrival() } }

    @Test("Front and back by form are delivered once, however often they are sent, and SIGTERM ends in order")
    func forms() async throws {
        let token = try await self.tool.token("desk", "submit", "read")
        try await self.serving { file in
            let status = try await self.tool.serve(file) { errors, send in
                let service = try await Service(errors)
                let front = try await service.submit(.front(1), token: token, key: "key-1")
                #expect(front.status == 202, "\(front.text)")
                let again = try await service.submit(.front(1), token: token, key: "key-1")
                #expect(again.status == 202)
                #expect(again["card_id"] == front["card_id"])
                #expect(again.headers["idempotent-replayed"] == "true")
                let other = try await service.submit(.front(2), token: token, key: "key-1")
                #expect(other["code"] == "idempotency_key_reused")
                #expect(try await service.submit(.back(1), token: token).status == 202)
                #expect(try await service.submit(.back(1), token: token).object["duplicate"] as? Bool == true)
                await self.deliveries(2)
                let id = try #require(front["card_id"])
                let shown = try await service.send("GET", "/v1/cards/\(id)", token: token)
                #expect(shown.status == 200)
                #expect(try await service.send("GET", "/v1/cards/\(id)?reveal=true", token: token).status == 403)
                let figures = try await service.send("GET", "/metrics", token: token)
                for line in [
                    #"idcard_cards_entered_total{state="verified"} 2"#,
                    #"idcard_stage_calls_total{stage="verify",outcome="accepted"} 2"#,
                ] { #expect(figures.text.contains(line), "\(figures.text)") }
                try send(.terminate)
            }
            #expect(status == 143)
        }
        #expect(self.backend.accepted.map { $0["DOCTYPE"] } == ["IDCARD_FRONT_APP", "IDCARD_BACK_APP"])
        #expect(self.verifier.photos.count == 2)
    }

    @Test("A signed webhook is delivered, one that is signed by somebody else is not")
    func webhook() async throws {
        let secret = Data(repeating: 7, count: 32)
        let image = MarkedPhoto.front(1).jpeg.base64EncodedString()
        let body = Data(#"{"type":"card.created","data":{"business_no":"R-1","image_base64":"\#(image)"}}"#.utf8)
        let line = "webhooks: {secrets: 'acme=whsec_\(secret.base64EncodedString())'}"
        try await self.serving([line]) { file in
            let status = try await self.tool.serve(file) { errors, send in
                let service = try await Service(errors)
                for (key, status) in [(Data(repeating: 8, count: 32), 401), (secret, 202), (secret, 202)] {
                    let headers = WebhookSignature.headers(of: body, id: "m-1", secret: key)
                    let answer = try await service.send("POST", "/v1/webhooks/cards", headers: headers, body: body)
                    #expect(answer.status == status, "\(answer.text)")
                }
                await self.deliveries(1)
                try send(.interrupt)
            }
            #expect(status == 130)
        }
        #expect(self.backend.acceptedNumbers == ["R-1"])
    }

    @Test("What was answered with 202 before SIGKILL is delivered by the next serve")
    func killed() async throws {
        let token = try await self.tool.token("desk", "submit")
        let readings = Gate()
        self.verifier.answer { _ in await readings.wait() }
        try await self.serving { file in
            let status = try await self.tool.serve(file) { errors, send in
                let service = try await Service(errors)
                #expect(try await service.submit(.front(1), token: token).status == 202)
                await readings.arrival()
                #expect(try await service.submit(.front(2), token: token, fields: ["business_no": "R-2"]).status == 202)
                try send(.kill)
            }
            #expect(status == 128 + 9)
            readings.open()
            let second = try await self.tool.serve(file) { errors, send in
                _ = try await Service(errors)
                await self.deliveries(2)
                try send(.terminate)
            }
            #expect(second == 143)
        }
        #expect(self.backend.acceptedNumbers.sorted() == ["R-1", "R-2"])
        #expect(try await self.tool.run(["fsck"]).status == 0)
    }

    @Test("A held card goes on when a person has decided over HTTP")
    func decided() async throws {
        let token = try await self.tool.token("desk", "submit", "operate")
        let other = try await self.tool.token("other", "submit")
        let json = ["Content-Type": "application/json"]
        try await self.serving { file in
            let status = try await self.tool.serve(file) { errors, send in
                let service = try await Service(errors)
                #expect(try await service.submit(.front(1), token: token).status == 202)
                await self.deliveries(1)
                let held = try await service.submit(.back(1), token: other)
                let id = try #require(held["card_id"])
                #expect(held["state"] == "held", "\(held.text)")
                let body = Data(#"{"as":"accept","why":"ticket 1"}"#.utf8)
                let path = "/v1/cards/\(id)"
                let answer = try await service.send("POST", path + "/resolve", token: token, headers: json, body: body)
                #expect(answer.status == 200, "\(answer.text)")
                await self.deliveries(1)
                try send(.terminate)
            }
            #expect(status == 143)
        }
        #expect(self.backend.accepted.map { $0["DOCTYPE"] } == ["IDCARD_FRONT_APP", "IDCARD_BACK_APP"])
    }

    @Test("What the built-in backend holds of a card that is erased over HTTP is gone once the process has ended")
    func erasedEmbedded() async throws {
        let token = try await self.tool.token("desk", "operate")
        let cards = try self.tool.folder("cards", ["L-1/front.jpg": "cards/LOAN-2026-0001/front.jpg"])
        let documents = self.tool.home.appending(path: "documents")
        let options = ["--embedded", "--documents", documents.path]
        let run = try await self.tool.run(["run", cards.path, "--format", "json"] + options)
        let id = try #require(try run.json().cards.first?.cardId)
        func images() throws -> [String] {
            try FileManager.default.subpathsOfDirectory(atPath: documents.path).filter { $0.hasSuffix(".jpg") }
        }
        #expect(try images().count == 1)
        let status = try await self.tool.serve(options) { errors, send in
            let service = try await Service(errors)
            let erased = try await service.send("DELETE", "/v1/cards/\(id)", token: token)
            #expect(erased.status == 200, "\(erased.text)")
            try send(.terminate)
        }
        #expect(status == 143)
        #expect(try images() == [])
        let ledger = try String(contentsOf: documents.appending(path: "ledger.jsonl"), encoding: .utf8)
        #expect(!ledger.contains("L-1"))
    }

    @Test("SIGTERM while clients connect: what was accepted is answered, and nothing traps")
    func endsUnderClients() async throws {
        let token = try await self.tool.token("desk", "submit")
        try await self.serving { file in
            let status = try await self.tool.serve(file) { errors, send in
                let service = try await Service(errors)
                let photo = MarkedPhoto.front(1).jpeg
                let headers = [
                    ("Card-Business-No", "R-1"), ("Content-Type", "image/jpeg"), ("Expect", "100-continue"),
                ]
                let request = RawRequest("POST", "/v1/cards", token: token, headers: headers, body: photo)
                try await RawConnection.with(port: service.port) { (slow) async throws in
                    try await slow.send(request.head)
                    // Now it is certain that the request was accepted.
                    #expect(try await slow.response()?.status == 100)
                    try await slow.send(photo.prefix(100))
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        let (connected, connect) = AsyncStream.makeStream(of: Void.self)
                        let hold: @Sendable () async -> Void = {
                            // One that comes late is refused, or accepted and closed.
                            try? await RawConnection.with(port: service.port) {
                                connect.yield()
                                _ = try await $0.response()
                            }
                        }
                        for _ in 0..<20 { group.addTask { await hold() } }
                        var others = connected.makeAsyncIterator()
                        for _ in 0..<20 { await others.next() }
                        try send(.terminate)
                        for _ in 0..<20 { group.addTask { await hold() } }
                        #expect(try await errors.line(containing: "interrupted: ") != nil)
                        try await slow.send(photo.dropFirst(100))
                        #expect(try await slow.response()?.status == 202)
                        group.cancelAll()
                    }
                }
            }
            #expect(status == 143)
            #expect(try await self.tool.run(["run"] + file).status == 0)
        }
        #expect(self.backend.acceptedNumbers == ["R-1"])
    }

    @Test("Neither a token nor anything personal is in what serve says, at the finest level")
    func secrecy() async throws {
        let token = try await self.tool.token("desk", "submit", "read", "operate")
        let holder = MarkedHolder(1)
        let fields = [
            "expected_name": holder.name, "expected_id_number": holder.number, "user_no": "canary-account",
        ]
        var said: [String] = []
        try await self.serving(["log: {level: trace}"]) { file in
            let status = try await self.tool.serve(file) { errors, send in
                let service = try await Service(errors)
                let taken = try await service.submit(.front(1), token: token, fields: fields, filename: "canary.jpg")
                #expect(taken.status == 202, "\(taken.text)")
                await self.deliveries(1)
                let id = try #require(taken["card_id"])
                let shown = try await service.send(
                    "GET",
                    "/v1/cards/\(id)?reveal=true",
                    token: token,
                    headers: ["Card-Why": "ticket"]
                )
                #expect(shown.text.contains(holder.name))
                #expect(try await service.send("GET", "/v1/cards?business_no=canary", token: "canary").status == 401)
                _ = try await service.submit(.back(1), token: token, fields: ["canary": holder.name])
                try send(.terminate)
                while try await errors.next() != nil {}
                said = errors.seen
            }
            #expect(status == 143)
        }
        #expect(said.contains { $0.contains("request answered") })
        for canary in [token, holder.name, holder.number, holder.address, "canary", "the-secret", "token-a"] {
            #expect(!said.contains { $0.contains(canary) }, "\(canary)")
        }
    }

    @Test("A port in use ends with 78 and says whose key it is")
    func portInUse() async throws {
        let port = try RefusingPort()
        defer { port.close() }
        try await self.serving { file in
            let outcome = try await self.tool.run(["serve", "--listen", "127.0.0.1:\(port.port)"] + file, ends: 78)
            #expect(outcome.errors.contains("port \(port.port) (server.listen)"), "\(outcome.errors)")
        }
        for endpoint in [["verifier"], ["backend", "--documents", self.tool.documents.path]] {
            let outcome = try await self.tool.run(endpoint + ["--port", "\(port.port)"], ends: 78)
            #expect(outcome.errors.contains("port \(port.port)"), "\(outcome.errors)")
        }
    }
}
