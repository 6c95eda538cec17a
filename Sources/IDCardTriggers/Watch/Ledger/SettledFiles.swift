/// The files that need no further look as long as they stay as they are: no images, left in place, or refused and left.
///
/// A path and a shape are kept as digests with secret seeds of this process, 24 bytes a file, since there may be
/// hundreds of thousands. What a whole scan has not met is forgotten.
struct SettledFiles {
    private struct Name: Hashable {
        var high: Int
        var low: Int

        init(_ path: PathBytes) {
            var high = Hasher()
            high.combine(0 as UInt8)
            high.combine(path)
            var low = Hasher()
            low.combine(1 as UInt8)
            low.combine(path)
            self.high = high.finalize()
            self.low = low.finalize()
        }
    }

    private struct Generations {
        var current: [Name: Int] = [:]
        var previous: [Name: Int] = [:]
    }

    private var roots: [Int: Generations] = [:]

    /// How many files are kept in mind.
    var count: Int { self.roots.values.reduce(0) { $0 + $1.current.count + $1.previous.count } }

    /// Whether nothing of a root is kept in mind.
    func isEmpty(root: Int) -> Bool {
        guard let generations = self.roots[root] else { return true }
        return generations.current.isEmpty && generations.previous.isEmpty
    }

    /// Keeps a file in mind.
    mutating func insert(_ file: WatchedPath, shape: FileShape) {
        self.insert(file, as: shape)
    }

    /// Keeps a file in mind, with something about it.
    mutating func insert(_ file: WatchedPath, as value: some Hashable) {
        self.roots[file.root, default: Generations()].current[Name(file.key)] = value.hashValue
    }

    /// Lets a file that is kept in mind stay for another scan, whatever there is about it.
    mutating func keep(_ file: WatchedPath) {
        guard let value = self.roots[file.root]?.previous.removeValue(forKey: Name(file.key)) else { return }
        self.roots[file.root]?.current[Name(file.key)] = value
    }

    /// Whether a file is settled in this shape; then it stays for another scan.
    mutating func contains(_ file: WatchedPath, shape: FileShape) -> Bool {
        self.contains(file, as: shape)
    }

    /// Whether a file is kept in mind with this; then it stays for another scan.
    mutating func contains(_ file: WatchedPath, as value: some Hashable) -> Bool {
        guard var generations = self.roots.removeValue(forKey: file.root) else { return false }
        defer { self.roots[file.root] = generations }
        let name = Name(file.key)
        if let known = generations.current[name] { return known == value.hashValue }
        guard generations.previous[name] == value.hashValue else { return false }
        generations.previous[name] = nil
        generations.current[name] = value.hashValue
        return true
    }

    /// Forgets a file, so that it is looked at again.
    mutating func forget(_ file: WatchedPath) {
        self.roots[file.root]?.current[Name(file.key)] = nil
        self.roots[file.root]?.previous[Name(file.key)] = nil
    }

    /// Forgets all of a root.
    mutating func forget(root: Int) {
        self.roots[root] = nil
    }

    /// Notes that a scan of a root begins.
    mutating func scanBegins(root: Int) {
        guard var generations = self.roots.removeValue(forKey: root) else { return }
        generations.previous.merge(generations.current) { _, current in current }
        generations.current = [:]
        self.roots[root] = generations
    }

    /// Notes that a scan has met all that there is.
    mutating func scanEnds(root: Int) {
        self.roots[root]?.previous = [:]
    }
}
