import Glibc

/// Puts right what a process left in a folder that was killed while it put a file away.
///
/// An image gets its name back, and what goes with it, too. What went with an image that is away is put away after it,
/// and never given its name back: it would speak for the next image of that name.
struct InterruptedDisposal {
    let root: WatchedRoot
    /// The folders between the root and the folder.
    let folders: [String]
    /// The suffixes of what may go with an image.
    let suffixes: [String]
    /// What becomes of files whose card is durable.
    let after: WatchSettings.Disposal

    /// The image that a passing name belongs to; `nil` if this is none.
    func image(of name: String) -> String? {
        guard let passing = PassingName(name) else { return nil }
        return passing.role == .image ? passing.own : self.companion(passing)?.image
    }

    /// Puts a file with a passing name right; whatever cannot be done now is tried again at the next start.
    ///
    /// - Returns: the names that files have got back.
    func recover(_ name: String, in folder: borrowing FolderDescriptor) -> [String] {
        guard let passing = PassingName(name) else { return [] }
        // Of a former version: it deleted an image before what goes with it.
        let isOldCompanion = passing.mark == nil && self.companion(passing) != nil
        if passing.role == .image, !isOldCompanion { return self.recoverImage(name, passing, in: folder) }
        guard let (image, suffix) = self.companion(passing) else { return [] }
        do throws(SystemFailure) {
            guard let mark = passing.mark else {
                try self.putAway(name, image: image, suffix: suffix, mark: nil, in: folder)
                return []
            }
            if let passingImage = try PassingName(image, .image, mark).found(in: folder),
                let taken = PassingName(passingImage)
            {
                return self.recoverImage(passingImage, taken, in: folder)
            }
            if try folder.shape(of: image).map(PassingName.Mark.init) == mark,
                try ExclusiveRename().rename(name, in: folder, to: image + suffix, in: folder) == .renamed
            {
                return [image + suffix]
            }
            try self.putAway(name, image: image, suffix: suffix, mark: mark, in: folder)
        } catch {
            // It stays where it speaks for nobody.
        }
        return []
    }

    private func companion(_ passing: PassingName) -> (image: String, suffix: String)? {
        for suffix in self.suffixes {
            if let image = PathText.name(passing.own, without: suffix) { return (image, suffix) }
        }
        return nil
    }

    private func recoverImage(
        _ name: String,
        _ passing: PassingName,
        in folder: borrowing FolderDescriptor
    ) -> [String] {
        guard let own = SourceDisposal.recover(name, in: folder) else { return [] }
        var names = [own]
        guard let mark = passing.mark else { return names }
        for suffix in self.suffixes {
            // Whatever cannot be found or renamed stays where it speaks for nobody.
            guard let waiting = try? PassingName(passing.own + suffix, .companion, mark).found(in: folder),
                (try? ExclusiveRename().rename(waiting, in: folder, to: own + suffix, in: folder)) == .renamed
            else { continue }
            names.append(own + suffix)
        }
        return names
    }

    // MARK: What went with an image that is away

    private func putAway(
        _ name: String,
        image: String,
        suffix: String,
        mark: PassingName.Mark?,
        in folder: borrowing FolderDescriptor
    ) throws(SystemFailure) {
        guard let shape = try folder.shape(of: name) else { return }
        var place = self.root.donePath
        var beside = image
        if let mark, let found = self.place(of: image, mark) {
            (place, beside) = found
        } else if self.after == .delete {
            guard unlinkat(folder.number, name, 0) == 0 else { throw SystemFailure.current }
            return try folder.sync()
        }
        let target = try PutAwayMark.making(place).below(self.folders, making: true)
        for newName in NumberedName(beside + suffix) {
            if try FileMove(shape: shape).move(name, from: folder, as: newName, to: target) != .nameTaken { break }
        }
        try target.sync()
        try folder.sync()
    }

    /// Where an image is that was moved, and under which name.
    private func place(of image: String, _ mark: PassingName.Mark) -> (path: String, name: String)? {
        let places = [
            (self.root.donePath, NumberedName(image)),
            (self.root.failedPath, NumberedName(image, leavingRoomFor: FailureNote.addedBytes)),
        ]
        for (path, names) in places {
            // Where there is no such folder, or none that can be read, there is no such image.
            guard let folder = try? FolderDescriptor(path: path).below(self.folders) else { continue }
            for name in names {
                guard let isTaken = try? folder.has(name), isTaken else { break }
                guard let shape = try? folder.shape(of: name), PassingName.Mark(shape) == mark else { continue }
                return (path, name)
            }
        }
        return nil
    }
}
