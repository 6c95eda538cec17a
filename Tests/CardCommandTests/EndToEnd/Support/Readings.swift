import Foundation
import Glibc

/// What tesseract reads of a picture line, kept while these tests run: many of them send the same photo, and what is read in it
/// is the subject of `CardEmbeddedTests`.
enum Readings {
    /// The `PATH` on which `tesseract` answers the same picture and arguments from the first answer.
    static let path: String = {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        let folder = NSTemporaryDirectory() + "idcard-readings-\(getpid())"
        let script = """
            #!/bin/sh
            PATH='\(path)'
            [ "$1" = stdin ] || exec tesseract "$@"
            picture=$(mktemp) && trap 'rm -f "$picture"' EXIT && cat >"$picture"
            kept='\(folder)'/$({ echo "$*"; cat "$picture"; } | sha256sum | cut -c 1-64)
            [ -f "$kept" ] || { tesseract "$@" <"$picture" >"$kept.$$" && mv "$kept.$$" "$kept"; } || exit
            cat "$kept"
            """
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try script.write(toFile: folder + "/tesseract", atomically: true, encoding: .utf8)
            guard chmod(folder + "/tesseract", 0o755) == 0 else { return path }
        } catch {
            return path
        }
        atexit { try? FileManager.default.removeItem(atPath: NSTemporaryDirectory() + "idcard-readings-\(getpid())") }
        return folder + ":" + path
    }()
}
