import CardModel
import Foundation
import TestSupport
import Testing

@testable import CardServer
@testable import CardStore

/// Whatever stands in the sandbox is text on a page, and never markup.
@Suite(.timeLimit(.minutes(2))) struct HostileTextTests {
    private static let hostile = #"<script>alert("x")</script>'"><img src=x onerror=alert(1)>&amp;"#
    private static let escaped =
        "&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;&#39;&quot;&gt;&lt;img src=x onerror=alert(1)&gt;&amp;amp;"

    /// Every column of text that a page may show, filled with markup from outside our own code.
    private static func fill(_ store: Sandbox, _ card: CardID) async throws {
        let bad = Self.hostile
        try await store.database.write { tx in
            try tx.run(
                "UPDATE card SET reason = \(bad), remote_code = \(bad), submitter = \(bad), state = 'held' WHERE id = \(card)"
            )
            try tx.run(
                "UPDATE cases SET cause = \(bad), submitter = \(bad), state = 'decide', since = 1, cause_card = \(card)"
            )
            try tx.run("UPDATE event SET reason = \(bad), remote_code = \(bad)")
            try tx.run("UPDATE worker SET command = \(bad)")
            try tx.run(
                """
                INSERT INTO attempt (stage, subject, worker, started_at, ended_at, class, code)
                VALUES ('verify', \(card), 'w', 1, 2, 'transient', \(bad))
                """
            )
            try tx.run(
                """
                INSERT INTO pause (stage, host, class, code, message, since, set_at, until)
                VALUES ('verify', \(bad), 'transient', \(bad), \(#"{"id":"x","text":"<b>","arguments":[]}"#), 1, 1, 9999999999999)
                """
            )
            for action in [bad, "resolve", "reveal"] {
                try tx.run(
                    """
                    INSERT INTO access_log (number, at, actor, subject, action, purpose, card, mac)
                    VALUES ((SELECT coalesce(max(number), 0) + 1 FROM access_log), 1, \(bad), \(bad), \(action), \(bad), \(card), x'00')
                    """
                )
            }
            try tx.run(
                "INSERT INTO tally (minute, state, reason, cards) VALUES (\(Int64(Date().timeIntervalSince1970) / 60), 'held', \(bad), 1)"
            )
        }
    }

    @Test func `hostile text in every stored field is shown as text`() async throws {
        let token = ServerHarness.token("li.na", [.operate])
        try await ServerHarness.with({ $0.tokens = { () throws(CodedError) in [token] } }) { harness in
            let card = try await harness.admit(of: "sender")
            try await Self.fill(harness.store, card)
            let visitor = try await ConsoleVisitor(harness, as: "li.na")
            var shown = 0
            for target in [
                "", "/cases", "/cases/show?no=\(card)", "/cards", "/cards/\(card)", "/log",
                "/cards?submitter=%3Cscript%3Ealert", "/log?subject=%22%3E%3Cscript%3E",
            ] {
                let answer = try await visitor.get("/console\(target)")
                #expect(answer.status == 200, "\(target)")
                #expect(!answer.page.contains("<script>") && !answer.page.contains("<img"), "\(target)")
                #expect(!answer.page.contains("\"><") || !answer.page.contains("onerror=alert(1)>"), "\(target)")
                if answer.page.contains(Self.escaped) { shown += 1 }
            }
            #expect(shown >= 6, "the test must find it on most pages")
        }
    }

    @Test(arguments: ["a", "1.5", "", "\u{202E}"])
    func `an odd path or parameter is a page with a status, not a crash`(odd: String) async throws {
        let token = ServerHarness.token("li.na", [.operate])
        let text = odd.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        try await ServerHarness.with({ $0.tokens = { () throws(CodedError) in [token] } }) { harness in
            let visitor = try await ConsoleVisitor(harness, as: "li.na")
            for target in [
                "/cards/\(text)", "/cards?before=\(text)", "/cases?after=\(text)", "/log?before=\(text)",
                "?span=\(text)", "/cases/show?no=\(text)", "/cards?x=\(text)",
            ] {
                let answer = try await visitor.get("/console\(target)")
                #expect([200, 404, 422].contains(answer.status), "\(target): \(answer.status)")
                #expect(answer["content-type"] == "text/html; charset=utf-8")
            }
        }
    }

    /// What is read from the sources: markup that would let a value out of its attribute, or a link to anywhere.
    @Test func `no value stands in an attribute without quotes, and every link leads into the console`() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../../../Sources/CardServer/Console"
        )
        let files = try #require(
            FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?.allObjects as? [URL]
        )
        let sources = files.filter { $0.pathExtension == "swift" }
        #expect(sources.count > 10)
        for file in sources {
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
                #expect(!line.contains(#/<[a-z][^>]*=\\\(/#), "\(file.lastPathComponent): \(line)")
                #expect(
                    !line.contains("href=\\\"\\(") && !line.contains("action=\\\"\\("),
                    "\(file.lastPathComponent): \(line)"
                )
            }
        }
    }
}
