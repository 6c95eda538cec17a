import NIOCore

/// Connections that take up room and give way: those of strangers, by address, and those of a subject.
///
/// Where there is no room, the oldest of the holder that takes up most gives way: a client that only waits keeps no other
/// out, clients of another address notice nothing, and behind a proxy, where all have one address, newcomers are served.
struct Strangers {
    private struct Stranger {
        let channel: any Channel
        let holder: String
        var size: Int
    }

    /// The oldest first.
    private var strangers: [Stranger] = []
    /// What all of them take up.
    var size: Int { self.strangers.reduce(0) { $0 + $1.size } }

    private func place(of channel: any Channel) -> Int? { self.strangers.firstIndex { $0.channel === channel } }

    func contains(_ channel: any Channel) -> Bool { self.place(of: channel) != nil }

    mutating func add(_ channel: any Channel, of holder: String, size: Int) {
        self.strangers.append(Stranger(channel: channel, holder: holder, size: size))
    }

    /// One takes up more, or less; it keeps its place.
    mutating func resize(_ channel: any Channel, to size: Int) {
        if let place = self.place(of: channel) { self.strangers[place].size = size }
    }

    mutating func remove(_ channel: any Channel) {
        if let place = self.place(of: channel) { self.strangers.remove(at: place) }
    }

    /// Removes the one that gives way and returns it; `nil` if no holder takes up more room than so much.
    mutating func giveWay(ifMoreThan least: Int = 0) -> (any Channel)? {
        var sizes: [String: Int] = [:]
        for stranger in self.strangers { sizes[stranger.holder, default: 0] += stranger.size }
        guard let most = sizes.values.max(), most > least else { return nil }
        let place = self.strangers.firstIndex { $0.size > 0 && sizes[$0.holder] == most }
        return place.map { self.strangers.remove(at: $0).channel }
    }
}
