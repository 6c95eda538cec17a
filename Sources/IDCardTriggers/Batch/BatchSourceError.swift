package import IDCardCore

/// Why the inputs of a run cannot be listed at all; an input that alone cannot be used is an `IntakeItem` that is
/// refused instead.
package struct BatchSourceError: Error, Sendable, CustomStringConvertible {
    /// What kind of error, for programs.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Value: String {
            case inputNotFound = "input_not_found"
            case inputUnreadable = "input_unreadable"
            case manifestUnreadable = "manifest_unreadable"
            case manifestInvalid = "manifest_invalid"
            case manifestTooLarge = "manifest_too_large"
            case tooManyInputs = "too_many_inputs"
        }

        private let value: Value

        /// A path or pattern names nothing.
        package static let inputNotFound = Code(value: .inputNotFound)
        /// A folder named by the user cannot be listed, or a path names neither a file nor a folder.
        package static let inputUnreadable = Code(value: .inputUnreadable)
        /// The manifest does not exist or cannot be read.
        package static let manifestUnreadable = Code(value: .manifestUnreadable)
        /// The manifest is not UTF-8, has columns nobody knows, or a row that cannot be understood.
        package static let manifestInvalid = Code(value: .manifestInvalid)
        /// The manifest has more bytes than `BatchLimits.manifestBytes`.
        package static let manifestTooLarge = Code(value: .manifestTooLarge)
        /// There are more inputs than `BatchLimits.inputs`.
        package static let tooManyInputs = Code(value: .tooManyInputs)

        package var description: String { self.value.rawValue }
    }

    /// What kind of error.
    package var code: Code
    /// What happened and what to do; file names may hold a person's name and are therefore left out.
    package var message: String
    /// The path or pattern as the user gave it, for a program that answers the same user.
    package var input: Redacted<String>?
    /// The error below, if any.
    package var cause: (any Error)?

    /// Describes an error.
    package init(_ code: Code, _ message: String, input: String? = nil, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.input = input.map { Redacted($0) }
        self.cause = cause
    }

    package var description: String {
        if let cause = self.cause {
            "\(self.message) (\(self.code); \(cause))"
        } else {
            "\(self.message) (\(self.code))"
        }
    }
}

extension BatchSourceError {
    /// More inputs than allowed.
    static func tooManyInputs(limit: Int) -> BatchSourceError {
        BatchSourceError(.tooManyInputs, "more than \(limit) inputs; split them over several runs")
    }
}
