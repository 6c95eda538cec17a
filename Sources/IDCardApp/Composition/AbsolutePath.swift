import Foundation

/// Paths from the command line, as the system sees them wherever the process goes.
enum AbsolutePath {
    /// The path below the working directory, if it is not absolute.
    static func of(_ path: String) -> String {
        path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    }
}
