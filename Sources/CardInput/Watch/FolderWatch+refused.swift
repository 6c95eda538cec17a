package import CardModel
import SystemPackage

// What is written beside a photo in `done/` whose card was refused after its import.
extension FolderWatch {
    /// Writes notes beside the photo of a refused card where the watch has put it. A photo that was renamed, changed or removed
    /// gets none, and a note that cannot be written is due again at the next start.
    ///
    /// - Parameter files: the files that the card was imported from.
    package func note(_ error: CodedError, card: CardID, beside files: [FileIdentity]) async {
        guard self.options.after == .move else { return }
        let note = FailureNote(error, card: card, in: [], time: self.date)
        let text = "\(error.code.rawValue)\n\(error.message.withoutPersonalValues.text())\n"
        let room = PutAway.room(self.options.companionSuffixes)
        await self.blocking { [folders = self.options.folders] in
            for file in files {
                let parts = FilePath(file.path.reveal()).components.filter { $0.kind == .regular }.map(\.text)
                let names = NumberedName(parts.last ?? "", leavingRoomFor: room)
                // How much of the name lies below the folder depends on how the folder was named then.
                for (folder, depth) in folders.flatMap({ folder in parts.indices.map { (folder, $0) } }) {
                    guard let root = try? FilePath(folder).real(),
                        let done = try? OpenFolder(root).entering(["done"] + parts.dropLast().suffix(depth)),
                        let name = try? names.name(of: file, in: done)
                    else { continue }
                    try? note.write(text, beside: name, in: done)
                }
            }
        }
    }
}

extension NumberedName {
    /// Returns the name that a file has among these; operators may have removed others.
    fileprivate func name(of file: FileIdentity, in folder: borrowing OpenFolder) throws(Errno) -> String? {
        var (number, last) = (1, WatchLimits.missingNames)
        while number <= last {
            if try folder.holds(file, as: self[number]) { return self[number] }
            if try folder.status(of: self[number]) != nil { last = number + WatchLimits.missingNames }
            number += 1
        }
        return nil
    }
}
