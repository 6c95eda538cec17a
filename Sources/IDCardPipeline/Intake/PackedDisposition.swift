/// The byte that says which disposition follows.
enum PackedDisposition: UInt8 {
    case take = 0
    case refuse = 1
    case ignore = 2
}
