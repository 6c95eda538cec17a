package import CardModel
import CardStore

/// The entries of a list of photos, before any photo is read.
package struct BatchListing: Sendable {
    /// What to do with one file or row.
    package enum Entry: Hashable, Sendable {
        case admit(Photo)
        /// Do nothing: the row of the manifest repeats an earlier one.
        case duplicate(Redacted<String>, of: Photo)
        case refuse(RefusedInput)
        /// Do nothing: the file was found while listing and is not an image; the error says what it is.
        case ignore(RefusedInput)

        package var item: Photo? { if case .admit(let item) = self { item } else { nil } }

        /// The number that a folder gives.
        fileprivate var folderNumber: BusinessNumber? {
            self.item.flatMap { $0.origins[.businessNumber] == .folder ? $0.metadata.businessNumber : nil }
        }

        package var name: Redacted<String> {
            switch self {
            case .admit(let item): item.name
            case .duplicate(let name, _): name
            case .refuse(let input), .ignore(let input): input.name
            }
        }
    }

    /// All files and rows, in the order of the list.
    package let entries: [Entry]
    /// How many files or folders each rule, such as `#recycle` or `*.bak`, skipped.
    package let skipped: [String: Int]

    /// Makes a listing; refuses all photos of a number with too many photos, and each photo for which `refusal` returns an error.
    init(_ entries: [Entry], skipped: [String: Int], refusal: (Photo) -> CodedError?) {
        var counts: [BusinessNumber: Int] = [:]
        for case .admit(let item) in entries { counts[item.metadata.businessNumber, default: 0] += 1 }
        self.skipped = skipped
        let named = BusinessNumber.namingPersons(Set(entries.compactMap(\.folderNumber)))
        self.entries = entries.map { entry in
            switch entry {
            // A duplicate is judged by the photo that it repeats, and keeps its own name.
            case .admit(let item), .duplicate(_, of: let item):
                let (number, limit) = (item.metadata.businessNumber, Limits.photosPerNumber)
                var error = refusal(item)
                if let count = counts[number], count > limit {
                    error = CodedError(.tooManyPhotos, .input, .inputTooManyPhotos(count, number, limit: limit))
                }
                if let error { return .refuse(RefusedInput(name: entry.name, error: error)) }
                guard case .admit(var item) = entry, named.contains(number), entry.folderNumber != nil else {
                    return entry
                }
                item.hasPersonalFolder = true
                return .admit(item)
            case .refuse, .ignore: return entry
            }
        }
    }

    /// The photos by business number, in the order in which they count as admitted; numbers in the order of their first photo.
    ///
    /// Of two photos of one side the newer one wins, but only the verifier knows the side: so all photos of a number are
    /// sorted by name (`PhotoName`). Rows keep their order; they come after photos without a row.
    package var groups: [[Photo]] {
        var groups: [BusinessNumber: [Photo]] = [:]
        var numbers: [BusinessNumber] = []
        for item in self.entries.compactMap(\.item) {
            let number = item.metadata.businessNumber
            if groups[number] == nil { numbers.append(number) }
            groups[number, default: []].append(item)
        }
        return numbers.map { number in
            groups[number, default: []].sorted { left, right in
                switch (left.row, right.row) {
                case (let left?, let right?): left < right
                case (nil, nil): left.isEarlier(than: right)
                default: left.row == nil
                }
            }
        }
    }

    /// The first table among the files, if a photo lacks its business number or user account: the table may be the manifest.
    package var tableOfNumbers: Redacted<String>? {
        let missing: Set<ReasonCode> = [.businessNumberMissing, .userNumberMissing]
        var (table, isNeeded) = (Redacted<String>?.none, false)
        for entry in self.entries {
            switch entry {
            case .ignore(let input):
                let name = input.name.reveal().lowercased()
                let isTable = [".csv", ".jsonl", ".ndjson", ".xlsx"].contains(where: name.hasSuffix)
                if table == nil, isTable { table = input.name }
            case .refuse(let input): isNeeded = isNeeded || missing.contains(input.error.code)
            case .admit, .duplicate: break
            }
        }
        return isNeeded ? table : nil
    }

    /// The message about a list without photos; `nil` if the list has a photo or a refused input.
    package var emptiness: Message? {
        guard !self.entries.contains(where: { if case .ignore = $0 { false } else { true } }) else { return nil }
        let skippedCount = self.skipped.values.reduce(0, +)
        return .inputNoPhotos(self.entries.count, skippedCount)
    }
}
