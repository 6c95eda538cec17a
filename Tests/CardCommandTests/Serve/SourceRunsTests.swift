import CardModel
import CardStore
import Foundation
import Subprocess
import TestSupport
import Testing

/// Runs on demand over the sources of the configuration, and folders that are watched beside them.
extension ServeTests {
    private static let ended = "run over a source ended"

    @Test("A run takes in what its source holds, and says what became of it; who may not start it is refused")
    func runsOverSources() async throws {
        let inbox = try self.tool.pairs(["R-1", "R-2"])
        try Data("no image".utf8).write(to: inbox.appending(path: "R-1/broken.jpg"))
        try Data("no number".utf8).write(to: inbox.appending(path: "front.jpg"))
        try Data("no image".utf8).write(to: inbox.appending(path: "R-1/notes.txt"))
        let desk = try await self.tool.token("desk", "run", "read")
        let reader = try await self.tool.token("reader", "read")
        let json = ["Content-Type": "application/json"]
        func source(_ name: String) -> Data { Data(#"{"source":"\#(name)"}"#.utf8) }
        try await self.serving(["sources: ['inbox=\(inbox.path)', 'gone=/nowhere/at/all']"]) { file in
            let status = try await self.tool.serve(file) { errors, send in
                let service = try await Service(errors)
                func start(_ name: String, _ token: String) async throws -> Service.Answer {
                    try await service.send("POST", "/v1/runs", token: token, headers: json, body: source(name))
                }
                #expect(try await start("inbox", reader).status == 403)
                #expect(try await start("outbox", desk).status == 422)
                let first = try await start("inbox", desk)
                #expect(first.status == 202, "\(first.text)")
                #expect(try await errors.line(containing: Self.ended) != nil)
                let id = try #require(first["run_id"])
                let done = try await service.send("GET", "/v1/runs/\(id)", token: desk)
                #expect(done["state"] == "complete")
                let counts = ["admitted": 4, "duplicate": 0, "refused": 2, "ignored": 1]
                #expect(done.object["counts"] as? [String: Int] == counts)
                let refusals = ["unsupported_format": 1, "business_no_missing": 1]
                #expect(done.object["refusals"] as? [String: Int] == refusals)
                let figures = try await service.send("GET", "/metrics", token: desk).text
                #expect(figures.contains("idcard_inputs_total{result=\"refused\"} 2\n"))
                #expect(figures.contains("idcard_inputs_total{result=\"ignored\"} 1\n"))
                await self.deliveries(4)
                // All is known, and nothing goes again.
                let second = try await start("inbox", desk)
                #expect(try await errors.line(containing: Self.ended) != nil)
                let again = try await service.send("GET", "/v1/runs/\(try #require(second["run_id"]))", token: desk)
                let known = ["admitted": 0, "duplicate": 4, "refused": 2, "ignored": 1]
                #expect(again.object["counts"] as? [String: Int] == known)
                #expect(again.object["refusals"] as? [String: Int] == refusals)
                let gone = try await start("gone", desk)
                #expect(try await errors.line(containing: Self.ended) != nil)
                let failed = try await service.send("GET", "/v1/runs/\(try #require(gone["run_id"]))", token: desk)
                #expect(failed["state"] == "failed")
                #expect(failed["reason"] == "source_unreadable")
                let all = try await service.send("GET", "/v1/runs", token: desk)
                #expect((all.object["runs"] as? [Any])?.count == 3)
                try send(.terminate)
            }
            #expect(status == 143)
        }
        #expect(self.backend.accepted.count == 4)
    }

    @Test("A run that a killed process had begun, and one that waited behind it, are done by the next serve")
    func resumes() async throws {
        let inbox = try self.tool.pairs(["R-1"])
        let desk = try await self.tool.token("desk", "run")
        let key = try String(
            contentsOf: self.tool.home.appending(path: ".config/idcard-pipeline/vault.key"),
            encoding: .utf8
        )
        let now = Timestamp(Date())
        var runs: [SourceRun] = []
        do {
            let store = try await CardStore.open(
                path: self.tool.home.path + "/.local/share/idcard-pipeline/sandbox",
                kind: .real,
                ring: try KeyRing(text: key),
                creating: true,
                now: now
            )
            // It holds its lock until it is forgotten, which is what a kill comes to.
            let worker = try await store.startWorker(id: "dead", command: "serve", now: now)
            runs = [try await store.askForRun(over: "inbox", by: AccessOrigin(actor: "test"), now: now)]
            #expect(try await store.beginRun(over: "inbox", by: worker.id)?.id == runs[0].id)
            runs.append(try await store.askForRun(over: "inbox", by: AccessOrigin(actor: "test"), now: now))
            runs.append(try await store.askForRun(over: "elsewhere", by: AccessOrigin(actor: "test"), now: now))
            try store.close()
        }
        try await self.serving(["sources: ['inbox=\(inbox.path)']"]) { file in
            let status = try await self.tool.serve(file) { errors, send in
                let service = try await Service(errors)
                for _ in 0..<2 { #expect(try await errors.line(containing: Self.ended) != nil) }
                var states: [String?] = []
                for run in runs {
                    states.append(try await service.send("GET", "/v1/runs/\(run.id)", token: desk)["state"])
                }
                #expect(states == ["complete", "complete", "failed"])
                await self.deliveries(2)
                try send(.terminate)
            }
            #expect(status == 143)
        }
        #expect(self.backend.accepted.count == 2)
    }

    @Test("What a source or a watched folder holds that is passed over because of its name is said once")
    func passedOver() async throws {
        let note = "passed over because of their names: "
        let source = try self.tool.pairs(["R-1"])
        let inbox = self.tool.home.appending(path: "watched")
        for (folder, name) in [(source, "R-1/olga.jpg.bak"), (inbox, "#recycle/bob.jpg"), (inbox, "R-2/eve.jpg.part")] {
            let file = folder.appending(path: name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try MarkedPhoto.front(3).jpeg.write(to: file)
        }
        let desk = try await self.tool.token("desk", "run", "read")
        let lines = ["sources: ['inbox=\(source.path)']", "watch: {folders: [\(inbox.path)]}"]
        try await self.serving(lines) { file in
            let status = try await self.tool.serve(file) { errors, send in
                let service = try await Service(errors)
                for _ in 1...2 {
                    let started = try await service.send(
                        "POST",
                        "/v1/runs",
                        token: desk,
                        headers: ["Content-Type": "application/json"],
                        body: Data(#"{"source":"inbox"}"#.utf8)
                    )
                    #expect(started.status == 202, "\(started.text)")
                    #expect(try await errors.line(containing: Self.ended) != nil)
                }
                try send(.terminate)
                while try await errors.next() != nil {}
                #expect(
                    errors.seen.filter { $0.contains(note) }.sorted() == [
                        "note: source inbox: \(note)*.bak (1)",
                        "note: watched folder \(inbox.path): \(note)#recycle (1), *.part (1)",
                    ],
                    "\(errors.seen)"
                )
                #expect(!errors.seen.contains { $0.contains("olga") || $0.contains("bob") || $0.contains("eve") })
            }
            #expect(status == 143)
        }
    }

    @Test("The folders of the configuration are watched by the same process")
    func watches() async throws {
        let inbox = try self.tool.pairs(["R-1"])
        try await self.serving(["watch: {folders: [\(inbox.path)], quiet_time: 100ms, sidecar: none}"]) { file in
            let status = try await self.tool.serve(file) { errors, send in
                _ = try await Service(errors)
                await self.deliveries(2)
                try send(.terminate)
            }
            #expect(status == 143)
        }
        #expect(self.backend.accepted.map { $0["DOCTYPE"] } == ["IDCARD_FRONT_APP", "IDCARD_BACK_APP"])
        let names = FileManager.default.enumerator(atPath: inbox.path)?.compactMap { $0 as? String } ?? []
        #expect(names.filter { $0.hasSuffix(".jpg") }.sorted() == ["done/R-1/back.jpg", "done/R-1/front.jpg"])
    }
}
