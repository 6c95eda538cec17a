import Glibc

/// Finishes or undoes what a process left in a folder that was killed while it put a file away.
///
/// An image whose copy is complete is deleted. Any other gets its name back, and what goes with it, too; while another
/// file has that name, it waits. What went with an image that is away is put away after it, and never given its name
/// back: it would speak for the next image of that name.
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
        return passing.role == .companion ? self.companion(passing)?.image : passing.own
    }

    /// Finishes or undoes what was begun with a file; whatever cannot be done now is tried again by the next scan.
    ///
    /// - Returns: the names that files have got back.
    func recover(_ name: String, in folder: borrowing FolderDescriptor) -> [String] {
        guard let passing = PassingName(name) else { return [] }
        // Of a former version: it deleted an image before what goes with it.
        let isOldCompanion = passing.mark == nil && self.companion(passing) != nil
        if passing.role == .last { return self.recoverLast(name, passing, in: folder) }
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
        if let mark = passing.mark, (try? self.finish(name, passing.own, mark, in: folder)) ?? true { return [] }
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

    /// Deletes an image if it is the one that was to be put away, and lies there already.
    ///
    /// - Returns: whether it was.
    private func finish(
        _ name: String,
        _ own: String,
        _ mark: PassingName.Mark,
        in folder: borrowing FolderDescriptor
    ) throws(SystemFailure) -> Bool {
        self.removeParts(mark)
        guard let shape = try folder.shape(of: name), PassingName.Mark(shape) == mark,
            let found = self.place(of: own, mark)
        else { return false }
        let target = try FolderDescriptor(path: found.path).below(self.folders)
        guard try FileCopy(shape: shape).isCopy(found.name, in: target, of: name, in: folder) else { return false }
        try target.sync()
        guard try FileRemoval(shape: shape).remove(name, from: folder) else { return false }
        for suffix in self.suffixes {
            guard let waiting = try PassingName(own + suffix, .companion, mark).found(in: folder) else { continue }
            try self.putAway(waiting, image: own, suffix: suffix, mark: mark, in: folder)
        }
        try folder.sync()
        return true
    }

    /// Deletes a file that was to be deleted next; another one, which had its name by then, gets that back.
    private func recoverLast(_ name: String, _ passing: PassingName, in folder: borrowing FolderDescriptor) -> [String]
    {
        guard let shape = try? folder.shape(of: name), PassingName.Mark(shape) == passing.mark else {
            return SourceDisposal.recover(name, in: folder).map { [$0] } ?? []
        }
        _ = try? FileRemoval(shape: shape).remove(name, from: folder)
        return []
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
        self.removeParts(PassingName.Mark(shape))
        var place = self.root.donePath
        var beside = image
        if let mark, let found = self.place(of: image, mark) {
            (place, beside) = found
        } else if self.after == .delete {
            guard unlinkat(folder.number, name, 0) == 0 else { throw SystemFailure.current }
            return try folder.sync()
        }
        let target = try PutAwayMark.making(place).below(self.folders, making: true)
        let names = NumberedName(beside + suffix)
        var number = 1
        while try FileMove(shape: shape).move(name, from: folder, as: names[number], to: target) == .nameTaken {
            number = try names.free(above: number, in: target)
        }
        try target.sync()
        try folder.sync()
    }

    /// Where an image is that was moved, and under which name.
    private func place(of image: String, _ mark: PassingName.Mark) -> (path: String, name: String)? {
        let common = NumberedName(image).common
        for path in [self.root.donePath, self.root.failedPath] {
            // Where there is no such folder, or none that can be read, there is no such image.
            guard let folder = try? FolderDescriptor(path: path).below(self.folders) else { continue }
            for name in self.names(in: path)
            where name.utf8.starts(with: common.start.utf8)
                && name.utf8.reversed().starts(with: common.ending.utf8.reversed())
            {
                guard let shape = try? folder.shape(of: name), PassingName.Mark(shape) == mark else { continue }
                return (path, name)
            }
        }
        return nil
    }

    /// Removes what copies of a file left that were cut short.
    private func removeParts(_ mark: PassingName.Mark) {
        let start = PassingName.partStart(mark)
        for path in [self.root.donePath, self.root.failedPath] {
            guard let folder = try? FolderDescriptor(path: path).below(self.folders) else { continue }
            for name in self.names(in: path) where name.utf8.starts(with: start.utf8) {
                unlinkat(folder.number, name, 0)
            }
        }
    }

    private func names(in path: String) -> [String] {
        let folder = self.folders.reduce(path) { PathText.join($0, $1) }
        return (try? FolderListing(of: folder))?.entries.filter(\.isDecodable).map(\.name) ?? []
    }
}
