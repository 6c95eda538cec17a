import Foundation
import Glibc
import IDCardSandbox
import SystemPackage

// What lies beside the key file under names made from its own.
extension KeyFile {
    /// The keys that were retired beside the file and are not in a ring; what cannot be read there is passed over, as
    /// the error of the key that is missing says where to look.
    func retiredKeys(besides ring: KeyRing) -> [VaultKey] {
        var keys: [VaultKey] = []
        for name in Self.siblings(of: self.path, prefix: ".retired-", suffix: "") {
            let path = "\(Self.folder(of: self.path))/\(name)"
            guard let found = try? KeyFile(path: path).read() else { continue }
            keys += found.keys.filter { !ring.keys.contains($0) && !keys.contains($0) }
        }
        return keys
    }

    /// Removes what a process that was killed while it wrote the file has left: keys lie in it. Only for one who holds
    /// the file.
    ///
    /// - Throws: `secretUnwritable`.
    func removeLeftovers() throws(ConfigurationError.Problem) {
        for path in Set([self.path, Self.resolved(self.path)]) {
            for name in Self.siblings(of: path, prefix: ".", suffix: ".new") where Self.isTemporary(name) {
                try self.writing {
                    guard unlink("\(Self.folder(of: path))/\(name)") == 0 || errno == ENOENT else {
                        throw Errno(rawValue: errno)
                    }
                }
            }
        }
    }

    /// Whether a name ends as those of temporary files do.
    private static func isTemporary(_ name: String) -> Bool {
        let parts = name.split(separator: ".")
        return parts.count > 2 && UUID(uuidString: String(parts[parts.count - 2])) != nil
    }

    private static func siblings(of path: String, prefix: String, suffix: String) -> [String] {
        let start = (path as NSString).lastPathComponent + prefix
        let names = (try? FileManager.default.contentsOfDirectory(atPath: self.folder(of: path))) ?? []
        return names.filter { $0.hasPrefix(start) && $0.hasSuffix(suffix) }.sorted()
    }
}
