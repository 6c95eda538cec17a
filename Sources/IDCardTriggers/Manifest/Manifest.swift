import Foundation
import Glibc

/// A table of photos and their metadata: CSV with a header, or JSON lines if the file name ends in `.jsonl` or
/// `.ndjson`.
///
/// UTF-8, with or without byte order mark; lines end in LF or CRLF. Unknown columns are an error, so that a misspelt
/// `business_no` is not a missing one.
struct Manifest {
    /// The rows in their order.
    let rows: [ManifestRow]
    /// The real path of the manifest, which is never an input itself.
    let realPath: String
    var identity: PathBytes { PathBytes(self.realPath) }
    /// The folder that relative paths start from, as the user gave it.
    let folder: String

    /// Reads a manifest.
    ///
    /// - Parameter followingLinks: `false` refuses a manifest that is a symbolic link.
    /// - Throws: `BatchSourceError` with `manifestUnreadable`, `manifestTooLarge`, `manifestInvalid` (naming the row,
    ///   never its values) or `tooManyInputs`.
    init(path: String, limits: BatchLimits, followingLinks: Bool = true) throws(BatchSourceError) {
        let data = try Self.read(path, limit: limits.manifestBytes, followingLinks: followingLinks)
        let name = PathText.name(of: path).lowercased()
        let isJSONLines = name.hasSuffix(".jsonl") || name.hasSuffix(".ndjson")
        self.rows =
            try isJSONLines
            ? JSONLinesManifest.rows(in: data, limits: limits)
            : CSVManifest.rows(in: data, limits: limits)
        self.folder = PathText.folder(of: path)
        do {
            self.realPath = try FileKind.realPath(of: path)
        } catch {
            throw BatchSourceError(.manifestUnreadable, "the manifest cannot be found again (\(error))", input: path)
        }
    }

    /// Whether a file is a manifest by its name.
    static func isName(_ name: String) -> Bool {
        [".csv", ".jsonl", ".ndjson"].contains { name.lowercased().hasSuffix($0) }
    }

    private static func read(
        _ path: String,
        limit: Int,
        followingLinks: Bool
    ) throws(BatchSourceError) -> Data {
        do {
            return try BoundedFile.contents(of: path, limit: limit, followingLinks: followingLinks).withoutByteOrderMark
        } catch {
            switch error {
            case .system(let failure):
                throw BatchSourceError(
                    .manifestUnreadable,
                    "the manifest cannot be read (\(failure)); check its path",
                    input: path
                )
            case .notAFile:
                throw BatchSourceError(
                    .manifestUnreadable,
                    "the manifest is not a regular file; check its path",
                    input: path
                )
            case .tooLarge:
                let message = "the manifest has more than \(limit) bytes; split it over several runs"
                throw BatchSourceError(.manifestTooLarge, message, input: path)
            }
        }
    }

    /// Makes a row of its texts.
    static func row(_ number: Int, texts: [MetadataColumn: String]) throws(BatchSourceError) -> ManifestRow {
        guard let path = texts[.path], !path.isEmpty else { throw self.invalid(row: number, "has no path") }
        guard !path.utf8.contains(0) else { throw self.invalid(row: number, "has a path with a zero byte") }
        do {
            return ManifestRow(number: number, path: path, fields: try MetadataFields(texts: texts))
        } catch {
            throw self.invalid(row: number, error.words)
        }
    }

    /// Describes what is wrong with a row; its values stay out.
    static func invalid(row number: Int, _ words: String) -> BatchSourceError {
        BatchSourceError(.manifestInvalid, "row \(number) of the manifest \(words); correct it and run again")
    }
}
