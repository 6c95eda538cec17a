import Foundation
import Synchronization
import TestSupport
import Testing

@Suite(
    "One odd card stops nothing, an outage ends nothing, and a wrong TOKEN rejects nothing",
    .serialized,
    .timeLimit(.minutes(5))
)
struct StopTests {
    private static let numbers = (1...11).map { "R-\($0 + 100)" }

    /// The variable that puts a wrong TOKEN right.
    private static let rightToken = ["IDCARD_DELIVERY_TOKEN": "right"]

    private let tool: Tool
    private let verifier = MarkVerifier()
    private let backend = ScriptedBackend()

    init() throws {
        self.tool = try Tool()
    }

    /// Fronts of as many holders and business numbers: R-101 is the first holder's.
    private func fronts(_ count: Int = 11) throws -> String {
        let photos = (1...count).map { ("R-\($0 + 100)/front.jpg", MarkedPhoto.front(UInt8($0))) }
        return try self.tool.folder("photos", Dictionary(uniqueKeysWithValues: photos)).path
    }

    /// Serves both endpoints for as long as a function runs, which is given the arguments that name the configuration.
    private func serving(
        _ configuration: RemoteConfiguration = RemoteConfiguration(),
        _ body: (_ file: [String]) async throws -> Void
    ) async throws {
        try await self.tool.serving(self.verifier, self.backend, configuration, body)
    }

    private func states(_ file: [String]) async throws -> [String] {
        try await self.tool.run(["cards", "list"] + file).output.split(separator: "\n").map(String.init)
    }

    @Test(
        "A backend that answers one business number with a stop delivers all others in one run",
        arguments: [
            "404 Not Found", "403 Forbidden", "405 Method Not Allowed", "410 Gone",
        ]
    )
    func oneDelivery(status: String) async throws {
        self.backend.answer { $0["BUSINESSNO"] == "R-106" ? FaultReply(status, headers: ["Location: http://x/"]) : nil }
        var configuration = RemoteConfiguration()
        // One at a time, so that the backend sees which calls began after a refusal.
        configuration.delivery.append("concurrency: 1")
        try await self.serving(configuration) { file in
            let photos = try self.fronts()
            let first = try await self.tool.run(["run", photos, "--format", "json"] + file)
            // Refused after all others were taken, it stops the stage until another one is.
            let isLast = self.backend.askedNumbers.prefix { $0 != "R-106" }.count == 10
            #expect(first.status == (isLast ? 69 : 1), "\(first.errors)")
            #expect(self.backend.acceptedNumbers.sorted() == Self.numbers.filter { $0 != "R-106" })
            let another = try self.tool.folder("another", ["R-112/front.jpg": .front(12)]).path
            let second = try await self.tool.run(["run", photos, another, "--format", "json"] + file, ends: 1)
            #expect(self.backend.acceptedNumbers.last == "R-112")
            // One more try after another was taken; as the last one it was the probe twice before that.
            let calls = self.backend.askedNumbers
            #expect((isLast ? 4...5 : 2...2).contains(calls.count { $0 == "R-106" }), "\(calls)")
            let card = try #require(try second.json().cards.first { $0.businessNo == "R-106" })
            // The backend may have stored it before something on the way answered.
            #expect(card.state == "held" && card.reason == "outcome_unknown")
            #expect(try await self.tool.run(["fsck"] + file).status == 0)
        }
    }

    @Test("A backend that fails is told of by status, in another process, until it works")
    func failing() async throws {
        self.backend.answer { _ in FaultReply("500 Internal Server Error") }
        var configuration = RemoteConfiguration()
        configuration.others.append("run: {patience: 1s}")
        try await self.serving(configuration) { file in
            let photos = try self.fronts(3)
            try await self.tool.run(["run", photos] + file, ends: 75)
            let status = try await self.tool.run(["status"] + file)
            for words in ["deliver 127.0.0.1:", " pauses since ", "(http_500): the backend answered 500"] {
                #expect(status.output.contains(words), "\(status.output)")
            }
            let json = try await self.tool.run(["status", "--format", "json"] + file).output
            #expect(json.contains(#""state" : "pauses""#) && json.contains(#""code" : "http_500""#), "\(json)")
            self.backend.answer { _ in nil }
            try await self.tool.run(["run", photos] + file, ends: 0)
            #expect(try await self.tool.run(["status"] + file).output == "delivered  3\n")
        }
    }

