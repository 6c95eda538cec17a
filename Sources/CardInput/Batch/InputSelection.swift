import CardModel
import Foundation
import SystemPackage

/// Decides what to do with each candidate, and lists each input once.
struct InputSelection {
    private struct Key: Hashable {
        var real: FilePath
        /// As written: unlike a path, a URL with two slashes differs from one with one.
        var address: String?
        var businessNumber: BusinessNumber?
    }

    private let candidates: [ListedFile]
    private let manifest: Manifest?
    private let options: BatchOptions
    /// The first row of each file; it also applies to the file where a path names it.
    private var rowOfFile: [FilePath: Int] = [:]
    private var namedFiles: Set<FilePath> = []
    /// In lower case, because the case of a sidecar's name does not matter.
    private var namedPaths: Set<String> = []
    /// The folder paths of files found by walking; they also apply to files that were named, too.
    private var folderPaths: [FilePath: FolderPath] = [:]

    init(_ candidates: [ListedFile], manifest: Manifest?, options: BatchOptions) {
        let uses = Dictionary(grouping: candidates.filter { $0.origin != .found }, by: \.real).mapValues(\.count)
        self.candidates = candidates.map { uses[$0.real] ?? 0 > 1 ? Self.refusedIfSimilar($0) : $0 }
        self.manifest = manifest
        self.options = options
        for candidate in self.candidates {
            self.namedPaths.insert(candidate.path.text.lowercased())
            if let folderPath = candidate.folderPath { self.folderPaths[candidate.path] = folderPath }
            guard candidate.origin != .found else { continue }
            self.namedFiles.insert(candidate.real)
            if case .row(let index) = candidate.origin, self.rowOfFile[candidate.real] == nil {
                self.rowOfFile[candidate.real] = index
            }
        }
    }

    /// Refuses a file that was found only by a similar name, since another row or path names it, too: the photo meant may be
    /// missing.
    private static func refusedIfSimilar(_ candidate: ListedFile) -> ListedFile {
        guard let written = candidate.written else { return candidate }
        return ListedFile(written.text, at: written, candidate.origin, .unusable(.inputSimilarUsed))
    }

    /// Lists the inputs in their order.
    ///
    /// - Throws: `too_many_inputs`.
    func entries(limit: Int) throws(CodedError) -> [BatchListing.Entry] {
        // By key, the index and row of each input; by the index of a repeated input, the indexes of all its entries.
        var first: [Key: (index: Int, row: Int?)] = [:]
        var repeated: [Int: [Int]] = [:]
        var resolver = MetadataResolver(options: self.options.fields, rule: self.options.businessNumberRule)
        var entries: [BatchListing.Entry] = []
        for candidate in self.candidates where !self.isManifestOrSidecar(candidate) {
            let row = self.row(for: candidate)
            let entry = self.entry(for: candidate, row, &resolver)
            var key = Key(real: candidate.real, address: candidate.finding == .address ? candidate.source : nil)
            if case .admit(let item) = entry { key.businessNumber = item.metadata.businessNumber }
            if let (index, number) = first[key] {
                // A further row for the file is an entry of its own; a repeated path is not.
                guard case .row = candidate.origin, row?.number != number else { continue }
                if entry.item != nil { repeated[index, default: [index]].append(entries.count) }
            } else {
                first[key] = (entries.count, row?.number)
            }
            guard entries.count < limit else { throw .tooManyInputs(limit: limit) }
            entries.append(entry)
        }
        for indices in repeated.values { Self.compare(indices, in: &entries) }
        return entries
    }

    /// Compares the rows of one file and number: equal rows are one input.
    ///
    /// If rows differ, one of them may be meant for another file, so all are refused.
    private static func compare(_ indices: [Int], in entries: inout [BatchListing.Entry]) {
        let rows = indices.compactMap { index in entries[index].item.map { (index: index, item: $0) } }
        let other = rows.first { $0.item.metadata != rows[0].item.metadata }
        for row in rows {
            if let other {
                let opposed = row.item.metadata == other.item.metadata ? rows[0] : other
                let lines = [row.item.row ?? 0, opposed.item.row ?? 0].sorted()
                let number = row.item.metadata.businessNumber
                let error = CodedError(.rowConflict, .input, .manifestRowConflict(lines[0], lines[1], number))
                entries[row.index] = .refuse(RefusedInput(name: row.item.name, error: error))
            } else if row.index != rows[0].index {
                entries[row.index] = .duplicate(row.item.name, of: rows[0].item)
            }
        }
    }

    /// Whether this is the manifest, or the sidecar of an image that was named, too (as `run folder/*` does).
    private func isManifestOrSidecar(_ candidate: ListedFile) -> Bool {
        if candidate.real == self.manifest?.path { return true }
        guard candidate.origin == .named, let image = Sidecar.image(of: candidate.path) else { return false }
        return self.namedPaths.contains(image.text.lowercased())
    }

    private func entry(
        for found: ListedFile,
        _ row: Manifest.Row?,
        _ resolver: inout MetadataResolver
    ) -> BatchListing.Entry {
        var candidate = found
        candidate.folderPath = candidate.folderPath ?? self.folderPaths[candidate.path]
        let name = Redacted(candidate.shownSource)
        do {
            switch try self.photo(candidate) {
            case .success(let location): return .admit(try resolver.item(candidate, at: location, row: row))
            case .failure(let error): return .ignore(RefusedInput(name: name, error: error))
            }
        } catch {
            return .refuse(RefusedInput(name: name, error: error))
        }
    }

    /// Returns the location of a candidate's photo, or the reason why it is not a photo.
    private func photo(_ candidate: ListedFile) throws(CodedError) -> Result<Photo.Location, CodedError> {
        let name = candidate.path.name
        switch candidate.finding {
        case .unusable(let message): throw .unreadable(message)
        case .notAFile: return .failure(.notAFile)
        case .strayLink(let message):
            guard ImageFormat.isName(name) else { return .failure(.unreadable(message)) }
            throw .unreadable(message)
        case .address: return .success(.address(Redacted(candidate.source)))
        case .file(let identity):
            if [".xlsx", ".xls", ".et", ".ods"].contains(where: name.lowercased().hasSuffix),
                try SourceFile.reasonNotAnImage(identity) != nil
            {
                let refusal = CodedError(.unsupportedFormat, .input, .fileWorkbook)
                guard !self.namedFiles.contains(candidate.real) else { throw refusal }
                return .failure(refusal)
            }
            // The name of an image is enough: the file is not opened.
            if self.namedFiles.contains(candidate.real) || ImageFormat.isName(name) { return .success(.file(identity)) }
            do {
                return try SourceFile.reasonNotAnImage(identity).map { .failure($0) } ?? .success(.file(identity))
            } catch {
                throw CodedError(error.code, error.kind, .inputCannotSniff(error.message))
            }
        }
    }

    private func row(for candidate: ListedFile) -> Manifest.Row? {
        if case .row(let index) = candidate.origin { return self.manifest?.rows[index] }
        return self.rowOfFile[candidate.real].flatMap { self.manifest?.rows[$0] }
    }
}
