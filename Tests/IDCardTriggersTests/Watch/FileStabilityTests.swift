import Testing

@testable import IDCardTriggers

/// When a file counts as complete, by a clock that only the test moves.
@Suite struct FileStabilityTests {
    private let file = PathBytes("/in/LOAN-1/front.jpg")
    private var stability = FileStability(
        quietTime: .seconds(5),
        closeWait: .zero,
        openWait: .seconds(600)
    )

    private static func shape(size: Int64 = 100, modified: Int64 = 1, inode: UInt64 = 7, names: UInt64 = 1) -> FileShape
    {
        FileShape(device: 1, inode: inode, size: size, modified: modified, names: names)
    }

    @Test("Without news a file stands still for the quiet time, over two looks")
    mutating func quiet() {
        #expect(self.stability.seen(self.file, as: Self.shape(), now: .seconds(10)) == .lookAgain(at: .seconds(15)))
        #expect(self.stability.seen(self.file, as: Self.shape(), now: .seconds(14)) == .lookAgain(at: .seconds(15)))
        #expect(self.stability.seen(self.file, as: Self.shape(), now: .seconds(15)) == .complete)
    }

    @Test(
        "Whatever changes in it starts the quiet time anew",
        arguments: [shape(size: 101), shape(modified: 2), shape(inode: 8)]
    )
    mutating func changes(shape: FileShape) {
        _ = self.stability.seen(self.file, as: Self.shape(), now: .seconds(0))
        #expect(self.stability.seen(self.file, as: shape, now: .seconds(5)) == .lookAgain(at: .seconds(10)))
        #expect(self.stability.seen(self.file, as: shape, now: .seconds(10)) == .complete)
    }

    @Test("A further name alone changes nothing")
    mutating func names() {
        _ = self.stability.seen(self.file, as: Self.shape(), now: .seconds(0))
        #expect(self.stability.seen(self.file, as: Self.shape(names: 2), now: .seconds(5)) == .complete)
    }

    @Test("A file that was closed is complete at once")
    mutating func closed() {
        self.stability.closed(self.file)
        #expect(self.stability.seen(self.file, as: Self.shape(), now: .seconds(0)) == .complete)
    }

    @Test("A file that was touched after it was closed stands still first, unless it is closed again")
    mutating func touched() {
        self.stability.closed(self.file)
        _ = self.stability.seen(self.file, as: Self.shape(), now: .seconds(0))
        #expect(
            self.stability.seen(self.file, as: Self.shape(size: 101), now: .seconds(1)) == .lookAgain(at: .seconds(6))
        )
        self.stability.closed(self.file)
        #expect(self.stability.seen(self.file, as: Self.shape(size: 102), now: .seconds(2)) == .complete)
    }

    @Test("An empty file that was closed stands still first: whoever made it may come back to fill it")
    mutating func empty() {
        self.stability.closed(self.file)
        #expect(
            self.stability.seen(self.file, as: Self.shape(size: 0), now: .seconds(0)) == .lookAgain(at: .seconds(5))
        )
        self.stability.closed(self.file)
        #expect(self.stability.seen(self.file, as: Self.shape(size: 9), now: .seconds(1)) == .complete)
    }

    @Test("With a wait after closing, a file that is opened again in time is complete only after the last time")
    mutating func closeWait() {
        self.stability = FileStability(quietTime: .seconds(5), closeWait: .seconds(1), openWait: .seconds(600))
        self.stability.closed(self.file)
        #expect(self.stability.seen(self.file, as: Self.shape(), now: .seconds(0)) == .lookAgain(at: .seconds(1)))
        self.stability.closed(self.file)
        #expect(
            self.stability.seen(self.file, as: Self.shape(size: 200), now: .milliseconds(900))
                == .lookAgain(at: .milliseconds(1900))
        )
        #expect(self.stability.seen(self.file, as: Self.shape(size: 200), now: .milliseconds(1900)) == .complete)
    }

    @Test("A file that was seen being created is waited for until it is closed, but not for ever")
    mutating func open() {
        self.stability.created(self.file)
        #expect(self.stability.seen(self.file, as: Self.shape(), now: .zero) == .lookAgain(at: .seconds(600)))
        #expect(self.stability.seen(self.file, as: Self.shape(), now: .seconds(599)) == .lookAgain(at: .seconds(600)))
        #expect(self.stability.seen(self.file, as: Self.shape(), now: .seconds(600)) == .complete)
    }

    @Test("A further name of a file that is there is never closed, and stands still like any other")
    mutating func hardLink() {
        self.stability.created(self.file)
        #expect(self.stability.seen(self.file, as: Self.shape(names: 2), now: .zero) == .lookAgain(at: .seconds(5)))
        #expect(self.stability.seen(self.file, as: Self.shape(names: 2), now: .seconds(5)) == .complete)
    }

    @Test("Once news were lost, nobody is waited for to close a file")
    mutating func lostNews() {
        self.stability.created(self.file)
        _ = self.stability.seen(self.file, as: Self.shape(), now: .zero)
        self.stability.forgetOpenings()
        #expect(self.stability.seen(self.file, as: Self.shape(), now: .seconds(5)) == .complete)
    }

    @Test("A file that is forgotten starts anew, and nothing is kept of it")
    mutating func forgotten() {
        self.stability.closed(self.file)
        self.stability.forget(self.file)
        #expect(self.stability.count == 0)
        #expect(self.stability.seen(self.file, as: Self.shape(), now: .zero) == .lookAgain(at: .seconds(5)))
    }

    @Test("Files do not speak for each other, nor do names that only look alike")
    mutating func independent() {
        let composed = PathBytes("/in/caf\u{E9}.jpg")
        let decomposed = PathBytes("/in/cafe\u{301}.jpg")
        self.stability.closed(composed)
        #expect(self.stability.seen(decomposed, as: Self.shape(), now: .zero) == .lookAgain(at: .seconds(5)))
        #expect(self.stability.seen(composed, as: Self.shape(), now: .zero) == .complete)
    }
}
