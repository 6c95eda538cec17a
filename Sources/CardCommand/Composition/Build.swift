import CardStore
import Glibc

/// The version and commit of this program.
enum Build {
    static let version = "0.2.0"

    /// The commit, which `scripts/build-release` links in as a symbol; unknown in other builds.
    static let commit: String = {
        guard let symbol = dlsym(nil, "idcard_pipeline_commit") else { return "unknown" }
        return String(cString: symbol.assumingMemoryBound(to: CChar.self))
    }()

    static let text = "\(version) (commit \(commit), schema \(Sandbox.schema))"
}
