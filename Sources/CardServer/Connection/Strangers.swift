import NIOCore

/// Who takes up room here and has shown no valid token or signature yet.
///
/// Where there is no room, the oldest of the address that takes up most gives way: whoever only waits keeps nobody out,
/// others of another address notice nothing, and behind a proxy, where all have one address, newcomers are still served.
struct Strangers {
    private struct Stranger {
        let channel: any Channel
        let network: String
        var size: Int
    }

    /// The oldest first.
    private var strangers: [Stranger] = []
    /// What all of them take up.
    var size: Int { self.strangers.reduce(0) { $0 + $1.size } }

    private func place(of channel: any Channel) -> Int? { self.strangers.firstIndex { $0.channel === channel } }

    func contains(_ channel: any Channel) -> Bool { self.place(of: channel) != nil }

    mutating func add(_ channel: any Channel, size: Int) {
        let network = channel.remoteAddress.map(ServerContext.network(of:)) ?? ""
        self.strangers.append(Stranger(channel: channel, network: network, size: size))
    }

    /// One takes up more, or less; it keeps its place.
    mutating func resize(_ channel: any Channel, to size: Int) {
        if let place = self.place(of: channel) { self.strangers[place].size = size }
    }

    mutating func remove(_ channel: any Channel) {
        if let place = self.place(of: channel) { self.strangers.remove(at: place) }
    }

    /// Removes the one that gives way and returns it; `nil` if nobody takes up any room.
    mutating func giveWay() -> (any Channel)? {
        var sizes: [String: Int] = [:]
        for stranger in self.strangers { sizes[stranger.network, default: 0] += stranger.size }
        let most = sizes.values.max()
        let place = self.strangers.firstIndex { $0.size > 0 && sizes[$0.network] == most }
        return place.map { self.strangers.remove(at: $0).channel }
    }
}
