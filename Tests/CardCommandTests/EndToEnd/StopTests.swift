import Crypto
import Foundation
import Synchronization
import TestSupport
import Testing

/// A verifier and a backend in this process, which answer each card as a test wants.
private final class Remotes: Sendable {
    private struct State {
        /// The images by their digest, in the order in which they came first.
        var images: [String: Int] = [:]
        var verify: @Sendable (Int) -> FaultReply? = { _ in nil }
        var deliver: @Sendable (String, String) -> FaultReply? = { _, _ in nil }
        var delivered: [String] = []
        var calls: [String] = []
    }

    private let state = Mutex(State())

    /// What the backend was asked about, by business number.
    var calls: [String] { self.state.withLock { $0.calls } }
    /// What the backend took, by business number.
    var delivered: [String] { self.state.withLock { $0.delivered } }

    /// Sets what the verifier answers about an image, by its place from 1; `nil` reads it as a front.
    func verify(_ answer: @escaping @Sendable (Int) -> FaultReply?) { self.state.withLock { $0.verify = answer } }

    /// Sets what the backend answers about a business number, sent with a TOKEN; `nil` accepts it.
    func deliver(_ answer: @escaping @Sendable (_ number: String, _ token: String) -> FaultReply?) {
        self.state.withLock { $0.deliver = answer }
    }

    /// Serves both for as long as a function runs.
    func serving(_ body: (_ verifier: String, _ backend: String) async throws -> Void) async throws {
        let verifier = FaultServer { _, _ in .answer { self.verifierReply(to: $0) } }
        let backend = FaultServer { _, _ in .answer { self.backendReply(to: $0) } }
        let ports = (try await verifier.start(), try await backend.start())
        let result: Result<Void, any Error>
        do {
            result = .success(try await body("http://127.0.0.1:\(ports.0)/v", "http://127.0.0.1:\(ports.1)/b"))
        } catch {
            result = .failure(error)
        }
        await verifier.stop()
        await backend.stop()
        try result.get()
    }

    private func verifierReply(to request: ReceivedRequest) -> FaultReply {
        let body = Data(request.body)
        let image = body.range(of: Data([0xFF, 0xD8, 0xFF])).map { body[$0.lowerBound...] } ?? body
        let jpeg = image.range(of: Data([0xFF, 0xD9]), options: .backwards).map { image[..<$0.upperBound] } ?? image
        let digest = SHA256.hash(data: jpeg).description
        let answer = self.state.withLock { state in
            let place = state.images[digest] ?? state.images.count + 1
            state.images[digest] = place
            return state.verify(place)
        }
        return answer ?? .json(Self.front)
    }

    private func backendReply(to request: ReceivedRequest) -> FaultReply {
        let (number, token) = (Self.field("BUSINESSNO", of: request), Self.field("TOKEN", of: request))
        return self.state.withLock { state in
            state.calls.append(number)
            if let answer = state.deliver(number, token) { return answer }
            state.delivered.append(number)
            return .json(#"{"RETCODE":"000000","RETMSG":"ok"}"#)
        }
    }

    private static func field(_ name: String, of request: ReceivedRequest) -> String {
        let text = String(decoding: request.body, as: UTF8.self)
        guard let start = text.range(of: "name=\"\(name)\"") else { return "" }
        let rest = text[start.upperBound...]
        guard let value = rest.range(of: "\r\n\r\n"), let end = rest[value.upperBound...].range(of: "\r\n") else {
            return ""
        }
        return String(rest[value.upperBound..<end.lowerBound])
    }

    private static let front = """
        {"request_id":"specimen","time_used":7,"side":"front","name":"张三","gender":"男","race":"汉","address":"x",\
        "id_card_number":"110101199003070011","birthday":{"year":"1990","month":"3","day":"7"},\
        "legality":{"ID Photo":0.99,"Temporary ID Photo":0.0,"Photocopy":0.0,"Screen":0.0,"Edited":0.0}}
        """
}

@Suite(
    "One odd card stops nothing, an outage ends nothing, and a wrong TOKEN rejects nothing",
    .serialized,
    .timeLimit(.minutes(5))
)
struct StopTests {
    private static let numbers = (1...11).map { "R-\($0 + 100)" }

