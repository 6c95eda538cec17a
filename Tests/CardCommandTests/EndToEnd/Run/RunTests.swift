import Foundation
import Glibc
import Subprocess
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct RunTests {
    @Test func `every fixture card is delivered, fronts first; again, nothing is read or sent`() async throws {
        let tool = try Tool()
        let cards = tool.home.appending(path: "cards")
        try FileManager.default.copyItem(at: Project.fixtures.appending(path: "cards"), to: cards)
        let command = ["run", cards.path, "--embedded", "--documents", tool.documents.path, "--format", "json"]
        let first = try await tool.run(command, ends: 0)
        let report = try first.json()
        #expect(report.counts["delivered"] == report.cards.count)
        #expect(report.cards.count == 22)
        #expect(report.cards.allSatisfy { $0.state == "delivered" && $0.cardId != nil && $0.side != nil })
        let ledger = try tool.ledger()
        #expect(ledger.count == report.cards.count)
        #expect(ledger.allSatisfy { !$0.outOfOrder && $0.retcode == "000000" })
        #expect(Set(ledger.map { "\($0.businessNo) \($0.doctype)" }).count == ledger.count)
        for line in ledger {
            #expect(FileManager.default.fileExists(atPath: tool.documents.appending(path: line.file).path))
        }
        let again = try await tool.run(command, ends: 0)
        #expect(try again.json().counts["duplicate"] == report.cards.count)
        #expect(try again.json().cards.allSatisfy { $0.duplicateOf != nil })
        #expect(try tool.ledger() == ledger)
        #expect(try tool.refusals().isEmpty, "something was sent twice")
        // A file that was changed in place and got its old time back is read again.
        try PhotoFile.changeContentKeepingLooks(of: cards.appending(path: "LOAN-2026-0001/front.jpg"))
        let changed = try await tool.run(command).json().cards
        #expect(changed.count { $0.duplicateOf == nil } == 1)
        #expect(changed.first { $0.duplicateOf == nil }?.source.hasSuffix("LOAN-2026-0001/front.jpg") == true)
    }

    @Test func `a document of the built-in backend is durable before its answer`() async throws {
        let tool = try Tool()
        let cards = try tool.folder("cards", ["R-1/front.jpg": "cards/LOAN-2026-0001/front.jpg"])
        let report = tool.home.appending(path: "calls.txt")
        let counting = [
            "LD_PRELOAD": try await tool.shim("shim"), "PROOF_SHIM_MODE": "count", "PROOF_SHIM_ONLY": "fsync",
            "PROOF_SHIM_REPORT": report.path, "PROOF_SHIM_BELOW": tool.documents.path,
        ]
        try await tool.run(["run", cards.path, "--embedded", "--documents", tool.documents.path], counting, ends: 0)
        // Two new files and their folder; the image, the folder that names it, and the one that names that; the line.
        let calls = try String(contentsOf: report, encoding: .utf8).split(separator: "\n")
        #expect(calls.filter { $0.hasPrefix("fsync ") } == ["fsync 7"], "\(calls)")
    }

    @Test func `at its quota a sandbox says so and ends with 74, and the next run sends everything once`() async throws
    {
        let tool = try Tool()
        let cards = try tool.folder("cards", ["R-1/front.jpg": "cards/LOAN-2026-0001/front.jpg"])
        let command = ["run", cards.path, "--embedded", "--documents", tool.documents.path]
        try await tool.run(command, ends: 0)
        _ = try tool.folder(
            "cards",
            ["R-2/front.jpg": "cards/LOAN-2026-0002/front.jpg", "R-2/back.jpg": "cards/LOAN-2026-0002/back.jpg"]
        )
        let quota = [
            "LD_PRELOAD": try await tool.shim("shim"), "PROOF_SHIM_MODE": "fail", "PROOF_SHIM_ERRNO": "EDQUOT",
            "PROOF_SHIM_AT": "1", "PROOF_SHIM_STICKY": "1", "PROOF_SHIM_ONLY": "pwrite",
            "PROOF_SHIM_BELOW": tool.home.path, "IDCARD_RUN_PATIENCE": "1s",
        ]
        let full = try await tool.run(command, quota, ends: 74)
        #expect(full.errors.contains("quota -s"), "\(full.errors)")
        try await tool.run(command, ends: 0)
        #expect(try tool.ledger().count == 3)
        #expect(try tool.refusals().isEmpty, "something was sent twice")
    }

    @Test func `every odd but valid encoding is delivered, and read as it is printed`() async throws {
        struct Truth: Decodable { var fields: [String: String]? }
        struct Details: Decodable { var fields: [String: String] }
        let tool = try Tool()
        let command = ["run", "fixtures/accepted-oddities", "--embedded", "--format", "json"]
        let report = try await tool.run(command, ends: 0).json()
        #expect(report.counts["delivered"] == 16)
        let json = try Data(contentsOf: Project.fixtures.appending(path: "truth.json"))
        let truths = try JSONDecoder().decode([String: Truth].self, from: json)
        for card in report.cards {
            let truth = try #require(truths[String(card.source.dropFirst("fixtures/".count))]?.fields)
            let show = [
                "cards", "show", card.cardId ?? "", "--reveal", "--why", "T-1", "--embedded", "--format", "json",
            ]
            let fields = try await tool.run(show, ends: 0).decoded(Details.self).fields
            let validity = ["valid_from", "valid_to"].compactMap { truth[$0]?.replacing("-", with: ".") }
            let printed = [
                "name": truth["name"], "gender": truth["gender"], "race": truth["ethnicity"],
                "address": truth["address"],
                "id_card_number": truth["number"], "birthday": truth["birth"], "issued_by": truth["issuer"],
                "valid_date": validity.isEmpty ? nil : validity.joined(separator: "-"),
            ]
            #expect(fields == printed.compactMapValues(\.self), "\(card.source)")
        }
    }

    @Test func `refused fixtures end with their reasons, in little memory; good cards are delivered`() async throws {
        let tool = try Tool()
        let measure = [
            Project.root.appending(path: ".venv/bin/python3").path, "-c",
            """
            import resource, subprocess, sys
            status = subprocess.run(sys.argv[1:]).returncode
            print("peak_kib=%d" % resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)
            sys.exit(status)
            """,
        ]
        let mixed = tool.home.appending(path: "mixed")
        try FileManager.default.copyItem(at: Project.fixtures.appending(path: "refused"), to: mixed)
        _ = try tool.folder(
            "mixed",
            ["GOOD/front.jpg": "cards/LOAN-2026-0001/front.jpg", "GOOD/back.jpg": "cards/LOAN-2026-0001/back.jpg"]
        )
        let outcome = try await tool.run(
            ["run", mixed.path, "--embedded", "--format", "json", "--quiet"],
            wrapper: measure,
            ends: 1
        )
        let report = try outcome.json()
        let reasons = Dictionary(report.cards.map { ($0.source, $0.reason) }, uniquingKeysWith: { first, _ in first })
        for (source, reason) in Self.expectedReasons {
            #expect(reasons["\(mixed.path)/\(source)"] == reason, "\(source)")
        }
        #expect(report.counts["ignored"] == 1)
        #expect(report.counts["delivered"] == 2)
        let refused = report.cards.filter { ["refused", "rejected"].contains($0.state) }
        #expect(refused.allSatisfy { ($0.message ?? "").count > 20 })
        let peak = try #require(
            outcome.errors.split(separator: "peak_kib=").last.flatMap { Int($0.filter(\.isNumber)) }
        )
        #expect(peak < 200 * 1024, "peak of \(peak) KiB")
    }

    private static let expectedReasons: [String: String] = [
        "REFUSED-PHOTOCOPY/front.jpg": "legality_low",
        "REFUSED-PHOTOCOPY-RGB/front.jpg": "legality_low",
        "REFUSED-CHECK-DIGIT/front.jpg": "id_number_checksum",
        "REFUSED-NO-CARD/front.jpg": "card_not_recognised",
        "REFUSED-TRUNCATED/front.jpg": "image_truncated",
        "REFUSED-HEADER-ONLY/front.jpg": "image_truncated",
        "REFUSED-EMPTY/front.jpg": "image_empty",
        "REFUSED-TEXT/front.jpg": "unsupported_format",
        "REFUSED-CLAIMS-64000/front.jpg": "image_too_many_pixels",
        "REFUSED-CLAIMS-65535/front.jpg": "image_edge_too_long",
        "REFUSED-PNG-BOMB/front.png": "image_too_many_pixels",
        "REFUSED-PNG-TRUNCATED/front.png": "image_truncated",
        "REFUSED-PNG-CORRUPT/front.png": "image_corrupt",
        "REFUSED-TINY/front.jpg": "INVALID_IMAGE_SIZE",
        "REFUSED-GIF/front.gif": "unsupported_format",
        "REFUSED-WEBP/front.webp": "unsupported_format",
        "REFUSED-TIFF/front.tif": "unsupported_format",
        "REFUSED-HEIC/front.jpg": "unsupported_format",
        "REFUSED-PDF/front.pdf": "unsupported_format",
        "no-business-number.jpg": "business_no_missing",
        "notes.txt": "unsupported_format",
    ]

    @Test func `SIGINT ends a run with 130, SIGTERM and SIGHUP with 143; the next run continues it`() async throws {
        let (tool, verifier) = (try Tool(), MarkVerifier())
        let pairs = try tool.pairs((1...8).map { "K-\($0)" })
        try await tool.servingBoth(verifier: verifier) { file in
            for (signal, status) in [
                (Signal.interrupt, Int32(130)), (.terminate, 143), (Signal(rawValue: SIGHUP), 143),
            ] {
                // A run cannot end by itself while it waits for an answer.
                let gate = Gate()
                verifier.answer(0, thenWaitAt: gate)
                let ended = try await tool.running(["run", pairs.path] + file) { errors, send in
                    await gate.arrival()
                    try send(signal)
                    #expect(try await errors.line(containing: "interrupted") != nil)
                    gate.open()
                }
                #expect(ended == status)
                let list = try await tool.run(["cards", "list", "--format", "json"] + file)
                #expect(list.status == 0 && list.output.contains("card_id"))
            }
            #expect(try await tool.run(["run", pairs.path] + file).status == 0)
        }
        try tool.expectAllOnce(16)
    }

    @Test func `killed with SIGKILL again and again, everything is delivered once in the end`() async throws {
        let (tool, verifier) = (try Tool(), MarkVerifier())
        let pairs = try tool.pairs((1...12).map { "K-\($0)" })
        try await tool.servingBoth(verifier: verifier) { file in
            let command = ["run", pairs.path] + file
            for count in [0, 2, 5, 3, 7] {
                // So many photos are read, then no more: the run cannot end before it is killed.
                let gate = Gate()
                verifier.answer(count, thenWaitAt: gate)
                let ended = try await tool.running(command) { _, send in
                    await gate.arrival()
                    try send(.kill)
                }
                #expect(ended == 128 + SIGKILL)
                gate.open()
            }
            verifier.answer { _ in nil }
            // Wherever these fall; a run that has little left may end before.
            for line in [30, 5] { _ = try await tool.run(command, sending: .kill, atLogLine: line) }
            try await tool.run(command, ends: 0)
            let list = try await tool.run(["cards", "list", "--state", "delivered", "--quiet"] + file)
            #expect(list.output.split(separator: "\n").count == 24)
        }
        try tool.expectAllOnce(24)
    }
}
