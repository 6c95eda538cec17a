import Foundation
import Synchronization
import TestSupport
import Testing

/// One odd card stops nothing, an outage ends nothing, and a wrong TOKEN rejects nothing.
@Suite(.serialized, .timeLimit(.minutes(5))) struct StopTests {
    private static let numbers = (1...11).map { "R-\($0 + 100)" }

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

    @Test func `a backend that answers one business number with 404 delivers all others in one run`() async throws {
        // The odd one is the first that comes, answered once all are read: never the last, never alone.
        let read = Gate()
        let left = Mutex(Self.numbers.count)
        let first = Mutex<String?>(nil)
        self.verifier.answer { _ in
            left.withLock { left in
                left -= 1
                if left == 0 { read.open() }
            }
            return nil
        }
        self.backend.answer { form in
            let isOdd = first.withLock { first in
                first = first ?? form["BUSINESSNO"]
                return first == form["BUSINESSNO"]
            }
            guard isOdd else { return nil }
            await read.pass()
            return FaultReply("404 Not Found")
        }
        let configuration = RemoteConfiguration(more: ["concurrency: 1"])
        try await self.tool.serving(self.verifier, self.backend, configuration) { file in
            let outcome = try await self.tool.run(["run", try self.fronts(), "--format", "json"] + file, ends: 1)
            let odd = first.withLock { $0 } ?? ""
            #expect(self.backend.acceptedNumbers.sorted() == Self.numbers.filter { $0 != odd })
            #expect(self.backend.askedNumbers.count { $0 == odd } == 2, "once more after another was taken")
            // The backend may have stored it before something on the way answered.
            let others = try outcome.json().cards.filter { $0.state != "delivered" }
            #expect(others.map(\.businessNo) == [odd])
            #expect(others.map(\.state) == ["held"] && others.map(\.reason) == ["outcome_unknown"])
        }
    }

    @Test(arguments: ["verify", "deliver"])
    func `a failing endpoint costs no card anything, and status, another process, tells it until it works`(
        stage: String
    ) async throws {
        let failure = FaultReply("500 Internal Server Error")
        if stage == "verify" { self.verifier.answer { _ in failure } } else { self.backend.answer { _ in failure } }
        let configuration = RemoteConfiguration(others: ["run: {patience: 1s}"])
        try await self.tool.serving(self.verifier, self.backend, configuration) { file in
            let command = ["run", try self.fronts(3), "--format", "json"] + file
            let outcome = try await self.tool.run(command, ends: 75)
            #expect(outcome.errors.contains("http_500"), "\(outcome.errors)")
            #expect(try outcome.json().counts["failed"] == 0)
            let status = try await self.tool.run(["status"] + file).output
            for words in ["\(stage) 127.0.0.1:", " pauses since ", "(http_500): the "] {
                #expect(status.contains(words), "\(status)")
            }
            let json = try await self.tool.run(["status", "--format", "json"] + file).output
            let check = try await self.tool.run(["status", "--check"] + file, ends: 2).output
            #expect(check.hasPrefix("critical: \(stage) 127.0.0.1:"), "\(check)")
            #expect(status.contains(check.dropFirst("critical: ".count)), "\(status)")
            #expect(json.contains(#""state" : "pauses""#) && json.contains(#""code" : "http_500""#), "\(json)")
            self.verifier.answer { _ in nil }
            self.backend.answer { _ in nil }
            try await self.tool.run(command, ["IDCARD_RUN_PATIENCE": "1m"], ends: 0)
            let well = try await self.tool.run(["status"] + file).lines
            #expect(well.prefix(2) == ["incomplete  3", "cards: delivered 3"], "\(well)")
            for stage in ["verify", "deliver"] {
                #expect(well.contains { $0.hasPrefix("\(stage): the endpoint works") }, "\(well)")
            }
            #expect(well.count == 5, "\(well)")
        }
    }

    @Test func `a wrong TOKEN with a RETCODE of no list stops delivery; with the right one all is sent`() async throws {
        self.backend.answer { $0["TOKEN"] == "right" ? nil : .json(#"{"RETCODE":"100009","RETMSG":"who are you"}"#) }
        let configuration = RemoteConfiguration(delivery: ["token: wrong", "user_no: U-1"])
        try await self.tool.serving(self.verifier, self.backend, configuration) { file in
            let command = ["run", try self.fronts(), "--format", "json"] + file
            let stopped = try await self.tool.run(command, ["IDCARD_RUN_PATIENCE": "4s"], ends: 69)
            for words in ["delivery.retcode", "100009"] {
                #expect(stopped.errors.contains(words), "\(stopped.errors)")
            }
            let counts = try stopped.json().counts
            #expect(counts["rejected"] == 0 && counts["refused"] == 0)
            #expect(self.backend.askedNumbers.count <= 6 + 3, "three in a row, three probes, and what was under way")
            // The kept answer is judged once a list names the code, and not before.
            let retry = ["cards", "retry", "--reason", "retcode_unlisted"] + file
            let early = try await self.tool.run(retry)
            #expect(early.status != 0 && early.errors.contains("no list of delivery.retcode has the RETCODE 100009"))
            try await self.tool.run(retry, ["IDCARD_DELIVERY_RETCODE_TOKEN_EXPIRED": "100009"], ends: 0)
            try await self.tool.run(command, ["IDCARD_DELIVERY_TOKEN": "right"], ends: 0)
            #expect(self.backend.acceptedNumbers.sorted() == Self.numbers)
            try await self.tool.run(["fsck"] + file, ends: 0)
        }
    }
}
