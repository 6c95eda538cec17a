import Foundation
import Glibc
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct CommandLineTests {
    @Test(arguments: [
        ["run", "x", "--format", "xml"], ["run", "x", "--documents", "d"], ["nonsense"],
        ["cards", "list", "--limit", "-1"], ["cards", "list", "--state", "gone"], ["verifier", "--port", "70000"],
        ["run", "x", "--user-no", ""], ["run", "x", "--business-no", " "],
        ["run", "x", "--business-no", "1.23457E+15"], ["run", "x", "--business-no", "11010519491231002X"],
        ["run", "x", "--business-no-from", "folder:0"], ["run", "x", "--business-no-from", "pattern:(a)(b)"],
        ["run", "x", "--business-no-from", ""], ["run", "--dry-run"],
        ["run", "x", "--user-no", "1.23457E+15"], ["watch", "x", "--user-no", "1.23457E+15"],
        // A variable that is not set: the root, or the folder that we are in, is not meant.
        ["backend", "--documents", ""], ["run", "x", "--embedded", "--documents", ""], ["watch", "", "--embedded"],
        ["cards", "erase", "x", "--yes", "--documents", ""], ["cards", "export", "x", "--output", ""],
        ["tokens", "list", "--tokens-file", ""], ["keys", "init", "--key-file", ""], ["restore", "", "--embedded"],
        ["restore", "x", "--erasures", ""], ["status", "--config", ""], ["tokens", "list", "--config", ""],
        ["cards", "retry"],
    ])
    func `wrong usage ends with 64 and says what is wrong`(arguments: [String]) async throws {
        let outcome = try await Tool().run(arguments, ends: 64)
        #expect(outcome.errors.count > 20)
        #expect(outcome.output.isEmpty)
    }

    @Test(
        "What cannot begin is told with its exit status and the remedy, and leaves nothing",
        arguments: [
            (["run", "x", "--business-no-from", "folders"], 64, ["--business-no-from folders: the rule must be root"]),
            (["run", "no/such/file.jpg", "--embedded"], 66, ["no/such/file.jpg"]),
            (["run", "fixtures/cards"], 78, ["verification.url", "delivery.url", "--embedded"]),
            (["status"], 66, ["no sandbox"]), (["cards", "list"], 66, ["no sandbox"]),
            (["status", "--check"], 66, ["no sandbox"]),
        ] as [([String], Int32, [String])]
    )
    func refused(arguments: [String], status: Int32, words: [String]) async throws {
        let tool = try Tool(withKey: false)
        let outcome = try await tool.run(arguments, ends: status)
        for word in words { #expect(outcome.errors.contains(word), "\(outcome.errors)") }
        #expect(try FileManager.default.contentsOfDirectory(atPath: tool.home.path).isEmpty)
    }

    @Test func `a sandbox named in a file lies beside it, from whatever folder the command runs`() async throws {
        let tool = try Tool()
        let folder = try tool.folder("etc").path
        let file = try tool.secretFile("etc/c.yaml", "sandbox: {path: box}\n").path
        for (place, config) in [(folder, "./c.yaml"), (tool.home.path, "etc/c.yaml"), ("/", file)] {
            let within = ["/usr/bin/env", "-C", place]
            let shown = try await tool.run(["config", "show", "--config", config], wrapper: within, ends: 0)
            #expect(shown.output.contains("\(folder)/box"), "\(shown.output)")
        }
    }

    @Test(arguments: [
        ["status"], ["cards", "erase", "none", "--yes"], ["keys", "rotate"], ["run", "x"], ["tokens", "list"],
    ])
    func `a missing configuration file ends every command with 78 and an explanation`(arguments: [String]) async throws
    {
        let outcome = try await Tool().run(arguments + ["--config", "/no/such.yaml"], ends: 78)
        #expect(outcome.errors.hasPrefix("error: cannot use the configuration file /no/such.yaml: "))
    }

    @Test func `a card that is not there ends with 66`() async throws {
        let tool = try Tool()
        let empty = try tool.folder("empty")
        #expect(try await tool.run(["run", empty.path, "--embedded"]).status == 0)
        #expect(try await tool.run(["cards", "show", "none", "--embedded"]).status == 66)
        let list = try await tool.run(["cards", "list", "--embedded"])
        #expect(list.status == 0 && list.output.isEmpty)
        #expect(try await tool.run(["status", "--embedded"]).output.hasPrefix("no cards\nno process is running;"))
        let full = try await tool.run(["status", "--embedded"], ["IDCARD_SANDBOX_INTAKE_FREE_SPACE": "\(1 << 50)"])
        #expect(full.output.contains("no photos are imported; free some space"), "\(full.output)")
    }

    @Test func `status --check says in one line that all is well, or what is wrong, and ends accordingly`() async throws
    {
        struct Check: Decodable {
            struct HealthIssue: Decodable { var severity, subject, code, message: String }
            var status: String
            var troubles: [HealthIssue]
        }
        let tool = try Tool()
        try await tool.admitting(["R-1", "R-2"])
        let check = ["status", "--check"]
        #expect(try await tool.run(check, ends: 0).output == "ok: all is well\n")
        try await tool.plant("UPDATE cases SET state = 'failed', cause = 'attempts_exhausted', since = 0")
        // As the time of an endpoint is told.
        let failed = try await tool.run(check, ["TZ": "CST-8"], ends: 1).output
        #expect(
            failed.hasPrefix(
                "warning: 2 cases stand at failed, the oldest since 1970-01-01 08:00:00 +08:00 (attempts_exhausted); "
            )
        )
        #expect(failed.split(separator: "\n").count == 1)
        let full = ["IDCARD_SANDBOX_INTAKE_FREE_SPACE": "\(1 << 50)"]
        let both = try await tool.run(check, full, ends: 2).output
        #expect(both.hasPrefix("critical: the disk of the sandbox is nearly full, "), "\(both)")
        #expect(both.hasSuffix("free some space; 1 more cause; show all: idcard-pipeline status\n"), "\(both)")
        let json: Check = try await tool.run(check + ["--format", "json"], full, ends: 2).decoded()
        #expect(json.status == "critical" && json.troubles.map(\.code) == ["disk_space_low", "attempts_exhausted"])
        // The same is told by `status`.
        let status = try await tool.run(["status"], full, ends: 0).output
        #expect(status.contains(json.troubles[0].message), "\(status)")
        let key = try await tool.run(check, ["IDCARD_VAULT_KEY": Tool.randomKey()], ends: 2).output
        #expect(key.hasPrefix("critical: no given key opens the sandbox; "), "\(key)")
    }

    @Test(arguments: [[], ["cards"], ["config"]])
    func `a command that lacks its subcommand ends with 64, not with help as if all were well`(_ arguments: [String])
        async throws
    {
        let outcome = try await Tool().run(arguments, ends: 64)
        #expect(outcome.output.isEmpty && outcome.errors.contains("--help"), "\(outcome.errors)")
    }

    @Test(.enabled(if: geteuid() == 0, "mounts")) func `without /proc no argument can be read, which is said`()
        async throws
    {
        let hiding = ["/usr/bin/unshare", "-m", "/bin/sh", "-c", "mount -t tmpfs none /proc && exec \"$@\"", "sh"]
        let outcome = try await Tool().run(["status"], wrapper: hiding, ends: 78)
        #expect(outcome.errors.contains("mount -t proc proc /proc"), "\(outcome.errors)")
    }

    @Test(.enabled(if: geteuid() == 0, "mounts"), arguments: [["config", "check"], ["run", "fixtures/cards"]])
    func `without certificate authorities an https endpoint is refused before a card is paid for`(command: [String])
        async throws
    {
        let tool = try Tool()
        let url = "https://127.0.0.1:1/"
        let file = try RemoteConfiguration().write(for: tool, verifier: url, backend: url)
        let hide = "mount -t tmpfs none /etc/ssl; mount -t tmpfs none /etc/pki; exec \"$@\""
        let hiding = ["/usr/bin/unshare", "-m", "/bin/sh", "-c", hide, "sh"]
        let refused = try await tool.run(command + file, wrapper: hiding, ends: 78)
        for word in ["verification.tls.ca_file", "apt-get install ca-certificates"] {
            #expect((refused.output + refused.errors).contains(word), "\(refused.output) \(refused.errors)")
        }
    }

    @Test func `without tesseract the embedded verifier names the packages`() async throws {
        let tool = try Tool()
        let empty = try tool.folder("empty")
        let outcome = try await tool.run(["run", empty.path, "--embedded"], ["PATH": "/nonexistent"], ends: 78)
        #expect(outcome.errors.contains("tesseract-ocr-chi-sim"))
    }

    @Test(arguments: [["--help"], ["run", "--help"], ["--version"], ["help", "cards"]])
    func `help and version go to standard output`(arguments: [String]) async throws {
        let outcome = try await Tool().run(arguments, ends: 0)
        #expect(!outcome.output.isEmpty && outcome.errors.isEmpty)
    }

    @Test func `output that cannot be written ends with 74; a reader that goes away does not`() async throws {
        let tool = try Tool()
        let empty = try tool.folder("empty")
        #expect(try await tool.run(["run", empty.path, "--embedded"]).status == 0)
        for (redirection, status) in [("> /dev/full", Int32(74)), ("| true", 0), (">&-", 0)] {
            let script = "\(Project.binary.path) status --embedded \(redirection); exit ${PIPESTATUS[0]}"
            let outcome = try await tool.run([], wrapper: ["/bin/bash", "-c", script])
            #expect(outcome.status == status, "\(redirection): \(outcome.errors)")
        }
    }

    @Test func `a command in a message repeats the options that say which sandbox is meant`() async throws {
        let tool = try Tool()
        let photos = try tool.folder("photos", ["C-1/front.jpg": .front(1)])
        let sandbox = tool.home.appending(path: "a sandbox").path
        let options = ["--embedded", "--sandbox", sandbox]
        #expect(try await tool.run(["run", photos.path, "--dry-run"] + options).status == 0)
        let error = try await tool.run(["status"] + options).errors
        #expect(
            error.contains("import photos first: idcard-pipeline run --sandbox '\(sandbox)' --embedded"),
            "\(error)"
        )
        try await tool.run(["run", photos.path] + options)
        let review = try await tool.run(["review", "keep", "accept"] + options, ends: 1).errors
        #expect(review.contains("idcard-pipeline review list --sandbox '\(sandbox)' --embedded"), "\(review)")
        let resume = try await tool.run(["resume", "backend"] + options, ends: 0).output
        #expect(resume.contains("idcard-pipeline status --sandbox '\(sandbox)' --embedded"), "\(resume)")
        _ = try tool.secretFile(".config/idcard-pipeline/tokens.json", "{}")
        let file = ["--config", try tool.secretFile("empty.yaml", "").path]
        let tokens = try await tool.run(["tokens", "list"] + file, ends: 78).errors
        #expect(tokens.contains("idcard-pipeline tokens add --config \(file[1])"), "\(tokens)")
    }

    @Test func `a file name cannot command the terminal; a program gets it as it is`() async throws {
        let tool = try Tool()
        let name = "a\u{1B}]0;x\u{7}\u{9B}2J\u{202E}b\ndelivered C-9.heic"
        let photos = try tool.folder("photos")
        let url = try tool.folder("photos/C-1").appending(path: name)
        try Data("\0\0\0\u{18}ftypheic\0\0\0\0".utf8).write(to: url)
        let command = ["run", photos.path, "--dry-run", "--embedded", "--format"]
        let text = try await tool.run(command + ["text"])
        #expect(text.output.contains("a?]0;x??2J?b?delivered C-9.heic"), "\(text.output)")
        let option = try await tool.run(["run", "-\u{1B}]0;x"])
        #expect(option.status == 64 && !option.errors.contains("\u{1B}"), "\(option.errors)")
        let line = try #require(try await tool.run(command + ["jsonl"]).output.split(separator: "\n").first)
        let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        #expect((object?["source"] as? String)?.hasSuffix(name) == true)
    }
}
