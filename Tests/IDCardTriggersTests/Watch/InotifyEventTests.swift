import Glibc
import Testing

@testable import IDCardTriggers

/// What is read of inotify.
@Suite struct InotifyEventTests {
    /// The bytes of an event, as the kernel lays them out.
    private static func bytes(_ watch: Int32, _ mask: some BinaryInteger, name: [UInt8] = [], padding: Int = 0)
        -> [UInt8]
    {
        var name = name
        if !name.isEmpty { name += Array(repeating: 0, count: max(1, padding)) }
        var event = inotify_event()
        event.wd = watch
        event.mask = UInt32(truncatingIfNeeded: mask)
        event.len = UInt32(name.count)
        return withUnsafeBytes(of: event) { Array($0.prefix(MemoryLayout<inotify_event>.size)) } + name
    }

    private static func events(_ bytes: [UInt8]) -> [InotifyEvent] {
        bytes.withUnsafeBytes { InotifyEvent.events(in: $0) }
    }

    @Test("Several events in one piece are told apart, at any alignment")
    func several() {
        let bytes =
            Self.bytes(1, IN_CLOSE_WRITE, name: Array("a.jpg".utf8), padding: 11)
            + Self.bytes(2, IN_MOVED_TO, name: Array("Ä.jpg".utf8), padding: 1)
            + Self.bytes(-1, IN_Q_OVERFLOW)
        let events = Self.events(bytes)
        #expect(events.map(\.watch) == [1, 2, -1])
        #expect(events.map(\.name) == ["a.jpg", "Ä.jpg", ""])
        #expect(events.last?.has(IN_Q_OVERFLOW) == true)
        #expect(events.first?.has(IN_MOVED_TO) == false)
    }

    @Test("Whatever is cut off gives the events before it")
    func cutOff() {
        let first = Self.bytes(1, IN_CLOSE_WRITE, name: Array("a.jpg".utf8), padding: 3)
        let both = first + Self.bytes(2, IN_CREATE, name: Array("b.jpg".utf8), padding: 3)
        for length in 0...both.count {
            let expected = length < first.count ? 0 : length < both.count ? 1 : 2
            #expect(Self.events(Array(both.prefix(length))).count == expected)
        }
    }

    @Test("A name that is not UTF-8 asks for a look at its folder")
    func undecodable() {
        let folder = WatchedPath(root: 0, path: "/in/LOAN-1")
        let events = Self.events(Self.bytes(1, IN_CLOSE_WRITE, name: [0x66, 0xFF, 0x2E], padding: 5))
        #expect(events.compactMap { FolderNotice($0, in: folder, isRoot: false) } == [.folder(folder)])
    }

    private static let notices: [(UInt32, Bool, FolderNotice?)] = {
        let below = WatchedPath(root: 3, path: "/in/x")
        let isFolder = UInt32(truncatingIfNeeded: IN_ISDIR)
        let bits = { (flag: any BinaryInteger) in UInt32(truncatingIfNeeded: flag) }
        return [
            (bits(IN_CLOSE_WRITE), false, .closed(below)), (bits(IN_MOVED_TO), false, .closed(below)),
            (bits(IN_CREATE), false, .created(below)), (bits(IN_CREATE) | isFolder, false, .folder(below)),
            (bits(IN_MOVED_TO) | isFolder, false, .folder(below)), (bits(IN_MOVED_FROM), false, nil),
            (bits(IN_DELETE_SELF), true, .rootGone(3)), (bits(IN_MOVE_SELF), true, .rootGone(3)),
            (bits(IN_UNMOUNT), true, .rootGone(3)), (bits(IN_DELETE_SELF), false, nil), (bits(IN_IGNORED), true, nil),
            (bits(IN_MOVE_SELF), false, nil),
        ]
    }()

    @Test("Each kind of event means what it should", arguments: notices)
    func meaning(mask: UInt32, isRoot: Bool, notice: FolderNotice?) {
        let event = InotifyEvent(watch: 1, mask: mask, name: "x")
        #expect(FolderNotice(event, in: WatchedPath(root: 3, path: "/in"), isRoot: isRoot) == notice)
    }
}
