package import IDCardCore

/// An input that is to become a card, as the rules between front and back know of it before it is one.
package struct AwaitedInput: Hashable, Sendable {
    /// Its business number.
    package var businessNumber: BusinessNumber
    /// The absolute path of the file, or the address.
    package var path: Redacted<String>
    /// Where it was found.
    package var source: InputSource
    /// Whether it was refused without a card and may be a front; else it is still expected.
    package var isRefused: Bool

    /// Describes an input.
    package init(
        businessNumber: BusinessNumber,
        path: Redacted<String>,
        source: InputSource,
        isRefused: Bool = false
    ) {
        self.businessNumber = businessNumber
        self.path = path
        self.source = source
        self.isRefused = isRefused
    }
}

/// Where inputs are found: what a later run looks through again, to see whether they are still there.
package enum InputSource: Hashable, Sendable {
    /// A folder that is walked, or a manifest, by its real path.
    case listed(Redacted<String>)
    /// A folder that is watched, by its real path.
    case watched(Redacted<String>)
    /// Files that were named one by one: none of them is missed if it is not named again.
    case named
}
