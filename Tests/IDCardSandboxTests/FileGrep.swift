import Foundation

/// Looks for bytes in every file below a folder, whatever is in them.
enum FileGrep {
    /// The files, relative to the folder, that hold one of some bytes.
    static func files(in folder: String, holding needles: [Data]) throws -> Set<String> {
        var found: Set<String> = []
        let manager = FileManager.default
        for case let name as String in manager.enumerator(atPath: folder) ?? .init() {
            let path = "\(folder)/\(name)"
            var isFolder: ObjCBool = false
            guard manager.fileExists(atPath: path, isDirectory: &isFolder), !isFolder.boolValue else { continue }
            let content = try Data(contentsOf: URL(fileURLWithPath: path))
            if needles.contains(where: { content.range(of: $0) != nil }) { found.insert(name) }
        }
        return found
    }
}
