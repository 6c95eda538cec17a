import NIOCore

/// Connections that take up room and give way, by holder: an address, or the subject whose token or secret they showed.
///
/// Where there is no room, the oldest of the holder that takes up most gives way: a client that only waits keeps no other
/// out, clients of another address notice nothing, and behind a proxy, where all have one address, newcomers are served.
struct EvictableConnections {
    private struct Entry {
        let channel: any Channel
        let holder: String
        var size: Int
    }

    /// The oldest first.
    private var entries: [Entry] = []
    /// What all of them take up.
    var size: Int { self.entries.reduce(0) { $0 + $1.size } }

    private func place(of channel: any Channel) -> Int? { self.entries.firstIndex { $0.channel === channel } }

    func contains(_ channel: any Channel) -> Bool { self.place(of: channel) != nil }

    mutating func add(_ channel: any Channel, of holder: String, size: Int) {
        self.entries.append(Entry(channel: channel, holder: holder, size: size))
    }

    /// One takes up more, or less; it keeps its place.
    mutating func resize(_ channel: any Channel, to size: Int) {
        if let place = self.place(of: channel) { self.entries[place].size = size }
    }

    mutating func remove(_ channel: any Channel) {
        if let place = self.place(of: channel) { self.entries.remove(at: place) }
    }

    /// Removes the one that gives way and returns it; `nil` if no holder takes up more room than so much.
    mutating func giveWay(ifMoreThan least: Int = 0) -> (any Channel)? {
        var sizes: [String: Int] = [:]
        for entry in self.entries { sizes[entry.holder, default: 0] += entry.size }
        guard let most = sizes.values.max(), most > least else { return nil }
        let place = self.entries.firstIndex { $0.size > 0 && sizes[$0.holder] == most }
        return place.map { self.entries.remove(at: $0).channel }
    }
}
