import CImaging
import CardModel
import Foundation
import Glibc
import TestSupport
import Testing

@testable import CardImaging

@Suite(.timeLimit(.minutes(5))) struct IsolationTests {
    /// Prepares by a shell script that stands for the child.
    private static func prepare(with script: String) throws -> PreparedImage {
        var recompressor = ImageRecompressor(settings: ImagingSettings())
        recompressor.command = ["/bin/sh", "-c", script]
        return try recompressor.prepareIsolated(Data([0xFF, 0xD8, 0xFF]))
    }

    private static func octal(_ bytes: Data) -> String {
        "printf '" + bytes.map { "\\" + String($0, radix: 8) }.joined() + "'"
    }

    @Test(arguments: [
        ("kill -SEGV $$", ReasonCode.decoderCrashed, CodedError.Kind.input),
        ("kill -XCPU $$", .decoderCrashed, .input),
        ("kill -KILL $$", .decoderUnavailable, .temporary),
        ("exit 3", .decoderUnavailable, .temporary),
        ("echo nonsense", .decoderCrashed, .input),
        ("echo '{\"width\":1,\"height\":1}'; echo no-jpeg", .decoderCrashed, .input),
        ("exit 0", .decoderCrashed, .input),
    ])
    func `The child's end tells whose fault it is`(script: String, code: ReasonCode, kind: CodedError.Kind) throws {
        let error = #expect(throws: CodedError.self) { try Self.prepare(with: script) }
        #expect(error?.code == code)
        #expect(error?.kind == kind)
    }

    @Test func `A child that cannot be started is no word on the photo`() throws {
        var recompressor = ImageRecompressor(settings: ImagingSettings())
        recompressor.command = ["/nonexistent/decoder"]
        let error = #expect(throws: CodedError.self) { try recompressor.prepareIsolated(Data([0xFF, 0xD8, 0xFF])) }
        #expect(error?.code == .decoderUnavailable && error?.kind == .temporary)
    }

    @Test func `A picture and a refusal come back as they left the child`() throws {
        let jpeg = Data(try TestPicture.mosaic(columns: 2, rows: 1).jpeg())
        let answer = try Framed.join(DecodeReply(width: 32, height: 16), jpeg)
        #expect(try Self.prepare(with: Self.octal(answer)) == PreparedImage(jpeg, PixelSize(width: 32, height: 16)))
        let refusal = CodedError(.imageCorrupt, .input, .imageCorrupt("cut after 5 bytes"))
        let refused = try Framed.join(DecodeReply(refusal: .init(code: refusal.code, message: refusal.message)), Data())
        // Its numbers are believed, its words are not.
        let believed = CodedError(.imageCorrupt, .input, .imageCorrupt("…"))
        #expect(throws: believed) { try Self.prepare(with: Self.octal(refused)) }
    }

    @Test(arguments: [
        CodedError(.imageTruncated, .input, Message("test.text", "send the card to \(5)")),
        CodedError(ReasonCode(rawValue: "delivered"), .input, .imageCorrupt("cut")),
    ])
    func `A code or a text that no decoder gives comes of a child that was taken over`(refusal: CodedError) throws {
        let refused = try Framed.join(DecodeReply(refusal: .init(code: refusal.code, message: refusal.message)), Data())
        let error = #expect(throws: CodedError.self) { try Self.prepare(with: Self.octal(refused)) }
        #expect(error?.code == .decoderCrashed)
    }

    @Test func `The child decodes the same, confined, and leaves nothing but its answer`() async {
        await #expect(processExitsWith: .exitCode(42)) {
            guard let source = try? TestPicture.photo(width: 320, height: 200).jpeg(),
                let expected = try? CardImagingTests.prepare(source, ImagingSettings()),
                let input = AnonymousFile.make(), let output = AnonymousFile.make(),
                let request = try? Framed.join(
                    DecodeRequest(settings: ImagingSettings(), limits: ImagingLimits()),
                    Data(source)
                ),
                input.write(request)
            else { exit(1) }
            Self.continueInOneThread()
            dup2(input.descriptor, STDIN_FILENO)
            dup2(output.descriptor, STDOUT_FILENO)
            guard DecodingChild.answer() == 0 else { exit(2) }
            guard open("/dev/null", O_RDONLY) < 0, errno == EPERM else { exit(3) }
            guard let framed = AnonymousFile(descriptor: STDOUT_FILENO).contents(),
                let (reply, jpeg) = Framed.split(framed, as: DecodeReply.self)
            else { exit(4) }
            exit(reply.width == 320 && reply.height == 200 && jpeg == expected.jpeg ? 42 : 5)
        }
    }

    /// Continues in a process of one thread, as the child of the command: others need calls that are refused, and die of that.
    private static func continueInOneThread() {
        let child = fork()
        guard child != 0 else { return }
        var status: Int32 = 0
        guard waitpid(child, &status, 0) == child else { exit(20) }
        if status & 0x7f == 0 { exit(status >> 8 & 0xff) }
        kill(getpid(), status & 0x7f)
        while true { pause() }
    }

    @Test func `Arguments that do not ask for the child are left alone`() {
        DecodingChild.runIfAsked(["idcard-pipeline", "run", "decode-image"])
        DecodingChild.runIfAsked(["decode-image"])
    }

    // MARK: The child as a process

    private func run(_ script: String, timeout: Duration = .seconds(30), input: String = "") throws
        -> (end: ConfinedChild.Outcome, output: String)
    {
        let source = try #require(AnonymousFile.make())
        defer { source.close() }
        let target = try #require(AnonymousFile.make())
        defer { target.close() }
        #expect(source.write(Data(input.utf8)))
        let child = ConfinedChild(command: ["/bin/sh", "-c", script], timeout: timeout)
        let end = child.run(input: source, output: target)
        return (end, String(decoding: try #require(target.contents()), as: UTF8.self))
    }

    @Test func `A child that does not end in time is killed`() throws {
        #expect(try self.run("while :; do :; done", timeout: .milliseconds(50)).end == .timedOut)
    }

    @Test func `The child reads the input from its beginning, and nothing of our environment or descriptors`() throws {
        setenv("IDCARD_CANARY", "sentinel-canary", 1)
        defer { unsetenv("IDCARD_CANARY") }
        let script = "cat; env | grep -v -e ^PWD= -e ^SHLVL= -e ^_= -e ^OLDPWD=; exec ls -x /proc/self/fd"
        let (end, output) = try self.run("PATH=/usr/bin:/bin; \(script)", input: "the input\n")
        #expect(end == .exited(0))
        let lines = output.split(separator: "\n").filter { !$0.hasPrefix("PATH=") }
        #expect(lines.first == "the input")
        #expect(!output.contains("canary"))
        #expect(lines.dropFirst().first == "SWIFT_BACKTRACE=enable=no")
        let descriptors = lines.last.map { $0.split(separator: " ").compactMap { Int($0) } }
        // The last one is that by which the folder is listed.
        #expect(descriptors == [0, 1, 2, 3, 4])
    }

    @Test func `a confined process reaches no file, process or socket, and takes no more memory`() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "confined-\(UUID().uuidString)").path
        try Data("cards".utf8).write(to: URL(filePath: file))
        defer { unlink(file) }
        await #expect(processExitsWith: .exitCode(42)) { [file = file as String] in
            Self.continueInOneThread()
            let (parent, own) = (getppid(), getpid())
            var confinement = idci_confinement(memory_bytes: 512 << 20, cpu_seconds: 15, file_bytes: 1 << 20)
            guard idci_confine(&confinement) == 0 else { exit(1) }
            guard unlink(file) != 0, errno == EPERM else { exit(2) }
            guard rename(file, file + ".moved") != 0, errno == EPERM else { exit(3) }
            guard kill(parent, 0) != 0, errno == EPERM else { exit(4) }
            guard kill(own, SIGKILL) != 0, errno == EPERM else { exit(5) }
            guard socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0) < 0, errno == EPERM else { exit(6) }
            guard idci_memory_file() < 0, errno == EPERM else { exit(7) }
            var process: pid_t = 0
            guard posix_spawn(&process, "/bin/true", nil, nil, [nil], [nil]) != 0 else { exit(8) }
            guard open("/dev/null", O_RDONLY) < 0, errno == EPERM else { exit(9) }
            guard mmap(nil, 1024 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED else { exit(10) }
            guard mmap(nil, 16 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED else { exit(11) }
            exit(42)
        }
        #expect(try Data(contentsOf: URL(filePath: file)) == Data("cards".utf8))
    }

    @Test func `A confined process that computes for ever dies of its own limit`() async {
        await #expect(processExitsWith: .signal(SIGXCPU)) {
            Self.continueInOneThread()
            // A thread of a pool leaves signals to others.
            var none = sigset_t()
            sigemptyset(&none)
            sigprocmask(SIG_SETMASK, &none, nil)
            var confinement = idci_confinement(memory_bytes: 512 << 20, cpu_seconds: 1, file_bytes: 1 << 20)
            guard idci_confine(&confinement) == 0 else { exit(1) }
            while rand() >= 0 {}
        }
    }
}
