import Foundation
import IDCardApp
import IDCardCore
import IDCardTesting
import Testing

@Suite("The TOKEN from a command", .timeLimit(.minutes(Sanitizer.minutes(2))))
struct TokenCommandTests {
    private func failure(_ command: String, timeout: Duration = .seconds(30)) async -> ConfigurationError? {
        await #expect(throws: ConfigurationError.self) {
            try await TokenSource.command(command, timeout: timeout).current()
        }
    }

    @Test(
        "The first line is the TOKEN, without the blanks around it",
        arguments: [
            ("echo a-token", "a-token"), ("printf a-token", "a-token"),
            ("printf ' a-token\\t\\r\\nmore\\n'", "a-token"),
            ("echo noise >&2; echo a-token", "a-token"), ("printf '\\101\\n'", "A"), ("echo 令牌", "令牌"),
            ("A=a-; echo \"${A}token\" | cat", "a-token"),
        ]
    )
    func firstLine(command: String, token: String) async throws {
        let source = TokenSource.command(command, timeout: .seconds(30))
        #expect(try await source.current().reveal() == token)
        #expect(source.isCommand)
        #expect(source.path == nil)
    }

    @Test("It is run anew on every demand")
    func again() async throws {
        let folder = try ConfigurationFolder()
        let source = TokenSource.command(
            "echo x >> '\(folder.path)/count'; wc -l < '\(folder.path)/count'",
            timeout: .seconds(30)
        )
        #expect(try await source.current().reveal() == "1")
        #expect(try await source.current().reveal() == "2")
    }

    @Test(
        "A command that fails or gives no TOKEN is refused without quoting what it wrote",
        arguments: [
            ("echo canary; echo canary >&2; exit 3", "exit status 3"), ("echo canary; kill -9 $$", "signal"),
            ("exit 0", "no TOKEN"), ("echo; echo canary", "no TOKEN"), ("printf '  \\ncanary'", "no TOKEN"),
            ("printf 'can\\001ary\\n'", "control characters"), ("printf 'canary\\033[2J\\n'", "control characters"),
            ("echo canary; head -c 70000 /dev/zero | tr '\\0' c", "64KiB"), ("/nonexistent/canary", "exit status 127"),
        ]
    )
    func refused(command: String, reason: String) async throws {
        let error = try #require(await self.failure(command))
        #expect(error.problems.map(\.code) == [.secretUnreadable])
        #expect(error.problems.map(\.key) == ["delivery.token_command"])
        #expect(error.message.contains(reason))
        var dumped = ""
        dump(error, to: &dumped)
        #expect(!(error.message + String(reflecting: error) + dumped).contains("canary"))
    }

    @Test("A command that takes too long is ended, with everything it has started")
    func tooLong() async throws {
        let folder = try ConfigurationFolder()
        let path = folder.path + "/child"
        let error = try #require(
            await self.failure(
                "(trap '' TERM; sleep 600) & echo $! > '\(path)'; echo canary; wait",
                timeout: .seconds(2)
            )
        )
        #expect(error.message.contains("longer than 2s (delivery.token_timeout)"))
        #expect(!error.message.contains("canary"))
        let child = try #require(
            Int32(try String(contentsOfFile: path, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines))
        )
        // The signal is sent, and the kernel takes its time on a busy machine: the time limit of the suite decides.
        while Self.isRunning(child) { try await Task.sleep(for: .milliseconds(5)) }
    }

    private static func isRunning(_ process: Int32) -> Bool {
        let state = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
        // A zombie of which nobody has taken leave yet is ended, too.
        return state.map { !$0.contains(") Z ") } ?? false
    }

    @Test("Nothing is read from our standard input")
    func input() async throws {
        #expect(try await TokenSource.command("cat; echo done", timeout: .seconds(30)).current().reveal() == "done")
    }

    @Test("The end of the task ends the command, and is not taken for its failure")
    func cancelled() async throws {
        let folder = try ConfigurationFolder()
        let pipe = folder.path + "/started"
        let source = TokenSource.command("echo started > '\(pipe)'; sleep 600", timeout: .seconds(600))
        let outcome = try await withThrowingTaskGroup(of: Result<Redacted<String>, any Error>?.self) { group in
            group.addTask {
                do { return .success(try await source.current()) } catch { return .failure(error) }
            }
            group.addTask {
                // The file is the sign that the command runs.
                while !FileManager.default.fileExists(atPath: pipe) { try await Task.sleep(for: .milliseconds(5)) }
                return nil
            }
            let first = try await group.next()
            #expect(first?.map { _ in true } == nil)
            group.cancelAll()
            return try await group.next() ?? nil
        }
        guard case .failure(let error) = outcome else {
            Issue.record("the command was not ended")
            return
        }
        #expect(error is CancellationError)
    }

    @Test("Only one source of the TOKEN is taken, and the others are named")
    func conflict() throws {
        let folder = try ConfigurationFolder()
        let path = try folder.write("token", to: "token")
        let error = try #require(
            try folder.refusal(
                yaml: "delivery:\n  token_file: \(path)\n  token_command: echo canary\n",
                environment: ["IDCARD_DELIVERY_TOKEN": "canary-token"]
            )
        )
        #expect(error.problems.map(\.code) == [.conflict])
        #expect(error.problems.map(\.key) == ["delivery.token_command"])
        for name in [
            "delivery.token (from environment)", "delivery.token_file (from file)",
            "delivery.token_command (from file)",
        ] {
            #expect(error.message.contains(name))
        }
        #expect(!error.message.contains("canary"))
    }

    @Test("A command is enough for a run, and is not run to check the configuration")
    func configured() async throws {
        let folder = try ConfigurationFolder()
        var environment = CompleteConfiguration.environment
        environment["IDCARD_DELIVERY_TOKEN"] = nil
        environment["IDCARD_DELIVERY_TOKEN_COMMAND"] = "touch '\(folder.path)/ran'; echo a-token"
        let configuration = try folder.load(environment: environment, requiringRemotes: true)
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/ran"))
        #expect(try await configuration.remotes().token.current().reveal() == "a-token")
        #expect(FileManager.default.fileExists(atPath: folder.path + "/ran"))
    }
}
