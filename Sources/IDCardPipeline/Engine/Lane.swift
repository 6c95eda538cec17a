/// A kind of work with a loop of its own.
enum Lane: CaseIterable, Hashable, Sendable {
    case fetch
    case prepare
    case verify
    case settle
    case deliver
}