    /// Eleven fronts of as many business numbers.
    private static func fronts(_ tool: Tool, _ count: Int = 11) throws -> URL {
        let names = [
            "0001/front.jpg", "0002/front.jpg", "0003/front.JPG", "0004/IMG_20260512_101407.jpg", "0005/front.png",
            "0006/front.png", "0007/front.jpg", "0008/front.jpg", "0009/身份证正面.jpg", "0010/front.jpg",
            "0011/front.jpg",
        ]
        let files = zip(1..., names.prefix(count)).map { place, name in
            ("R-\(place + 100)/front.jpg", "cards/LOAN-2026-\(name)")
        }
        return try tool.folder("photos", Dictionary(uniqueKeysWithValues: files))
    }

    private func states(_ tool: Tool, _ file: [String]) async throws -> [String] {
        try await tool.run(["cards", "list"] + file).output.split(separator: "\n").map(String.init)
    }

    @Test(
        "A backend that answers one business number with a stop delivers all others in one run",
        arguments: [
            "404 Not Found", "403 Forbidden", "405 Method Not Allowed", "410 Gone",
        ]
    )
    func oneDelivery(status: String) async throws {
        let (tool, remotes) = (try Tool(), Remotes())
        remotes.deliver { number, _ in number == "R-106" ? FaultReply(status, headers: ["Location: http://x/"]) : nil }
        try await remotes.serving { verifier, backend in
            var configuration = RemoteConfiguration()
            // One at a time, so that the backend sees which calls began after a refusal.
            configuration.delivery.append("concurrency: 1")
            let file = try configuration.write(for: tool, verifier: verifier, backend: backend)
            let photos = try Self.fronts(tool).path
            let first = try await tool.run(["run", photos, "--format", "json"] + file)
            // Refused after all others were taken, it stops the stage until another one is.
            let isLast = remotes.calls.prefix { $0 != "R-106" }.count == 10
            #expect(first.status == (isLast ? 69 : 1), "\(first.errors)")
            #expect(remotes.delivered.sorted() == Self.numbers.filter { $0 != "R-106" })
            let another = try tool.folder("another", ["R-112/front.jpg": "cards/LOAN-2026-0001/back.jpg"]).path
            let second = try await tool.run(["run", photos, another, "--format", "json"] + file)
            #expect(second.status == 1, "\(second.errors)")
            #expect(remotes.delivered.last == "R-112")
            // One more try after another was taken; as the last one it was the probe twice before that.
            #expect((isLast ? 4...5 : 2...2).contains(remotes.calls.count { $0 == "R-106" }), "\(remotes.calls)")
            let card = try #require(try second.json().cards.first { $0.businessNo == "R-106" })
            #expect(card.state == "failed" && card.reason == "http_\(status.prefix(3))")
            #expect(try await tool.run(["fsck"] + file).status == 0)
        }
    }

    @Test("A refused account ends no card: the run stops, and once it is right everything is delivered")
    func refusedAccount() async throws {
        let (tool, remotes) = (try Tool(), Remotes())
        remotes.deliver { _, _ in FaultReply("401 Unauthorized") }
        try await remotes.serving { verifier, backend in
            let file = try RemoteConfiguration().write(for: tool, verifier: verifier, backend: backend)
            let command = ["run", try Self.fronts(tool, 3).path, "--format", "json"] + file
            let stopped = try await tool.run(command)
            #expect(stopped.status == 69, "\(stopped.errors)")
            #expect(try stopped.json().cards.allSatisfy { $0.state == "verified" })
            remotes.deliver { _, _ in nil }
            #expect(try await tool.run(command).status == 0)
            #expect(remotes.delivered.count == 3)
        }
    }

    @Test("One image that gets a bare 403 from the verifier is failed, all others are delivered")
    func oneImage() async throws {
        let (tool, remotes) = (try Tool(), Remotes())
        remotes.verify { $0 == 4 ? FaultReply("403 Forbidden", body: "<html>blocked</html>") : nil }
        try await remotes.serving { verifier, backend in
            let file = try RemoteConfiguration().write(for: tool, verifier: verifier, backend: backend)
            let outcome = try await tool.run(["run", try Self.fronts(tool).path, "--format", "json"] + file)
            #expect(outcome.status == 1, "\(outcome.errors)")
            #expect(remotes.delivered.count == 10)
            #expect(try outcome.json().cards.filter { $0.state == "failed" }.map(\.reason) == ["http_403"])
        }
    }

