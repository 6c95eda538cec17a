extension OutboundDelivery: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String {
        "OutboundDelivery(\(self.idempotencyKey), \(self.parts.count) parts, \(self.images.count) images)"
    }
    package var debugDescription: String { self.description }
    /// Without children: `dump` would print the bytes of the pictures.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
