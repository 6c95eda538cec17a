import Glibc

/// One event of `inotify(7)`.
struct InotifyEvent: Hashable {
    /// The watch it comes from; -1 if the queue has overflowed.
    var watch: Int32
    /// What happened, as `IN_…` bits.
    var mask: UInt32
    /// The name in the watched folder; empty if it is about the folder itself, or is not UTF-8.
    var name: String

    /// Whether all bits of a flag are set.
    func has(_ flag: some BinaryInteger) -> Bool {
        let bits = UInt32(truncatingIfNeeded: flag)
        return self.mask & bits == bits
    }

    /// Takes apart what one `read` gave; an event that is cut off ends it.
    static func events(in buffer: UnsafeRawBufferPointer) -> [InotifyEvent] {
        var events: [InotifyEvent] = []
        var offset = 0
        let head = MemoryLayout<inotify_event>.size
        while offset + head <= buffer.count {
            let record = buffer.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
            let end = offset + head + Int(record.len)
            guard end <= buffer.count else { break }
            let bytes = buffer[(offset + head)..<end].prefix { $0 != 0 }
            let name = String(validating: bytes, as: UTF8.self) ?? ""
            events.append(InotifyEvent(watch: record.wd, mask: record.mask, name: name))
            offset = end
        }
        return events
    }
}