    @Test("Two odd images end as failed; the run delivers all others and does not stop", arguments: [[3, 9], [5, 6]])
    func oddImages(places: [Int]) async throws {
        let (tool, remotes) = (try Tool(), Remotes())
        remotes.verify { place in
            places.contains(place)
                ? .json(#"{"error_message":"BAD_ARGUMENTS","request_id":"specimen"}"#, status: "400 Bad Request") : nil
        }
        try await remotes.serving { verifier, backend in
            let file = try RemoteConfiguration().write(for: tool, verifier: verifier, backend: backend)
            let outcome = try await tool.run(["run", try Self.fronts(tool).path, "--format", "json"] + file)
            #expect(outcome.status == 1, "\(outcome.errors)")
            #expect(remotes.delivered.count == 9)
            #expect(
                try outcome.json().cards.filter { $0.state == "failed" }.map(\.reason) == [
                    "BAD_ARGUMENTS", "BAD_ARGUMENTS",
                ]
            )
        }
    }

    @Test(
        "A verifier that answers 500 costs no card anything: the run ends with 75 and names it",
        arguments: [1, 2, 11]
    )
    func outage(count: Int) async throws {
        let (tool, remotes) = (try Tool(), Remotes())
        remotes.verify { _ in FaultReply("500 Internal Server Error") }
        try await remotes.serving { verifier, backend in
            let file = try RemoteConfiguration().write(for: tool, verifier: verifier, backend: backend)
            let command = ["run", try Self.fronts(tool, count).path, "--format", "json"] + file
            // What fails is due again after the next trial of the breaker: soon, so that the last run need not wait long.
            let impatient = ["IDCARD_RUN_PATIENCE": "4s"]
            for _ in 0..<2 {
                let outcome = try await tool.run(command, impatient)
                #expect(outcome.status == 75, "\(outcome.errors)")
                #expect(outcome.errors.contains(verifier) && outcome.errors.contains("http_500"))
                #expect(try outcome.json().counts["failed"] == 0)
            }
            remotes.verify { _ in nil }
            #expect(try await tool.run(command).status == 0)
            #expect(remotes.delivered.count == count)
        }
    }

    @Test("A host that asks to be left alone is left alone by the next process, too", arguments: [true, false])
    func retryAfter(isVerifier: Bool) async throws {
        let (tool, remotes) = (try Tool(), Remotes())
        let calls = Mutex(0)
        let pause: @Sendable () -> FaultReply = {
            calls.withLock { $0 += 1 }
            return .unavailable(retryAfterSeconds: 600)
        }
        if isVerifier { remotes.verify { _ in pause() } } else { remotes.deliver { _, _ in pause() } }
        try await remotes.serving { verifier, backend in
            var configuration = RemoteConfiguration()
            configuration.others = ["run: {patience: 2s}"]
            let file = try configuration.write(for: tool, verifier: verifier, backend: backend)
            // Another card each time, which has been asked for no pause itself.
            for place in 1...3 {
                let photo = ["R-\(place)/front.jpg": "cards/LOAN-2026-000\(place)/front.\(place == 3 ? "JPG" : "jpg")"]
                let command = ["run", try tool.folder("photos-\(place)", photo).path, "--format", "json"] + file
                let outcome = try await tool.run(command)
                #expect(outcome.status == 75, "\(outcome.errors)")
                #expect(try outcome.json().counts["failed"] == 0)
                #expect(calls.withLock { $0 } == 1)
            }
        }
    }

