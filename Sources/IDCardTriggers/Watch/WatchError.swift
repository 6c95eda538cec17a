package import IDCardCore

/// Why folders cannot be watched as asked.
package struct WatchError: Error, Sendable, CustomStringConvertible {
    /// What kind of error, for programs.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Value: String {
            case rootNotFound = "root_not_found"
            case rootUnreadable = "root_unreadable"
            case rootsOverlap = "roots_overlap"
            case folderOverlap = "folder_overlap"
            case settingInvalid = "setting_invalid"
        }

        private let value: Value

        /// A folder to be watched does not exist.
        package static let rootNotFound = Code(value: .rootNotFound)
        /// It is no folder, or cannot be listed.
        package static let rootUnreadable = Code(value: .rootUnreadable)
        /// Two folders are one, or one lies in the other.
        package static let rootsOverlap = Code(value: .rootsOverlap)
        /// A watched folder is or lies in a folder for done or refused files.
        package static let folderOverlap = Code(value: .folderOverlap)
        /// A setting is out of its range.
        package static let settingInvalid = Code(value: .settingInvalid)

        package var description: String { self.value.rawValue }
    }

    /// What kind of error.
    package var code: Code
    /// What happened and what to do; folders are named by their place in the list.
    package var message: String
    /// The folder as the user gave it, for a program that answers the same user.
    package var folder: Redacted<String>?

    /// Describes an error.
    package init(_ code: Code, _ message: String, folder: String? = nil) {
        self.code = code
        self.message = message
        self.folder = folder.map { Redacted($0) }
    }

    package var description: String { "\(self.message) (\(self.code))" }
}
