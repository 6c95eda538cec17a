import CardModel
import Foundation
import SystemPackage

// Which of two photos counts as admitted earlier where they come together. Of two of a side the one taken later wins (`PhotoAge`);
// this order decides where the times of their files say nothing.

extension FileIdentity {
    /// Whether a photo counts as earlier than another one: by its name as people count, so `front.jpg` before
    /// `front (2).jpg` before `front (10).jpg`.
    func isEarlier(than other: FileIdentity) -> Bool {
        let paths = [self, other].map { FilePath($0.path.reveal()) }
        // Without the extension: a blank comes before a dot.
        return switch (paths[0].stem ?? "").compare(paths[1].stem ?? "", options: [.numeric, .caseInsensitive]) {
        case .orderedAscending: true
        case .orderedDescending: false
        case .orderedSame: paths[0].precedes(paths[1])
        }
    }
}

extension InputItem {
    /// Whether the photo counts as earlier than another one; files come before addresses, which keep their order.
    func isEarlier(than other: InputItem) -> Bool {
        switch (self.place, other.place) {
        case (.file(let file), .file(let other)): file.isEarlier(than: other)
        case (.file, .address): true
        case (.address, _): false
        }
    }
}
