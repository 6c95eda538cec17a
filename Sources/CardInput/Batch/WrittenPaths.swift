import CardModel
import Foundation
import SystemPackage

extension FilePath {
    /// The path that a person or a program wrote; a `file` URL means its path (RFC 8089).
    init(written text: String) {
        let start = ["file://localhost/", "file:///", "file:/"].first { text.trimmed.lowercased().hasPrefix($0) }
        let path = start.flatMap { ("/" + text.trimmed.dropFirst($0.count)).removingPercentEncoding }
        self.init(path ?? text)
    }
}

/// Finds what a path means that names nothing as it is written.
///
/// Names that people see as one are equal here: accents composed or not, as macOS and others write them, upper and lower
/// case, blanks around.
struct WrittenPaths {
    private var folders: [FilePath: [String: [FilePath.Component]]] = [:]

    /// Returns all paths that a path may mean.
    mutating func meant(by written: FilePath) -> [FilePath] {
        var paths = [FilePath(root: written.root, [])]
        for component in written.components {
            paths = paths.flatMap { folder in
                let exact = folder.appending(component)
                if (try? exact.status(followingLinks: true)) != nil { return [exact] }
                return self.names(in: folder)[Self.key(component), default: []].map { folder.appending($0) }
            }
        }
        // Not the path itself, if that is a link which leads nowhere.
        return paths.filter { (try? $0.status(followingLinks: true)) != nil }
    }

    private mutating func names(in folder: FilePath) -> [String: [FilePath.Component]] {
        if let known = self.folders[folder] { return known }
        let names = (try? OpenFolder(folder.real()).names()) ?? []
        let byKey = Dictionary(grouping: names, by: Self.key)
        self.folders[folder] = byKey
        return byKey
    }

    /// Texts are equal in Swift however their accents are composed.
    private static func key(_ name: FilePath.Component) -> String { name.text.trimmed.lowercased() }
}
