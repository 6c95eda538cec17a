import Glibc

/// What goes with an image, out of the way while the image is put away: whenever the process is killed, no sidecar and no
/// done-marker is left that would speak for the next image of the same name.
struct CompanionsAside {
    private struct Member {
        var companion: TakenFile.Companion
        /// The name that it has for now.
        var name: String
    }

    private let file: TakenFile
    private let faults: FileMoveFaults
    private var members: [Member] = []

    /// Gives each companion its passing name; one that is not what it was stays where it is.
    init(
        of file: TakenFile,
        in folder: borrowing FolderDescriptor,
        faults: FileMoveFaults
    ) throws(SystemFailure) {
        self.file = file
        self.faults = faults
        let mark = PassingName.Mark(file.shape)
        do throws(SystemFailure) {
            for companion in file.companions {
                let passing = PassingName(file.name + companion.suffix, .companion, mark)
                guard let name = try self.setAside(companion, as: passing.texts, in: folder) else { continue }
                self.members.append(Member(companion: companion, name: name))
            }
        } catch {
            self.giveBack(in: folder)
            throw error
        }
    }

    private func setAside(
        _ companion: TakenFile.Companion,
        as names: [String],
        in folder: borrowing FolderDescriptor
    ) throws(SystemFailure) -> String? {
        let own = self.file.name + companion.suffix
        // A name too long for another one stays as it is: it follows its image a moment later.
        guard !names.isEmpty else { return own }
        let step = FileMove(shape: companion.shape, faults: self.faults)
        for name in names {
            switch try step.move(own, from: folder, as: name, to: folder) {
            case .moved: return name
            case .gone: return nil
            case .nameTaken: continue
            }
        }
        throw SystemFailure(code: EEXIST)
    }

    /// Gives the companions of an image that stays their own names back.
    func giveBack(in folder: borrowing FolderDescriptor) {
        for member in self.members {
            let own = self.file.name + member.companion.suffix
            guard member.name != own else { continue }
            // Fallback where its name is taken meanwhile, or cannot be had: it stays out of the way, and is put away at
            // the next start.
            _ = try? ExclusiveRename(faults: self.faults).rename(member.name, in: folder, to: own, in: folder)
        }
    }

    /// Lets the companions follow their image.
    func follow(
        _ name: String,
        from source: borrowing FolderDescriptor,
        to target: borrowing FolderDescriptor
    ) throws(SystemFailure) {
        for member in self.members {
            let step = FileMove(shape: member.companion.shape, faults: self.faults)
            let names = NumberedName(name + member.companion.suffix)
            var number = 1
            while try step.move(member.name, from: source, as: names[number], to: target) == .nameTaken {
                number = try names.free(above: number, in: target)
            }
        }
    }

    /// Deletes the companions.
    func delete(in folder: borrowing FolderDescriptor) throws(SystemFailure) {
        for member in self.members {
            let removal = FileRemoval(shape: member.companion.shape, faults: self.faults)
            _ = try removal.remove(member.name, from: folder)
        }
    }
}
