import CardModel
import Foundation
import SystemPackage

// The order of photos that are submitted together. Of two photos of one side the one taken later wins (`PhotoAge`); this order
// decides only if the times of the files do not.

/// The name of a photo in natural order: `front.jpg` before `front (2).jpg` before `front (10).jpg`.
struct PhotoName: Comparable {
    private let path: FilePath
    /// Without the extension: with it, `front (2).jpg` would precede `front.jpg`, since a blank precedes a dot.
    private let stem: String

    init(_ file: FileIdentity) {
        self.path = FilePath(file.path.reveal())
        self.stem = self.path.stem ?? ""
    }

    static func < (left: PhotoName, right: PhotoName) -> Bool {
        switch left.stem.compare(right.stem, options: [.numeric, .caseInsensitive]) {
        case .orderedAscending: true
        case .orderedDescending: false
        case .orderedSame: left.path.precedes(right.path)
        }
    }
}

extension Photo {
    /// Whether the photo counts as earlier than another one; files come before addresses, which keep their order.
    func isEarlier(than other: Photo) -> Bool {
        guard let file = self.file else { return false }
        return other.file.map { PhotoName(file) < PhotoName($0) } ?? true
    }
}
