import CardModel
import CardStore
import Foundation
import TestSupport
import Testing

/// Runs on demand over the sources of the configuration, and folders that are watched beside them.
extension ServeTests {
    private static let ended = "run over a source ended"

    @Test func `a run imports its source and tells what became of it; who may not start it is refused`() async throws {
        let inbox = try self.tool.pairs(["R-1", "R-2"])
        for name in ["R-1/broken.jpg", "front.jpg", "R-1/notes.txt", "R-1/olga.jpg.bak"] {
            try Data("no image".utf8).write(to: inbox.appending(path: name))
        }
        // It is older than the photos of the sides.
        let attributes = [FileAttributeKey.modificationDate: Date(timeIntervalSince1970: 1_500_000_000)]
        try FileManager.default.setAttributes(attributes, ofItemAtPath: inbox.appending(path: "R-1/broken.jpg").path)
        let desk = try await self.tool.token("desk", "run", "read")
        let reader = try await self.tool.token("reader", "read")
        let said = try await self.serving(["sources: ['inbox=\(inbox.path)', 'gone=/nowhere/at/all']"]) { service, _ in
            func start(_ name: String, _ token: String) async throws -> Service.Answer {
                let (json, body) = (["Content-Type": "application/json"], Data(#"{"source":"\#(name)"}"#.utf8))
                return try await service.send("POST", "/v1/runs", token: token, headers: json, body: body)
            }
            /// Starts a run, and returns what is known of it at its end.
            func result(_ name: String) async throws -> Service.Answer {
                let started = try await start(name, desk)
                #expect(started.status == 202, "\(started.text)")
                #expect(try await service.errors.line(containing: Self.ended) != nil)
                return try await service.send("GET", "/v1/runs/\(try #require(started["run_id"]))", token: desk)
            }
            #expect(try await start("inbox", reader).status == 403)
            #expect(try await start("outbox", desk).status == 422)
            // The second time all is known, and nothing goes again: nor need the photo be taken again, as both sides came after it.
            for (admitted, duplicate) in [(4, 0), (0, 5)] {
                var refusals = ["business_no_missing": 1]
                if admitted > 0 { refusals["unsupported_format"] = 1 }
                let done = try await result("inbox")
                #expect(done["state"] == "complete")
                let counts = ["admitted": admitted, "duplicate": duplicate, "refused": refusals.count, "ignored": 1]
                #expect(done.object["counts"] as? [String: Int] == counts)
                #expect(done.object["refusals"] as? [String: Int] == refusals)
                await self.deliveries(admitted)
                // The backend has them a moment before the sandbox knows.
                while try await !service.send("GET", "/metrics", token: desk).text
                    .contains("idcard_cards{state=\"delivered\"} 4\n")
                { await Task.yield() }
                guard duplicate == 0 else { continue }
                let figures = try await service.send("GET", "/metrics", token: desk).text
                #expect(figures.contains("idcard_inputs_total{result=\"refused\"} 2\n"))
                #expect(figures.contains("idcard_inputs_total{result=\"ignored\"} 1\n"))
            }
            let failed = try await result("gone")
            #expect(failed["state"] == "failed")
            #expect(failed["reason"] == "source_unreadable")
            let all = try await service.send("GET", "/v1/runs", token: desk)
            #expect((all.object["runs"] as? [Any])?.count == 3)
        }
        #expect(self.backend.accepted.count == 4)
        let notes = said.filter { $0.contains("skipped because of their names") }
        #expect(notes == ["note: source inbox: files skipped because of their names: *.bak (1)"])
        #expect(!said.contains { $0.contains("olga") })
    }

    @Test func `the next serve does the run that a killed process had begun, and the one behind it`() async throws {
        let inbox = try self.tool.pairs(["R-1"])
        let desk = try await self.tool.token("desk", "run")
        let now = Timestamp(Date())
        var runs: [SourceRun] = []
        do {
            let store = try await self.tool.sandbox()
            // It holds its lock until it is forgotten, which is what a kill comes to.
            let worker = try await store.upkeep.startWorker(id: "dead", command: "serve", now: now)
            runs = [try await store.upkeep.askForRun(over: "inbox", by: AccessOrigin(actor: "test"), now: now)]
            #expect(try await store.upkeep.beginRun(over: "inbox", by: worker.id)?.id == runs[0].id)
            runs.append(try await store.upkeep.askForRun(over: "inbox", by: AccessOrigin(actor: "test"), now: now))
            runs.append(try await store.upkeep.askForRun(over: "elsewhere", by: AccessOrigin(actor: "test"), now: now))
            try store.close()
        }
        try await self.serving(["sources: ['inbox=\(inbox.path)']"]) { service, _ in
            for _ in 0..<2 { #expect(try await service.errors.line(containing: Self.ended) != nil) }
            var states: [String?] = []
            for run in runs {
                states.append(try await service.send("GET", "/v1/runs/\(run.id)", token: desk)["state"])
            }
            #expect(states == ["complete", "complete", "failed"])
            await self.deliveries(2)
        }
        #expect(self.backend.accepted.count == 2)
    }

    @Test func `the folders of the configuration are watched by the same process`() async throws {
        let inbox = try self.tool.pairs(["R-1"])
        try await self.serving(["watch: {folders: [\(inbox.path)], quiet_time: 100ms, sidecar: none}"]) { _, _ in
            await self.deliveries(2)
        }
        #expect(self.backend.accepted.map { $0["DOCTYPE"] } == ["IDCARD_FRONT_APP", "IDCARD_BACK_APP"])
        let names = FileManager.default.enumerator(atPath: inbox.path)?.compactMap { $0 as? String } ?? []
        #expect(names.filter { $0.hasSuffix(".jpg") }.sorted() == ["done/R-1/back.jpg", "done/R-1/front.jpg"])
    }
}
