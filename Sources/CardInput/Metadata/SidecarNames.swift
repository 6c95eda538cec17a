import CardModel
import SystemPackage

/// The names in a folder that are those of sidecars, or look so.
///
/// Programs and people write `front.jpg.JSON`, `Front.jpg.json` and `front.json` for the sidecar of `front.jpg`. The
/// first two are read: upper and lower case do not matter. The third is none, nor are `front.jpg.json.txt` and
/// `front (1).jpg.json`, which editors and browsers make; and a photo must not go out without what
/// it was to be checked against: it refuses the photo.
struct SidecarNames {
    /// What lies beside a photo.
    struct Match: Hashable, Sendable {
        /// The names of its sidecar; more than one is an error.
        var names: [String] = []
        /// What looks like its sidecar and is none.
        var strays: [String] = []
    }

    private struct Name {
        var name: String
        /// What it is named after.
        var base: String
        /// Whether a file beside it has this very name.
        var isExact: Bool
    }

    private var byBase: [String: [Name]] = [:]
    private var strays: [String: [String]] = [:]

    init(_ names: [FilePath.Component]) {
        for name in names where name.text.lowercased().hasSuffix(Sidecar.suffix + ".txt") {
            self.strays[String(name.text.lowercased().dropLast(4 + Sidecar.suffix.count)), default: []].append(
                name.text
            )
        }
        let sidecars = names.compactMap { name in Sidecar.base(of: name.text).map { (name: name.text, base: $0) } }
        guard !sidecars.isEmpty else { return }
        let all = Set(names.map(\.text))
        let lowered = Set(all.map { $0.lowercased() })
        for (name, base) in sidecars {
            let key = base.lowercased()
            if lowered.contains(key) {
                self.byBase[key, default: []].append(Name(name: name, base: base, isExact: all.contains(base)))
            } else {
                // Without the number that a browser adds, too.
                for key in Set([key, key.replacing(#/ ?\(\d+\)/#, with: "")]) {
                    self.strays[key, default: []].append(name)
                }
            }
        }
    }

    /// Returns what lies beside a photo; one that is named exactly after another file is the sidecar of that one.
    func match(_ photo: String) -> Match {
        let names = self.byBase[photo.lowercased(), default: []].filter { $0.base == photo || !$0.isExact }.map(\.name)
        guard names.isEmpty, let stem = FilePath.Component(photo)?.stem else { return Match(names: names) }
        return Match(strays: [stem, photo].flatMap { self.strays[$0.lowercased(), default: []] })
    }

    /// Whether a name is that of the sidecar of a file beside it.
    func belongs(_ name: String) -> Bool {
        Sidecar.base(of: name).map { self.byBase[$0.lowercased()] != nil } ?? false
    }
}
