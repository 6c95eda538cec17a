import NIOCore

/// Who takes up room here and has shown no valid token or signature yet.
///
/// Where there is no room, the oldest of the address that takes up most gives way: whoever only waits keeps nobody out,
/// others of another address notice nothing, and behind a proxy, where all have one address, newcomers are still served.
struct Strangers {
    private struct Stranger {
        let channel: any Channel
        let network: String
        let order: Int
        var size: Int
    }

    private var strangers: [ObjectIdentifier: Stranger] = [:]
    private var arrivals = 0
    /// What all of them take up.
    private(set) var size = 0

    func contains(_ channel: any Channel) -> Bool { self.strangers[ObjectIdentifier(channel)] != nil }

    mutating func add(_ channel: any Channel, size: Int) {
        self.arrivals += 1
        self.strangers[ObjectIdentifier(channel)] = Stranger(
            channel: channel,
            network: channel.remoteAddress.map(ServerContext.network(of:)) ?? "",
            order: self.arrivals,
            size: size
        )
        self.size += size
    }

    /// One takes up more, or less; it keeps its place.
    mutating func resize(_ channel: any Channel, to size: Int) {
        guard let known = self.strangers[ObjectIdentifier(channel)] else { return }
        self.strangers[ObjectIdentifier(channel)]?.size = size
        self.size += size - known.size
    }

    mutating func remove(_ channel: any Channel) {
        self.size -= self.strangers.removeValue(forKey: ObjectIdentifier(channel))?.size ?? 0
    }

    /// Removes the one that gives way and returns it; `nil` if nobody takes up any room.
    mutating func giveWay() -> (any Channel)? {
        var sizes: [String: Int] = [:]
        for stranger in self.strangers.values { sizes[stranger.network, default: 0] += stranger.size }
        let most = sizes.values.max()
        let first = self.strangers.values
            .filter { $0.size > 0 && sizes[$0.network] == most }
            .min { $0.order < $1.order }
        guard let first else { return nil }
        self.remove(first.channel)
        return first.channel
    }
}
