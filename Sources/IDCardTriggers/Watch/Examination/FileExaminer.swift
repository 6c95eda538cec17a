import Foundation
import Glibc
import IDCardCore
import IDCardPipeline

/// Finds out what a file that is complete is, and what is known about it. Blocks.
struct FileExaminer: Sendable {
    let settings: WatchSettings
    let root: WatchedRoot
    /// The manifest as it was read last.
    let manifest: RootManifest?
    /// Whether an image is taken without its sidecar.
    let sidecarRule: WatchSettings.SidecarRule

    /// Examines a file whose turn it is.
    func examine(_ ready: WatchLedger.Ready, now: Duration) -> Examination {
        let (folders, name) = self.root.components(of: ready.file.path)
        var taken: TakenFile?
        do throws(SystemFailure) {
            let folder = try FolderDescriptor(unlinked: self.root.path).below(folders)
            guard let shape = try folder.shape(of: name) else { return .vanished }
            guard shape == ready.shape else { return .changed }
            let file = TakenFile(root: self.root, folders: folders, name: name, shape: shape)
            taken = file
            return try self.examine(file, ready, in: folder, now: now)
        } catch {
            // A link in the place of a folder leads nowhere we go.
            if [ENOENT, ENOTDIR, ELOOP].contains(error.code) { return .vanished }
            return .unreadable(message: Self.words(error), taken)
        }
    }

    private func examine(
        _ file: TakenFile,
        _ ready: WatchLedger.Ready,
        in folder: borrowing FolderDescriptor,
        now: Duration
    ) throws(SystemFailure) -> Examination {
        if let companion = try self.companion(file, of: ready.file, in: folder) {
            guard case .leftBehind(_, let ending) = companion,
                let late = self.words(of: file, at: ready.file.path, ending)
            else { return companion }
            return .lateSidecar(late, file)
        }
        let onDisk = try self.manifestOnDisk()
        if let manifest = onDisk, let special = self.special(ready, file, manifest) { return special }
        if let late = try self.lateSidecar(file, ready, now: now) { return late }
        if let marker = self.settings.doneMarker, try folder.shape(of: file.name + marker) == nil { return .noInput }
        let rows = onDisk == nil ? [] : self.manifest?.rows(for: ready.file.path) ?? []
        guard try self.isImage(file, isNamed: !rows.isEmpty) else { return .noInput }
        var taken = file
        for suffix in [Sidecar.suffix, self.settings.doneMarker].compactMap({ $0 }) {
            // Whatever cannot be looked up stays where it is.
            guard let shape = try? folder.shape(of: file.name + suffix) else { continue }
            taken.companions.append(TakenFile.Companion(suffix: suffix, shape: shape))
        }
        return self.inputs(ready, taken, rows: rows, now: now)
    }

    // MARK: What is no image

    /// What a file is that goes with an image.
    private func companion(
        _ file: TakenFile,
        of path: WatchedPath,
        in folder: borrowing FolderDescriptor
    ) throws(SystemFailure) -> Examination? {
        for suffix in [Sidecar.suffix, self.settings.doneMarker].compactMap({ $0 }) {
            guard let image = PathText.name(file.name, without: suffix) else { continue }
            guard try folder.shape(of: image) == nil else {
                let beside = PathText.join(PathText.folder(of: path.path), image)
                return .companion(of: WatchedPath(root: path.root, path: beside))
            }
            if let ending = self.endingOfImage(named: image, of: file, in: folder) { return .leftBehind(file, ending) }
            if suffix != Sidecar.suffix { return .noInput }
        }
        return nil
    }

    /// Where the image is that a file went with, if the process was killed after the image was moved.
    ///
    /// A file that came later does not go with it, but with an image that is still to come.
    private func endingOfImage(
        named image: String,
        of file: TakenFile,
        in folder: borrowing FolderDescriptor
    ) -> SourceDisposal.Ending? {
        let places: [(String, SourceDisposal.Ending)] = [
            (self.root.donePath, .done), (self.root.failedPath, .besideFailed),
        ]
        for (path, ending) in places {
            // Where there is no such folder, or none that can be read, there is no such image.
            guard let place = try? FolderDescriptor(path: path).below(file.folders),
                let moved = try? place.status(of: image), let left = try? folder.status(of: file.name),
                let isTaken = try? place.has(file.name), !isTaken
            else { continue }
            if FileIdentity.nanoseconds(left.st_ctim) < FileIdentity.nanoseconds(moved.st_ctim) { return ending }
        }
        return nil
    }

    /// What a file is, or waits for, where there is a manifest.
    private func special(
        _ ready: WatchLedger.Ready,
        _ file: TakenFile,
        _ manifest: (name: String, shape: FileShape)
    ) -> Examination? {
        if file.folders.isEmpty, PathBytes(file.name) == PathBytes(manifest.name) {
            var limits = self.settings.inputs.limits
            limits.manifestBytes = min(limits.manifestBytes, self.settings.manifestBytes)
            return .manifest(
                RootManifest(path: ready.file.path, shape: manifest.shape, root: self.root, limits: limits)
            )
        }
        guard let known = self.manifest, known.shape == manifest.shape, known.problem == nil else {
            let path = PathText.join(self.root.path, manifest.name)
            return .waitsForManifest(WatchedPath(root: self.root.index, path: path))
        }
        return nil
    }

