/// Which side something speaks for.
enum SideHint: Sendable {
    case front
    case back
}
