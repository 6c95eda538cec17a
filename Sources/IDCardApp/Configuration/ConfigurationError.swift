/// Everything that is wrong with a configuration, found in one pass.
package struct ConfigurationError: Error, Hashable, Sendable {
    /// What is wrong, in the order of the table of keys; never empty.
    package let problems: [Problem]
    /// What is merely doubtful, as far as it was seen.
    package let notices: [ConfigurationNotice]
    /// The configuration file, if there is one.
    package let file: String?

    /// Joins problems.
    ///
    /// - Precondition: there is at least one.
    package init(_ problems: [Problem], notices: [ConfigurationNotice] = [], file: String? = nil) {
        precondition(!problems.isEmpty, "a configuration error needs a problem")
        self.file = file
        self.problems = problems
        self.notices = notices
    }

    /// The code of the first problem.
    package var code: Code { self.problems[0].code }

    /// All problems, one per line.
    package var message: String { self.problems.map(\.message).joined(separator: "\n") }
}

extension ConfigurationError: CustomStringConvertible {
    package var description: String { self.message }
}

extension ConfigurationError {
    /// One thing that is wrong; the message never holds the value of a secret.
    package struct Problem: Error, Hashable, Sendable {
        /// The kind, for programs.
        package let code: Code
        /// The key it is about, if it is about one.
        package let key: String?
        /// What is wrong, where it comes from and what to do.
        package let message: String

        init(_ code: Code, key: String? = nil, _ message: String) {
            self.code = code
            self.key = key
            self.message = message
        }
    }

    /// The kind of a problem.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Wrapped: String {
            case fileUnreadable = "config_file_unreadable"
            case fileMalformed = "config_file_malformed"
            case unknownKey = "config_unknown_key"
            case duplicateKey = "config_duplicate_key"
            case malformedValue = "config_malformed_value"
            case outOfRange = "config_out_of_range"
            case notInThisVersion = "config_not_in_this_version"
            case missing = "config_missing"
            case conflict = "config_conflict"
            case insecureFile = "config_insecure_file"
            case secretUnreadable = "config_secret_unreadable"
            case secretUnwritable = "config_secret_unwritable"
            case certificateUnreadable = "config_certificate_unreadable"
            case certificateUnusable = "config_certificate_unusable"
            case insecureConnection = "config_insecure_connection"
        }

        private let wrapped: Wrapped

        private init(_ wrapped: Wrapped) { self.wrapped = wrapped }

        package var description: String { self.wrapped.rawValue }

        /// The configuration file is absent, too large or cannot be read.
        package static let fileUnreadable = Code(.fileUnreadable)
        /// The configuration file is not YAML of sections and values.
        package static let fileMalformed = Code(.fileMalformed)
        /// A key that this version does not know.
        package static let unknownKey = Code(.unknownKey)
        /// A key that the file sets twice.
        package static let duplicateKey = Code(.duplicateKey)
        /// A value of another form than its key asks for.
        package static let malformedValue = Code(.malformedValue)
        /// A value outside its range.
        package static let outOfRange = Code(.outOfRange)
        /// A value that a later version will know.
        package static let notInThisVersion = Code(.notInThisVersion)
        /// A key that the command needs and nobody sets.
        package static let missing = Code(.missing)
        /// Two values that exclude each other.
        package static let conflict = Code(.conflict)
        /// A file with a secret that others may read.
        package static let insecureFile = Code(.insecureFile)
        /// A file with a secret that cannot be read or holds none, or a command that gives none.
        package static let secretUnreadable = Code(.secretUnreadable)
        /// A file for a secret that cannot be written, or that somebody else is writing.
        package static let secretUnwritable = Code(.secretUnwritable)
        /// A file with certificates that cannot be read or holds none.
        package static let certificateUnreadable = Code(.certificateUnreadable)
        /// A certificate or key that is there and of no use: damaged, expired, without its issuer, of another key.
        package static let certificateUnusable = Code(.certificateUnusable)
        /// A connection to another machine that would not check who answers.
        package static let insecureConnection = Code(.insecureConnection)
    }
}
