extension PreparedImage: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "PreparedImage(\(self.width)x\(self.height), \(self.jpeg.count) bytes)" }
    package var debugDescription: String { self.description }
    /// Without children: `dump` would print the bytes of a picture, and the digest that tells it apart.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
