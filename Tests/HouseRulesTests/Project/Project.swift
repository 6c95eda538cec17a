import Foundation

/// The files of the project that the tests lie in.
struct Project {
    /// All text files, read once for all tests.
    private static let texts = Result { try Project().readAllTexts() }

    /// The root, links resolved: the tests may have been reached through one.
    let root: URL

    /// Finds the root: the nearest folder above this file that holds a package.
    init() {
        var folder = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
        while folder.path != "/", !FileManager.default.fileExists(atPath: folder.appending(path: "Package.swift").path)
        {
            folder.deleteLastPathComponent()
        }
        self.root = folder
    }

    /// The names of the folders directly below a folder.
    func folders(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: self.root.appending(path: folder).path).filter { name in
            var isFolder: ObjCBool = false
            let path = self.root.appending(path: folder).appending(path: name).path
            return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
        }
        .sorted()
    }

    /// The texts below a folder whose names end so, sorted by path.
    func texts(in folder: String, endings: [String] = [""]) throws -> [SourceText] {
        try self.allTexts().filter { text in
            text.path.hasPrefix(folder + "/") && endings.contains { text.path.hasSuffix($0) }
        }
    }

    /// All text files that belong to the project: what `.gitignore` leaves out, and images, are none.
    func allTexts() throws -> [SourceText] { try Self.texts.get() }

    private func readAllTexts() throws -> [SourceText] {
        var paths: [String] = []
        for name in try FileManager.default.contentsOfDirectory(atPath: self.root.path) {
            let isForeign =
                [".git", ".venv", ".swiftpm", "Package.resolved"].contains(name) || name.hasPrefix(".build")
            guard !isForeign else { continue }
            let below = try? FileManager.default.subpathsOfDirectory(atPath: self.root.appending(path: name).path)
            paths += [name] + (below ?? []).map { name + "/" + $0 }.filter { !$0.contains("/__pycache__/") }
        }
        return paths.sorted().compactMap { self.text(at: $0) }
    }

    private func text(at path: String) -> SourceText? {
        // Folders and files that are not UTF-8 are no texts.
        guard let data = try? Data(contentsOf: self.root.appending(path: path)), data.count < 2_000_000,
            !data.contains(0),
            let text = String(validating: data, as: UTF8.self)
        else { return nil }
        return SourceText(path: path, text: text)
    }
}
