import CardModel
import Foundation
import SystemPackage

/// A table of photos and their metadata: CSV with a header, or JSON lines in a file `.jsonl` or `.ndjson`.
///
/// An error in the table as a whole, including an unknown column, fails the reading, so that a misspelt `business_no` does not
/// look like a missing one. An error in the values of one row refuses only its photo.
struct Manifest {
    struct Row: Hashable {
        /// The number in messages: a row of the spreadsheet, or a line of JSON.
        var number: Int
        /// The path as written: absolute, or relative to the manifest's folder; or a URL.
        var path: String
        /// The metadata of the row, or why it cannot be used.
        var fields: Result<SubmittedFields, CodedError>

        /// Whether the path is the URL of an image (RFC 3986 section 3.1: schemes are case-insensitive).
        var isAddress: Bool { Self.isAddress(self.path) }

        private static func isAddress(_ path: String) -> Bool {
            let start = path.prefix(8).lowercased()
            return start.hasPrefix("https://") || start.hasPrefix("http://")
        }

        /// Makes a row from its texts.
        ///
        /// - Throws: `manifest_invalid` if it has no path.
        init(_ number: Int, _ record: Record) throws(CodedError) {
            guard let path = record.path, !path.isEmpty else { throw Manifest.invalid(row: number, .manifestNoPath) }
            guard !path.utf8.contains(0) else { throw Manifest.invalid(row: number, .manifestPathZeroByte) }
            self.number = number
            self.path = Self.isAddress(path.trimmed) ? path.trimmed : path
            do throws(CodedError) {
                guard record.duplicates.isEmpty else { throw record.duplicate }
                self.fields = .success(try SubmittedFields(record.fields))
            } catch {
                self.fields = .failure(CodedError(error.code, error.kind, .manifestRow(number, error.message)))
            }
        }
    }

    let rows: [Row]
    /// The real path of the manifest, which is never an input itself.
    let path: FilePath
    /// The folder that relative paths start from, as the user wrote it.
    private let folder: FilePath

    /// - Parameter followingLinks: `false` refuses a manifest that is a symbolic link; its folder may be one.
    /// - Throws: `CodedError` with `manifest_unreadable`, `manifest_too_large`, `manifest_invalid` or
    ///   `field_duplicate`.
    init(path: FilePath, followingLinks: Bool) throws(CodedError) {
        let data: Data
        do throws(OpenFile.Failure) {
            self.path = try Result { () throws(Errno) in
                followingLinks
                    ? try path.real() : try path.removingLastComponent().real().appending(path.components.suffix(1))
            }
            .mapError(OpenFile.Failure.system).get()
            data = try OpenFile(self.path, followingLinks: followingLinks).contents(limit: InputLimits.manifestBytes)
        } catch {
            throw Self.error(error, path)
        }
        let isCSV = ![".jsonl", ".ndjson"].contains { path.name.lowercased().hasSuffix($0) }
        self.rows = try isCSV ? CSVManifest.rows(in: data) : Self.rows(inJSON: data)
        self.folder = path.removingLastComponent()
    }

    /// Reads the lines of a manifest; rows have the numbers of their lines, and blank lines are skipped.
    private static func rows(inJSON data: Data) throws(CodedError) -> [Row] {
        var rows: [Row] = []
        let text = TableText.withoutByteOrderMark(data)
        let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() where line.contains(where: { $0 > UInt8(ascii: " ") }) {
            let record: Record
            do {
                record = try Record(json: line)
            } catch {
                throw Self.invalid(row: index + 1, error.message)
            }
            guard !record.duplicates.contains("path") else {
                throw Self.invalid(row: index + 1, record.duplicate.message, code: .fieldDuplicate)
            }
            rows.append(try Row(index + 1, record))
        }
        return rows
    }

    /// Whether a file is a manifest by its name.
    static func isName(_ name: String) -> Bool {
        [".csv", ".jsonl", ".ndjson"].contains { name.lowercased().hasSuffix($0) }
    }

    func file(of row: Row) -> FilePath { self.folder.pushing(FilePath(written: row.path)) }

    private static func error(_ failure: OpenFile.Failure, _ path: FilePath) -> CodedError {
        let reason = failure.message(limit: InputLimits.manifestBytes)
        return switch failure {
        case .system, .notAFile: CodedError(.manifestUnreadable, .input, .manifestCannotRead(path.text, reason))
        case .tooLarge: CodedError(.manifestTooLarge, .input, .manifestTooLarge(reason))
        case .changed: CodedError(.manifestUnreadable, .input, .manifestChanged(path.text, reason))
        }
    }

    static func invalid(row: Int, _ reason: Message, code: ReasonCode = .manifestInvalid) -> CodedError {
        CodedError(code, .input, .manifestRowInvalid(row, reason))
    }
}
