import Foundation
import Glibc

/// What tesseract reads of a picture line, kept while these tests run: many of them send the same photo, and what is read in it
/// is the subject of `CardEmbeddedTests`.
enum Readings {
    /// The `PATH` on which `tesseract` answers the same picture and arguments from the first answer.
    static let path: String = {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        let program = Self.folder + "/tesseract"
        let script = """
            #!/bin/sh
            PATH='\(path)'
            [ "$1" = stdin ] || exec tesseract "$@"
            picture=$(mktemp) && trap 'rm -f "$picture"' EXIT && cat >"$picture"
            kept='\(Self.folder)'/$({ echo "$*"; cat "$picture"; } | sha256sum | cut -c 1-64)
            [ -f "$kept" ] || { tesseract "$@" <"$picture" >"$kept.$$" && mv "$kept.$$" "$kept"; } || exit
            cat "$kept"
            """
        guard (try? script.write(toFile: program, atomically: true, encoding: .utf8)) != nil,
            chmod(program, 0o755) == 0
        else { return path }
        return Self.folder + ":" + path
    }()

    /// New with each run, and gone with it.
    private static let folder: String = {
        var template = Array((NSTemporaryDirectory() + "idcard-readings-XXXXXX").utf8CString)
        guard let folder = mkdtemp(&template) else { fatalError("no folder in \(NSTemporaryDirectory())") }
        atexit { try? FileManager.default.removeItem(atPath: Readings.folder) }
        return String(cString: folder)
    }()
}