    @Test("A wrong TOKEN whose RETCODE no list holds stops delivery; with the right one everything is delivered")
    func wrongToken() async throws {
        let (tool, remotes) = (try Tool(), Remotes())
        remotes.deliver { _, token in token == "right" ? nil : .json(#"{"RETCODE":"100009","RETMSG":"who are you"}"#) }
        try await remotes.serving { verifier, backend in
            var configuration = RemoteConfiguration()
            configuration.delivery = ["token: wrong", "user_no: U-1"]
            let file = try configuration.write(for: tool, verifier: verifier, backend: backend)
            let command = ["run", try Self.fronts(tool).path, "--format", "json"] + file
            let stopped = try await tool.run(command, ["IDCARD_RUN_PATIENCE": "4s"])
            #expect(stopped.status == 69, "\(stopped.errors)")
            #expect(
                stopped.errors.contains("delivery.retcode") && stopped.errors.contains("100009"),
                "\(stopped.errors)"
            )
            #expect(try stopped.json().counts["rejected"] == 0)
            #expect(remotes.calls.count <= 6 + 3, "three in a row, three probes, and what was under way")
            configuration.delivery = ["token: right", "user_no: U-1"]
            _ = try configuration.write(for: tool, verifier: verifier, backend: backend)
            // What was held by the code is judged again once it is known what was wrong.
            let retried = try await tool.run(["cards", "retry", "--reason", "retcode_unlisted"] + file)
            #expect(retried.status == 0, "\(retried.errors)")
            let right = try await tool.run(command)
            #expect(right.status == 0, "\(right.output) \(right.errors)")
            #expect(remotes.delivered.sorted() == Self.numbers)
            #expect(try await tool.run(["fsck"] + file).status == 0)
        }
    }

    @Test(
        "Cards that are refused by an unlisted RETCODE are held and end nothing",
        arguments: [["R-103", "R-104", "R-105"], ["R-101", "R-102", "R-103", "R-104"]]
    )
    func refusedCards(refused: [String]) async throws {
        let (tool, remotes) = (try Tool(), Remotes())
        remotes.deliver { number, _ in refused.contains(number) ? .json(#"{"RETCODE":"555","RETMSG":"no"}"#) : nil }
        try await remotes.serving { verifier, backend in
            let file = try RemoteConfiguration().write(for: tool, verifier: verifier, backend: backend)
            let outcome = try await tool.run(["run", try Self.fronts(tool).path, "--format", "json"] + file)
            #expect(outcome.status == 1, "\(outcome.errors)")
            let cards = try outcome.json().cards
            let held = cards.filter { $0.state == "held" && $0.reason == "retcode_unlisted" }
            #expect(held.compactMap(\.businessNo).sorted() == refused)
            #expect(remotes.delivered.count == 11 - refused.count)
        }
    }

    @Test("What was rejected by a code is judged again by that code; a listed code stops nothing")
    func retryByReason() async throws {
        let (tool, remotes) = (try Tool(), Remotes())
        remotes.deliver { _, token in token == "right" ? nil : .json(#"{"RETCODE":"100009","RETMSG":"who are you"}"#) }
        try await remotes.serving { verifier, backend in
            var configuration = RemoteConfiguration()
            configuration.delivery = ["token: wrong", "user_no: U-1", "retcode: {rejected: ['100009']}"]
            let file = try configuration.write(for: tool, verifier: verifier, backend: backend)
            let command = ["run", try Self.fronts(tool).path, "--format", "json"] + file
            let refused = try await tool.run(command)
            #expect(refused.status == 1)
            #expect(try refused.json().counts["rejected"] == 11)
            configuration.delivery[0] = "token: right"
            _ = try configuration.write(for: tool, verifier: verifier, backend: backend)
            #expect(try await tool.run(["cards", "retry", "--reason", "nothing"] + file).status == 0)
            let retried = try await tool.run(["cards", "retry", "--reason", "100009"] + file)
            #expect(retried.status == 0, "\(retried.errors)")
            #expect(try await self.states(tool, file).count { $0.contains("prepared") } == 11)
            #expect(try await tool.run(["run"] + file).status == 0)
            #expect(remotes.delivered.sorted() == Self.numbers)
            #expect(try await tool.run(["cards", "retry"] + file).status == 64)
        }
    }

    @Test(
        "The card of a stopped delivery can be done again and resolved",
        arguments: ["retry", "resolve"]
    )
    func stoppedCard(what: String) async throws {
        let (tool, remotes) = (try Tool(), Remotes())
        remotes.deliver { _, _ in FaultReply("404 Not Found") }
        try await remotes.serving { verifier, backend in
            let file = try RemoteConfiguration().write(for: tool, verifier: verifier, backend: backend)
            let stopped = try await tool.run(["run", try Self.fronts(tool, 1).path, "--format", "json"] + file)
            #expect(stopped.status == 69)
            let card = try #require(try stopped.json().cards.first?.cardId)
            let words = [
                "retry": ["cards", "retry", card], "resolve": ["cards", "resolve", card, "--as", "reject"],
            ]
            let changed = try await tool.run(try #require(words[what]) + file)
            #expect(changed.status == 0, "\(changed.errors)")
            remotes.deliver { _, _ in nil }
            #expect(try await tool.run(["run"] + file).status == 0)
            #expect(remotes.delivered.count == (what == "retry" ? 1 : 0))
            #expect(try await tool.run(["fsck"] + file).status == 0)
        }
    }
}
