import Foundation
import Subprocess
import TestSupport
import Testing

/// The built command as a service, asked over a real port.
@Suite(.serialized, .timeLimit(.minutes(5))) struct ServeTests {
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
    @discardableResult
    func serving(
        _ others: [String] = [],
        ends status: Int32 = 143,
        _ body: (_ service: Service, _ send: @escaping (Signal) throws -> Void) async throws -> Void
    ) async throws -> [String] {
        try await self.tool.serving(self.verifier, self.backend, RemoteConfiguration(others: others)) { file in
            try await self.tool.serve(file, ends: status, body)
        }
    }

    func deliveries(_ count: Int) async { for _ in 0..<count { await self.forms.arrival() } }

    @Test func `the log warns of a disk that is nearly full as status --check says it, once, without any request`()
        async throws
    {
        let others = ["sandbox: {intake_free_space: '\(1 << 50)'}"]
        let said = try await self.serving(others) { service, _ in
            let line = try #require(try await service.errors.line(containing: "free some space"))
            let more = ["IDCARD_SANDBOX_INTAKE_FREE_SPACE": "\(1 << 50)"]
            let check = try await self.tool.run(["status", "--check"], more, ends: 2).output
            #expect("critical: \(line)\n" == check.replacing("critical: ", with: "critical: warning: "), "\(check)")
            #expect(try await service.send("GET", "/readyz").status == 503)
        }
        #expect(said.count { $0.contains("free some space") } == 1, "\(said)")
    }

    @Test func `front and back by form are delivered once, however often sent; SIGTERM ends in order`() async throws {
        let token = try await self.tool.token("desk", "submit", "read")
        try await self.serving { service, _ in
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
            #expect(try await service.send("GET", "/v1/cards/\(id)", token: token).status == 200)
            #expect(try await service.send("GET", "/v1/cards/\(id)?reveal=true", token: token).status == 403)
            let figures = try await service.send("GET", "/metrics", token: token)
            for line in [
                #"idcard_cards_entered_total{state="verified"} 2"#,
                #"idcard_stage_calls_total{stage="verify",outcome="accepted"} 2"#,
            ] { #expect(figures.text.contains(line), "\(figures.text)") }
        }
        #expect(self.backend.accepted.map { $0["DOCTYPE"] } == ["IDCARD_FRONT_APP", "IDCARD_BACK_APP"])
        #expect(self.verifier.photos.count == 2)
    }

    @Test func `what was answered with 202 before SIGKILL is delivered by the next serve`() async throws {
        let token = try await self.tool.token("desk", "submit")
        let readings = Gate()
        self.verifier.answer { _ in await readings.wait() }
        try await self.serving(ends: 128 + 9) { service, send in
            #expect(try await service.submit(.front(1), token: token).status == 202)
            await readings.arrival()
            #expect(try await service.submit(.front(2), token: token, fields: ["business_no": "R-2"]).status == 202)
            try send(.kill)
        }
        readings.open()
        try await self.serving { _, _ in await self.deliveries(2) }
        #expect(self.backend.acceptedNumbers.sorted() == ["R-1", "R-2"])
        try await self.tool.run(["fsck"], ends: 0)
    }

    @Test func `what the built-in backend holds of a card erased over HTTP is gone once serve ended`() async throws {
        let token = try await self.tool.token("desk", "operate")
        let cards = try self.tool.folder("cards", ["L-1/front.jpg": "cards/LOAN-2026-0001/front.jpg"])
        let options = ["--embedded", "--documents", self.tool.documents.path]
        let run = try await self.tool.run(["run", cards.path, "--format", "json"] + options)
        let id = try #require(try run.json().cards.first?.cardId)
        #expect(try self.tool.images() == 1)
        try await self.tool.serve(options) { service, _ in
            let erased = try await service.send("DELETE", "/v1/cards/\(id)", token: token)
            #expect(erased.status == 200, "\(erased.text)")
        }
        #expect(try self.tool.images() == 0)
        let ledger = try String(contentsOf: self.tool.documents.appending(path: "ledger.jsonl"), encoding: .utf8)
        #expect(!ledger.contains("L-1"))
    }

    @Test func `a watched folder that is missing is named, and watched once it comes`() async throws {
        let inbox = self.tool.home.appending(path: "inbox")
        let watch = "watch: {folders: [\(inbox.path)], quiet_time: 100ms, sidecar_wait: 0s}"
        _ = try await self.tool.token("desk", "read")
        try await self.serving([watch]) { service, _ in
            let missing = "warning: watched folder \(inbox.path): "
            if !service.errors.seen.contains(where: { $0.hasPrefix(missing) }) {
                #expect(try await service.errors.line(containing: missing) != nil)
            }
            let folder = try self.tool.folder("arriving", ["R-1/front.jpg": .front(1)])
            try FileManager.default.moveItem(at: folder, to: inbox)
            await self.deliveries(1)
        }
        #expect(self.backend.acceptedNumbers == ["R-1"])
    }

    @Test func `a photo of a watched folder whose card is refused later gets a note beside it`() async throws {
        let inbox = try self.tool.folder("inbox", ["R-1/front.jpg": .front(1)])
        self.verifier.answer { _ in MarkDialect.faceIDv1.answer(about: nil) }
        _ = try await self.tool.token("desk", "read")
        try await self.serving(["watch: {folders: [\(inbox.path)], quiet_time: 100ms, sidecar: none}"]) { _, _ in
            let note = inbox.appending(path: "done/R-1/front.jpg.failed.json").path
            while !FileManager.default.fileExists(atPath: note) {
                try Task.checkCancellation()
                await Task.yield()
            }
        }
    }

    @Test func `with log.format json all that serve says are records; one info record tells of each outcome`()
        async throws
    {
        let token = try await self.tool.token("desk", "submit", "operate")
        let inbox = self.tool.home.appending(path: "inbox-张三").path
        let others = ["log: {format: json}", "watch: {folders: [\(inbox)]}"]
        self.verifier.answer { $0.serial == 9 ? MarkDialect.faceIDv1.answer(about: nil) : nil }
        var ids: [String] = []
        let said = try await self.serving(others) { service, _ in
            for (photo, number) in [(MarkedPhoto.front(1), "R-CANARY"), (.front(2, serial: 9), "R-2")] {
                let sent = try await service.submit(photo, token: token, fields: ["business_no": number])
                ids.append(try #require(sent["card_id"]))
                while let line = try await service.errors.line(containing: "card changed state"),
                    !line.contains(ids.last ?? "")
                {}
            }
        }
        let records = try said.map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String], "\(line)")
        }
        #expect(records.allSatisfy { Set($0.keys).isSuperset(of: ["time", "level", "message"]) })
        #expect(records.contains { $0["message"]?.hasPrefix("listening on ") == true && $0["level"] == "notice" })
        #expect(
            records.contains {
                $0["message"]?.hasPrefix("watched folder <redacted>: ") == true && $0["level"] == "warning"
            }
        )
        for id in ids {
            let own = records.filter { $0["card.id"] == id && $0["level"] == "info" }
            #expect(own.compactMap { $0["card.state"] } == [id == ids[0] ? "delivered" : "rejected"], "\(own)")
            #expect(own.map { $0["message"] ?? "" }.sorted() == ["card changed state", "request answered"], "\(own)")
        }
        #expect(!said.contains { $0.contains("CANARY") || $0.contains("张三") })
        #expect(!said.contains { $0.contains("[not listed]") }, "\(said)")
    }

    @Test func `the unit lets serve write to watched folders, and restarts no configuration that cannot work`() throws {
        let path = Project.root.appending(path: "config/systemd/idcard-pipeline.service")
        let unit = try String(contentsOf: path, encoding: .utf8)
        #expect(unit.contains("ProtectSystem=strict") && unit.contains("# ReadWritePaths=-/"))
        #expect(unit.contains("\nRestartPreventExitStatus=64 66 78\n"))
        let page = Project.root.appending(path: "Sources/CardCommand/CardCommand.docc/Operation.md")
        #expect(try String(contentsOf: page, encoding: .utf8).contains("`ReadWritePaths=-/"))
    }

    @Test func `neither a token nor anything personal is in what serve says, at the finest level`() async throws {
        let token = try await self.tool.token("desk", "submit", "read", "operate")
        let holder = MarkedHolder(1)
        let fields = ["expected_name": holder.name, "expected_id_number": holder.number, "user_no": "canary-account"]
        let said = try await self.serving(["log: {level: trace}"], ends: 130) { service, send in
            let taken = try await service.submit(.front(1), token: token, fields: fields, filename: "canary.jpg")
            #expect(taken.status == 202, "\(taken.text)")
            await self.deliveries(1)
            let path = "/v1/cards/\(try #require(taken["card_id"]))?reveal=true"
            let shown = try await service.send("GET", path, token: token, headers: ["Card-Why": "ticket"])
            #expect(shown.text.contains(holder.name))
            #expect(try await service.send("GET", "/v1/cards?business_no=canary", token: "canary").status == 401)
            _ = try await service.submit(.back(1), token: token, fields: ["canary": holder.name])
            try send(.interrupt)
        }
        #expect(said.contains { $0.contains("request answered") })
        for canary in [token, holder.name, holder.number, holder.address, "canary", "the-secret", "token-a"] {
            #expect(!said.contains { $0.contains(canary) }, "\(canary)")
        }
    }

    @Test func `a run with the built-in endpoints beside a service that has them says which process to stop`()
        async throws
    {
        let photos = try self.tool.folder("photos", ["R-1/front.jpg": .front(1)])
        for (language, words) in [("en", "serves the built-in endpoints of this sandbox"), ("zh", "内置")] {
            try await self.tool.serve(["--embedded"]) { _, _ in
                let run = ["run", photos.path, "--embedded", "--lang", language]
                let refused = try await self.tool.run(run, ends: 78)
                #expect(refused.errors.contains(words) && refused.errors.contains("kill "), "\(refused.errors)")
            }
        }
    }

    @Test func `a port in use ends with 78 and says whose key it is`() async throws {
        let port = try RefusingPort()
        defer { port.close() }
        let serve = ["serve", "--embedded", "--listen", "127.0.0.1:\(port.port)"]
        let outcome = try await self.tool.run(serve, ends: 78)
        #expect(outcome.errors.contains("port \(port.port) (server.listen)"), "\(outcome.errors)")
        for endpoint in [["verifier"], ["backend", "--documents", self.tool.documents.path]] {
            let outcome = try await self.tool.run(endpoint + ["--port", "\(port.port)"], ends: 78)
            #expect(outcome.errors.contains("port \(port.port)"), "\(outcome.errors)")
        }
    }
}
