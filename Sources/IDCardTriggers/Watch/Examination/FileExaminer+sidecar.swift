import IDCardCore
import IDCardPipeline

extension FileExaminer {
    /// What a sidecar is that lies without its image: early, or late.
    ///
    /// It is late at most if the image had nothing but the number of its folder.
    func lateSidecar(
        _ file: TakenFile,
        _ ready: WatchLedger.Ready,
        now: Duration
    ) throws(SystemFailure) -> Examination? {
        guard let late = self.words(of: file, at: ready.file.path, nil) else { return nil }
        // Then the image had its sidecar, and this one is for the next image of its name.
        for place in [self.root.donePath, self.root.failedPath] {
            if let folder = try? FolderDescriptor(path: place).below(file.folders), try folder.has(file.name) {
                return nil
            }
        }
        let end = ready.since + self.settings.sidecarWait
        guard now >= end else { return .waitsForImage(until: end) }
        return .lateSidecar(late, file)
    }

    /// What a sidecar without its image says; `nil` if it is none, or the image had more than the number of its folder.
    func words(of file: TakenFile, at path: String, _ ending: SourceDisposal.Ending?) -> LateSidecar? {
        guard let image = PathText.name(file.name, without: Sidecar.suffix), self.settings.inputs.isImageName(image),
            let path = PathText.name(path, without: Sidecar.suffix), self.manifest?.rows(for: path).isEmpty ?? true,
            case .take(let metadata) = self.resolver.decision(of: self.candidate(path), row: nil).disposition,
            let number = self.resolver.businessNumber(of: self.candidate(path), row: nil)
        else { return nil }
        let photo = ending == nil ? TakenPhoto.only(at: Redacted(path)) : .last(at: Redacted(path))
        return LateSidecar(image: photo, number: number, metadata: metadata, ending: ending)
    }

    /// What the sidecar of an image says if that gives another number than its folder.
    func sidecar(of candidate: Candidate, _ items: [IntakeItem], _ taken: TakenFile) -> LateSidecar? {
        guard taken.companions.contains(where: { $0.suffix == Sidecar.suffix }), items.count == 1,
            case .take(let metadata) = items[0].disposition,
            let number = self.resolver.businessNumber(of: candidate, row: nil), number != metadata.businessNumber
        else { return nil }
        return LateSidecar(image: .file(taken.shape.identity(at: taken.path)), number: number, metadata: metadata)
    }
}
