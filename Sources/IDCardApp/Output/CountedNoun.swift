/// Words for a number of things.
enum CountedNoun {
    /// For example `1 card`, `2 deliveries`.
    static func words(_ number: Int, _ one: String, _ many: String? = nil) -> String {
        "\(number) \(number == 1 ? one : many ?? one + "s")"
    }
}
