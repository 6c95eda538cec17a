import CardModel
import Foundation
import Testing

@testable import CardRemote

/// The table of `ErrorCodes.md`, compared with the code row by row, in both directions.
@Suite struct ErrorCodeTableTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var code: String
        var statuses: String
        var failureClass: String
        var consequence: String

        var testDescription: String { "\(self.code) \(self.statuses)" }

        /// The statuses of the second column, as ranges.
        var ranges: [ClosedRange<Int>] {
            self.statuses.split(separator: ", ").compactMap { item in
                let bounds = item.split(separator: "–").compactMap { Int($0) }
                guard let first = bounds.first, let last = bounds.last else { return nil }
                return first...last
            }
        }
    }

    static let rows: [Row] = {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Sources/CardRemote/CardRemote.docc/ErrorCodes.md")
        let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst().map { line in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: CharacterSet(charactersIn: " `")) }
            return Row(code: cells[0], statuses: cells[1], failureClass: cells[2], consequence: cells[3])
        }
    }()

    private static func rows(_ code: String) -> [Row] { self.rows.filter { $0.code == code } }

    @Test(arguments: VendorCode.allCases)
    func `Every vendor code has one row, with the class it has in the code`(code: VendorCode) throws {
        let rows = Self.rows(code.rawValue)
        #expect(rows.count == 1)
        let row = try #require(rows.first)
        #expect(row.failureClass == code.consequence.failureClass.rawValue)
        #expect(!row.ranges.isEmpty)
        for status in row.ranges.flatMap({ $0 }) {
            let failure = outcome(.faceIDv1, status, #"{"error_message":"\#(code.rawValue):x"}"#).failure
            #expect(failure?.failureClass.rawValue == row.failureClass)
        }
    }

    @Test func `Every status without a code has the class of its row, with Retry-After and without`() throws {
        let rows = Self.rows("none")
        let rest = try #require(rows.first { $0.statuses == "all others" })
        let waiting = try #require(rows.first { $0.statuses.contains("503 with `Retry-After") })
        #expect(rows.count == 5)
        for status in 300...599 {
            let named = rows.filter { $0.ranges.contains { $0.contains(status) } }
            #expect(named.count <= 1, "status \(status)")
            let plain = outcome(.faceppv1, status, "").failure
            #expect(plain?.failureClass.rawValue == (named.first ?? rest).failureClass, "status \(status)")
            let patient = outcome(.faceppv1, status, "", retryAfter: .seconds(2)).failure
            let expected = status == 503 ? waiting : named.first ?? rest
            #expect(patient?.failureClass.rawValue == expected.failureClass, "status \(status)")
        }
    }

    @Test func `Our own codes have the class of their rows, and no row names anything else`() {
        let unusable = outcome(.faceIDv1, 200, "").failure
        let wrong = outcome(.faceIDv1, 200, SampleReplies.faceppv1Back).failure
        let truncated = ReplyReading(HTTPReply(status: 401, isComplete: false), dialect: .faceIDv1).outcome.failure
        #expect(truncated?.code == "truncated_reply")
        for failure in [unusable, wrong, truncated] {
            #expect(Self.rows(failure?.code ?? "").map(\.failureClass) == [failure?.failureClass.rawValue])
        }
        let own = ["none", "truncated_reply", "unusable_reply", "wrong_dialect"]
        #expect(Set(Self.rows.map(\.code)) == Set(VendorCode.allCases.map(\.rawValue) + own))
        #expect(Self.rows.count == VendorCode.allCases.count + 8)
    }

    @Test func `What follows is said in the same words for the same class, and in others for another`() {
        let classes = Dictionary(grouping: Self.rows, by: \.consequence).mapValues { rows in
            Set(
                rows.map { row in
                    let isRequest = row.statuses.contains("403,") || row.code == "wrong_dialect"
                    let scope = VendorCode(rawValue: row.code)?.consequence.scope ?? (isRequest ? .request : .account)
                    return row.failureClass + (row.failureClass == "stop" ? " \(scope.rawValue)" : "")
                }
            )
        }
        #expect(classes.values.allSatisfy { $0.count == 1 })
        #expect(Set(classes.values).count == classes.count)
        #expect(
            Set(classes.values.flatMap { $0 })
                == ["throttled", "shrink", "rejected", "transient", "stop account", "stop request"]
        )
    }
}
