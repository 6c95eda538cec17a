extension ContentDigest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Without a figure: whoever has a picture could tell by it that we have it, too.
    package var description: String { "ContentDigest" }
    package var debugDescription: String { self.description }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
