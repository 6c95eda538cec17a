import Foundation
import Glibc
import IDCardImaging
import IDCardTesting
import Testing

@Suite("A confined child", .timeLimit(.minutes(Sanitizer.minutes(1))))
struct ConfinedChildTests {
    private func run(_ script: String, timeout: Duration = .seconds(30), input: String = "") throws
        -> (end: ConfinedChild.End, output: String)
    {
        let source = try #require(AnonymousFile.make())
        defer { source.close() }
        let target = try #require(AnonymousFile.make())
        defer { target.close() }
        #expect(source.write(Data(input.utf8)))
        let child = ConfinedChild(executable: "/bin/sh", arguments: ["-c", script], timeout: timeout)
        let end = child.run(input: source, output: target)
        return (end, String(decoding: try #require(target.contents()), as: UTF8.self))
    }

    @Test(
        "How it ended is told apart",
        arguments: [
            ("exit 0", ConfinedChild.End.exited(0)), ("exit 3", .exited(3)),
            ("kill -SEGV $$", .killed(signal: SIGSEGV)),
            ("kill -KILL $$", .killed(signal: SIGKILL)),
        ]
    )
    func ends(script: String, end: ConfinedChild.End) throws {
        #expect(try self.run(script).end == end)
    }

    @Test(
        "Only the signals of a fault are its own death",
        arguments: [
            (SIGSEGV, true), (SIGBUS, true), (SIGABRT, true), (SIGILL, true), (SIGFPE, true), (SIGSYS, true),
            (SIGXCPU, true), (SIGKILL, false), (SIGTERM, false), (SIGINT, false), (SIGHUP, false),
        ]
    )
    func ownDeath(signal: Int32, isOwn: Bool) {
        #expect(ConfinedChild.End.killed(signal: signal).isOwnDeath == isOwn)
    }

    @Test("One that does not end in time is killed")
    func timeout() throws {
        #expect(try self.run("while :; do :; done", timeout: .milliseconds(50)).end == .timedOut)
    }

    @Test("One that cannot be started is no death of the decoder")
    func missing() throws {
        let file = try #require(AnonymousFile.make())
        defer { file.close() }
        let child = ConfinedChild(executable: "/nonexistent/decoder", arguments: [], timeout: .seconds(1))
        #expect(child.run(input: file, output: file) == .notStarted)
    }

    @Test("It reads the input from its beginning, and nothing of our environment or descriptors reaches it")
    func isolated() throws {
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

    @Test("A confined process opens nothing, has no more memory than it may, and leaves no dump")
    func confinement() async {
        await #expect(processExitsWith: .exitCode(42)) {
            var confinement = DecoderConfinement(limits: ImagingLimits(), outputBytes: 1 << 20)
            // With room for heaps of threads that may begin meanwhile; each reserves 64 MiB.
            confinement.memoryBytes = 512 << 20
            guard confinement.apply(keepingDescriptorsThrough: 1000) else { exit(1) }
            guard open("/dev/null", O_RDONLY) < 0, errno == EMFILE else { exit(2) }
            guard mmap(nil, 1024 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED else { exit(3) }
            guard mmap(nil, 16 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED else { exit(4) }
            exit(42)
        }
    }

    @Test("A confined process that computes for ever dies of its own limit, not of a signal that could be anybody's")
    func processorTime() async {
        await #expect(processExitsWith: .signal(SIGXCPU)) {
            var confinement = DecoderConfinement(limits: ImagingLimits(), outputBytes: 1 << 20)
            confinement.processorSeconds = 1
            guard confinement.apply(keepingDescriptorsThrough: 1000) else { exit(1) }
            var count: UInt64 = 0
            while count < .max { count &+= 1 }
        }
    }
}
