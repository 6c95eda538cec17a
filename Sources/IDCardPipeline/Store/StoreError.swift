/// An error of the place where cards live.
package struct StoreError: Error, Sendable, CustomStringConvertible {
    /// What kind of error, for programs.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Value: String {
            case conflict, notFound, unavailable, diskFull, wrongSandbox, wrongKey, unsupportedVersion, corrupt
        }

        private let value: Value

        /// A card or delivery is not in the state that the change expects.
        package static let conflict = Code(value: .conflict)
        /// There is no such card, delivery or image.
        package static let notFound = Code(value: .notFound)
        /// The disk or database refuses to work.
        package static let unavailable = Code(value: .unavailable)
        /// There is no room on the disk; nothing was changed, and the same works once there is.
        package static let diskFull = Code(value: .diskFull)
        /// The sandbox belongs to the other kind of endpoints (embedded or real), or is protected in another way.
        package static let wrongSandbox = Code(value: .wrongSandbox)
        /// The keys given do not open the sandbox.
        package static let wrongKey = Code(value: .wrongKey)
        /// The sandbox was made by a newer version.
        package static let unsupportedVersion = Code(value: .unsupportedVersion)
        /// The sandbox holds something that cannot be.
        package static let corrupt = Code(value: .corrupt)

        package var description: String { self.value.rawValue }
    }

    /// What kind of error.
    package var code: Code
    /// What happened and what to do; free of personal data.
    package var message: String
    /// The error below, if any.
    package var cause: (any Error)?

    /// Describes an error.
    package init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// Whether the error is about one card's data, not about the store as a whole.
    ///
    /// A damaged database has the database's own error as its cause; damaged data of a card has none.
    package var concernsOneCard: Bool { self.code == .notFound || (self.code == .corrupt && self.cause == nil) }

    /// What to do about a card whose stored image cannot be read.
    package static let imageAdvice =
        "the stored image is missing or damaged; check the disk, and take the photo in again as a new file"

    package var description: String {
        if let cause = self.cause {
            "\(self.message) (\(self.code); \(cause))"
        } else {
            "\(self.message) (\(self.code))"
        }
    }
}
