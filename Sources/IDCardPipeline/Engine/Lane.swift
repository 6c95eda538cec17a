/// A kind of work with a loop of its own, in the order in which a card meets them.
enum Lane: CaseIterable, Hashable, Sendable {
    case fetch
    case prepare
    case verify
    case settle
    case deliver
}
