import Foundation
import Glibc
import IDCardApp
import IDCardCore
import IDCardTesting
import Testing

@Suite("The TOKEN and its file")
struct TokenSourceTests {
    @Test("The file is read anew on every demand, without the blanks around the TOKEN")
    func readsAgain() async throws {
        let folder = try ConfigurationFolder()
        let source = TokenSource.file(try folder.write("  first-token\r\n", to: "token"))
        #expect(try await source.current().reveal() == "first-token")
        _ = try folder.write("second-token\n", to: "token")
        #expect(try await source.current().reveal() == "second-token")
    }

    @Test("A file that others have rights to is refused", arguments: [0o644, 0o640, 0o604, 0o620, 0o602, 0o601, 0o666])
    func refusesMode(mode: Int) async throws {
        let folder = try ConfigurationFolder()
        let path = try folder.write("canary-token", to: "token", mode: mode)
        let error = await #expect(throws: ConfigurationError.self) { try await TokenSource.file(path).current() }
        #expect(error?.code == .insecureFile)
        #expect(error?.message.contains("chmod 600 \(path)") == true)
        #expect(error?.message.contains("canary") == false)
        let loading = try folder.refusal(environment: ["IDCARD_DELIVERY_TOKEN_FILE": path])
        #expect(loading?.problems.map(\.code) == [.insecureFile])
        #expect(loading?.problems.map(\.key) == ["delivery.token_file"])
    }

    @Test("A file that only its owner may read is taken", arguments: [0o600, 0o400])
    func takesMode(mode: Int) async throws {
        let folder = try ConfigurationFolder()
        let path = try folder.write("a-token", to: "token", mode: mode)
        #expect(try await TokenSource.file(path).current().reveal() == "a-token")
    }

    @Test(
        "A file without one TOKEN in it is refused",
        arguments: ["", " \n", "canary\ncanary\n", "can\u{0}ary", String(repeating: "c", count: 65_537)]
    )
    func refusesContent(text: String) async throws {
        let folder = try ConfigurationFolder()
        let path = try folder.write(text, to: "token")
        let error = await #expect(throws: ConfigurationError.self) { try await TokenSource.file(path).current() }
        #expect(error?.code == .secretUnreadable)
        #expect(error?.message.contains("canary") == false)
        #expect((error?.message.count ?? 0) < 400)
    }

    @Test(
        "A file that is absent, a folder or a pipe is refused, and nothing hangs",
        .timeLimit(.minutes(Sanitizer.minutes(1)))
    )
    func refusesKind() async throws {
        let folder = try ConfigurationFolder()
        let pipe = folder.path + "/pipe"
        #expect(mkfifo(pipe, 0o600) == 0)
        for path in [folder.path + "/absent", folder.path, pipe] {
            let error = await #expect(throws: ConfigurationError.self) { try await TokenSource.file(path).current() }
            #expect(error?.code == .secretUnreadable)
        }
    }

    @Test("A TOKEN and a TOKEN file exclude each other, wherever they come from")
    func conflict() throws {
        let folder = try ConfigurationFolder()
        let path = try folder.write("token", to: "token")
        let error = try #require(
            try folder.refusal(
                yaml: "delivery:\n  token_file: \(path)\n",
                environment: ["IDCARD_DELIVERY_TOKEN": "canary-token"]
            )
        )
        #expect(error.problems.map(\.code) == [.conflict])
        #expect(error.message.contains("delivery.token (from environment)"))
        #expect(error.message.contains("delivery.token_file (from file)"))
        #expect(!error.message.contains("canary"))
    }

    @Test("The built-in endpoints need no TOKEN file")
    func embedded() throws {
        let configuration = try ConfigurationFolder().load(
            environment: ["IDCARD_DELIVERY_TOKEN_FILE": "/nonexistent/token"],
            embedded: true
        )
        #expect(configuration.delivery.token?.path == "/nonexistent/token")
    }

    @Test("No rendering of a fixed TOKEN shows it")
    func redacted() {
        let source = TokenSource.fixed(Redacted("canary-token"))
        var dumped = ""
        dump(source, to: &dumped)
        #expect(!("\(source)" + String(reflecting: source) + dumped).contains("canary"))
    }
}