    @Test("A refused account ends no card: the run stops, and once it is right everything is delivered")
    func refusedAccount() async throws {
        self.backend.answer { _ in FaultReply("401 Unauthorized") }
        try await self.serving { file in
            let command = ["run", try self.fronts(3), "--format", "json"] + file
            let stopped = try await self.tool.run(command, ends: 69)
            #expect(try stopped.json().cards.allSatisfy { ["verified", "delivering"].contains($0.state) })
            self.backend.answer { _ in nil }
            #expect(try await self.tool.run(command).status == 0)
            #expect(self.backend.acceptedNumbers.count == 3)
        }
    }

    /// Has the verifier refuse the photos that come at some places, from 1, and read the others, one at a time: so that
    /// others are tried after a refusal.
    private func refuse(places: [Int], by reply: FaultReply) -> RemoteConfiguration {
        let order = Mutex<[MarkedPhoto]>([])
        self.verifier.answer { photo in
            let place = order.withLock { order in
                if !order.contains(photo) { order.append(photo) }
                return order.firstIndex(of: photo).map { $0 + 1 }
            }
            return place.map(places.contains) == true ? reply : nil
        }
        var configuration = RemoteConfiguration()
        configuration.verification.append("concurrency: 1")
        return configuration
    }

    @Test("One image that gets a bare 403 from the verifier is failed, all others are delivered")
    func oneImage() async throws {
        let reply = FaultReply("403 Forbidden", body: "<html>blocked</html>")
        try await self.serving(self.refuse(places: [4], by: reply)) { file in
            let outcome = try await self.tool.run(["run", try self.fronts(), "--format", "json"] + file, ends: 1)
            #expect(self.backend.acceptedNumbers.count == 10)
            #expect(try outcome.json().cards.filter { $0.state == "failed" }.map(\.reason) == ["http_403"])
        }
    }

    @Test("Two odd images end as failed; the run delivers all others and does not stop", arguments: [[3, 9], [5, 6]])
    func oddImages(places: [Int]) async throws {
        let reply = FaultReply.json(
            #"{"error_message":"BAD_ARGUMENTS","request_id":"specimen"}"#,
            status: "400 Bad Request"
        )
        try await self.serving(self.refuse(places: places, by: reply)) { file in
            let outcome = try await self.tool.run(["run", try self.fronts(), "--format", "json"] + file, ends: 1)
            #expect(self.backend.acceptedNumbers.count == 9)
            let failed = try outcome.json().cards.filter { $0.state == "failed" }
            #expect(failed.map(\.reason) == ["BAD_ARGUMENTS", "BAD_ARGUMENTS"])
        }
    }

    @Test(
        "A verifier that answers 500 costs no card anything: the run ends with 75 and names it",
        arguments: [1, 2, 11]
    )
    func outage(count: Int) async throws {
        self.verifier.answer { _ in FaultReply("500 Internal Server Error") }
        try await self.serving { file in
            let command = ["run", try self.fronts(count), "--format", "json"] + file
            // What fails is due again after the next trial of the breaker: soon, so that the last run need not wait long.
            let impatient = ["IDCARD_RUN_PATIENCE": "4s"]
            for _ in 0..<2 {
                let outcome = try await self.tool.run(command, impatient, ends: 75)
                #expect(outcome.errors.contains("/faceid/v1/ocridcard") && outcome.errors.contains("http_500"))
                #expect(try outcome.json().counts["failed"] == 0)
            }
            self.verifier.answer { _ in nil }
            #expect(try await self.tool.run(command).status == 0)
            #expect(self.backend.acceptedNumbers.count == count)
        }
    }

    @Test("A host that asks to be left alone is left alone by the next process, too", arguments: [true, false])
    func retryAfter(isVerifier: Bool) async throws {
        let calls = Mutex(0)
        let pause: @Sendable () -> FaultReply = {
            calls.withLock { $0 += 1 }
            return .unavailable(retryAfterSeconds: 600)
        }
        if isVerifier { self.verifier.answer { _ in pause() } } else { self.backend.answer { _ in pause() } }
        var configuration = RemoteConfiguration()
        configuration.others = ["run: {patience: 2s}"]
        try await self.serving(configuration) { file in
            // Another card each time, which has been asked for no pause itself.
            for place in UInt8(1)...3 {
                let photo = ["R-\(place)/front.jpg": MarkedPhoto.front(place)]
                let command = ["run", try self.tool.folder("photos-\(place)", photo).path, "--format", "json"] + file
                let outcome = try await self.tool.run(command, ends: 75)
                #expect(try outcome.json().counts["failed"] == 0)
                #expect(calls.withLock { $0 } == 1)
            }
        }
    }

