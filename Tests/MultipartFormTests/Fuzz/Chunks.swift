/// The sizes of the chunks a body is cut into.
struct Chunks {
    private var state: UInt32?
    private var sizes: [Int] = []
    private var count = 0

    /// All in one, or cut at random: the same sequence for the same seed.
    init(seed: UInt8?) {
        self.state = seed.map { UInt32($0) &* 2_654_435_761 | 1 }
    }

    /// Given sizes, the last of which is repeated.
    init(sizes: [Int]) {
        self.sizes = sizes
    }

    mutating func next(of rest: Int) -> Int {
        self.count += 1
        if let last = self.sizes.last {
            return min(rest, self.count > self.sizes.count ? last : self.sizes[self.count - 1])
        }
        guard var state = self.state else { return rest }
        state ^= state << 13
        state ^= state >> 17
        state ^= state << 5
        self.state = state
        return min(rest, state & 3 == 0 ? Int(state >> 8 & 63) : Int(state >> 8 & 3))
    }
}
