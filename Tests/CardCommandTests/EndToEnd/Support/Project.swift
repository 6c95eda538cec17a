import Foundation

/// Where things lie in the checkout that the tests were built from.
enum Project {
    static let root = (1...5).reduce(URL(filePath: #filePath).resolvingSymlinksInPath()) { url, _ in
        url.deletingLastPathComponent()
    }

    static let fixtures = root.appending(path: "fixtures")

    /// The command that was built beside this test bundle.
    static var binary: URL {
        URL(filePath: ProcessInfo.processInfo.arguments[0]).deletingLastPathComponent().appending(
            path: "idcard-pipeline"
        )
    }
}