    private func manifestOnDisk() throws(SystemFailure) -> (name: String, shape: FileShape)? {
        try Self.manifestOnDisk(of: self.root, self.settings)
    }

    private static func manifestOnDisk(
        of root: WatchedRoot,
        _ settings: WatchSettings
    ) throws(SystemFailure) -> (name: String, shape: FileShape)? {
        let folder = try FolderDescriptor(unlinked: root.path)
        for name in settings.manifests {
            if let shape = try folder.shape(of: name) { return (name, shape) }
        }
        return nil
    }

    /// Whether a root has a manifest that is not known yet as it is on the disk, or cannot be looked at.
    static func awaitsManifest(_ known: RootManifest?, of root: WatchedRoot, _ settings: WatchSettings) -> Bool {
        do {
            guard let onDisk = try self.manifestOnDisk(of: root, settings) else { return false }
            return known?.shape != onDisk.shape || known?.problem != nil
        } catch {
            return true
        }
    }

    // MARK: Images

    /// Whether a file is an image by its name or its first bytes, or is named as one; in each case it can be read.
    private func isImage(_ file: TakenFile, isNamed: Bool) throws(SystemFailure) -> Bool {
        let inputs = self.settings.inputs
        let start: Data
        do {
            start = try BoundedFile.head(of: file.path, count: inputs.limits.sniffBytes, followingLinks: false)
        } catch {
            switch error {
            case .system(let failure): throw failure
            case .notAFile, .tooLarge: throw SystemFailure(code: ENOENT)
            }
        }
        return isNamed || inputs.isImageName(file.name) || inputs.recognisesImage(start, file.name)
    }

    private func inputs(
        _ ready: WatchLedger.Ready,
        _ taken: TakenFile,
        rows: [ManifestRow],
        now: Duration
    ) -> Examination {
        let candidate = self.candidate(ready.file.path)
        var items: [IntakeItem] = []
        var numbers: Set<BusinessNumber> = []
        for row in rows.isEmpty ? [nil] : rows.map(Optional.some) {
            let decision = self.resolver.decision(of: candidate, row: row)
            var disposition = decision.disposition
            if self.settings.requiresUserNumber { disposition = Self.requiringUserNumber(disposition) }
            if !self.hasSidecarItNeeds(taken) {
                disposition = .refuse(.sidecarMissing, message: Self.sidecarMissing)
            }
            switch disposition {
            case .take(let metadata):
                if row == nil, self.waitsForSidecar(taken), now < ready.since + self.settings.sidecarWait {
                    return .waitsForSidecar(until: ready.since + self.settings.sidecarWait, .sidecarMissing)
                }
                guard numbers.insert(metadata.businessNumber).inserted else { continue }
                items.append(
                    IntakeItem(
                        source: candidate.source,
                        path: candidate.path,
                        expected: taken.shape.identity(at: candidate.path),
                        disposition: .take(metadata)
                    )
                )
            case .refuse(let reason, let message, _):
                let end = ready.since + self.settings.sidecarWait
                if Self.mayWait.contains(reason), now < end { return .waitsForSidecar(until: end, reason) }
                if reason == .businessNumberMissing, case .tooDeep = decision.absence {
                    return .unassigned(message: message, taken)
                }
                return .refused(reason, message: message, taken)
            case .ignore: return .noInput
            }
        }
        return .inputs(items, taken, sidecar: self.sidecar(of: candidate, items, taken))
    }

    var resolver: MetadataResolver { MetadataResolver(self.settings.inputs) }

    func candidate(_ path: String) -> Candidate {
        Candidate(
            source: self.root.source(of: path),
            path: path,
            identity: PathBytes(path),
            place: self.root.place(of: path),
            origin: .found,
            finding: .file
        )
    }

    private func hasSidecarItNeeds(_ taken: TakenFile) -> Bool {
        self.sidecarRule != .required || Self.hasSidecar(taken)
    }

    private func waitsForSidecar(_ taken: TakenFile) -> Bool {
        self.sidecarRule == .expected && !Self.hasSidecar(taken)
    }

    private static func hasSidecar(_ taken: TakenFile) -> Bool {
        taken.companions.contains { $0.suffix == Sidecar.suffix }
    }

    private static func requiringUserNumber(_ disposition: IntakeItem.Disposition) -> IntakeItem.Disposition {
        guard case .take(let metadata) = disposition, metadata.userNumber?.reveal().isEmpty ?? true else {
            return disposition
        }
        return .refuse(
            .userNumberMissing,
            message: "no user account; set delivery.user_no, or give user_no in the manifest or in a sidecar"
        )
    }

    /// What a sidecar that is still to come, or still being written, may mend.
    private static let mayWait: Set<ReasonCode> = [
        .businessNumberMissing, .userNumberMissing, .sidecarInvalid, .sidecarMissing,
    ]

    private static let sidecarMissing =
        "no sidecar came in time (IMAGE.json beside IMAGE), and none is taken without (watch.sidecar)"

    private static func words(_ failure: SystemFailure) -> String {
        "the file cannot be opened (\(failure)); make it readable"
    }
}