    @Test("A wrong TOKEN whose RETCODE no list holds stops delivery; with the right one everything is delivered")
    func wrongToken() async throws {
        self.backend.answer { $0["TOKEN"] == "right" ? nil : .json(#"{"RETCODE":"100009","RETMSG":"who are you"}"#) }
        var configuration = RemoteConfiguration()
        configuration.delivery = ["token: wrong", "user_no: U-1"]
        try await self.serving(configuration) { file in
            let command = ["run", try self.fronts(), "--format", "json"] + file
            let stopped = try await self.tool.run(command, ["IDCARD_RUN_PATIENCE": "4s"], ends: 69)
            #expect(
                stopped.errors.contains("delivery.retcode") && stopped.errors.contains("100009"),
                "\(stopped.errors)"
            )
            #expect(try stopped.json().counts["rejected"] == 0)
            #expect(self.backend.askedNumbers.count <= 6 + 3, "three in a row, three probes, and what was under way")
            // What was held by the code is judged again once it is known what was wrong.
            try await self.tool.run(["cards", "retry", "--reason", "retcode_unlisted"] + file, ends: 0)
            try await self.tool.run(command, Self.rightToken, ends: 0)
            #expect(self.backend.acceptedNumbers.sorted() == Self.numbers)
            #expect(try await self.tool.run(["fsck"] + file).status == 0)
        }
    }

    @Test(
        "Cards that are refused by an unlisted RETCODE are held and end nothing",
        arguments: [["R-103", "R-104", "R-105"], ["R-101", "R-102", "R-103", "R-104"]]
    )
    func refusedCards(refused: [String]) async throws {
        self.backend.answer {
            refused.contains($0["BUSINESSNO"] ?? "") ? .json(#"{"RETCODE":"555","RETMSG":"no"}"#) : nil
        }
        try await self.serving { file in
            let outcome = try await self.tool.run(["run", try self.fronts(), "--format", "json"] + file, ends: 1)
            let cards = try outcome.json().cards
            let held = cards.filter { $0.state == "held" && $0.reason == "retcode_unlisted" }
            #expect(held.compactMap(\.businessNo).sorted() == refused)
            #expect(self.backend.acceptedNumbers.count == 11 - refused.count)
        }
    }

    @Test("What was rejected by a code is judged again by that code; a listed code stops nothing")
    func retryByReason() async throws {
        self.backend.answer { $0["TOKEN"] == "right" ? nil : .json(#"{"RETCODE":"100009","RETMSG":"who are you"}"#) }
        var configuration = RemoteConfiguration()
        configuration.delivery = ["token: wrong", "user_no: U-1", "retcode: {rejected: ['100009']}"]
        try await self.serving(configuration) { file in
            let command = ["run", try self.fronts(), "--format", "json"] + file
            let refused = try await self.tool.run(command, ends: 1)
            #expect(try refused.json().counts["rejected"] == 11)
            #expect(try await self.tool.run(["cards", "retry", "--reason", "nothing"] + file).status == 0)
            try await self.tool.run(["cards", "retry", "--reason", "100009"] + file, ends: 0)
            #expect(try await self.states(file).count { $0.contains("prepared") } == 11)
            #expect(try await self.tool.run(["run"] + file, Self.rightToken).status == 0)
            #expect(self.backend.acceptedNumbers.sorted() == Self.numbers)
            #expect(try await self.tool.run(["cards", "retry"] + file).status == 64)
        }
    }

    @Test(
        "The card of a stopped delivery can be done again and resolved",
        arguments: ["retry", "resolve"]
    )
    func stoppedCard(what: String) async throws {
        // Its own code says that it was not applied.
        self.backend.answer { _ in .json(#"{"RETCODE":"100009"}"#, status: "403 Forbidden") }
        var configuration = RemoteConfiguration()
        configuration.delivery = ["token: token-a", "user_no: U-1", "retcode: {rejected: ['100009']}"]
        try await self.serving(configuration) { file in
            let stopped = try await self.tool.run(["run", try self.fronts(1), "--format", "json"] + file, ends: 69)
            let card = try #require(try stopped.json().cards.first?.cardId)
            let words = [
                "retry": ["cards", "retry", card], "resolve": ["cards", "resolve", card, "--as", "reject"],
            ]
            try await self.tool.run(try #require(words[what]) + file, ends: 0)
            self.backend.answer { _ in nil }
            #expect(try await self.tool.run(["run"] + file).status == 0)
            #expect(self.backend.acceptedNumbers.count == (what == "retry" ? 1 : 0))
            #expect(try await self.tool.run(["fsck"] + file).status == 0)
        }
    }
}
