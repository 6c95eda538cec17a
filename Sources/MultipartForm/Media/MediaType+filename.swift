extension MediaType {
    /// Extensions worth knowing here, in lower case.
    private static let extensions: [String: String] = [
        "avif": "image/avif", "bmp": "image/bmp", "gif": "image/gif", "heic": "image/heic", "heif": "image/heif",
        "jfif": "image/jpeg", "jpe": "image/jpeg", "jpeg": "image/jpeg", "jpg": "image/jpeg", "png": "image/png",
        "svg": "image/svg+xml", "tif": "image/tiff", "tiff": "image/tiff", "webp": "image/webp",
        "csv": "text/csv", "htm": "text/html", "html": "text/html", "txt": "text/plain",
        "gz": "application/gzip", "json": "application/json", "pdf": "application/pdf", "xml": "application/xml",
        "zip": "application/zip", "epub": "application/epub+zip",
        "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "odt": "application/vnd.oasis.opendocument.text",
    ]

    /// Types whose files are ZIP files.
    static let zipBased = Set(
        ["docx", "epub", "odt", "pptx", "xlsx"].compactMap { MediaType.extensions[$0].map { MediaType($0) } }
    )

    /// The type that a file name's extension claims; a name without one, such as `.jpg`, claims nothing.
    static func named(_ filename: String) -> MediaType? {
        let last = filename.split { $0 == "/" || $0 == "\\" }.last ?? ""
        guard let dot = last.lastIndex(of: "."), dot > last.startIndex else { return nil }
        return self.extensions[last[last.index(after: dot)...].lowercased()].map { MediaType($0) }
    }
}
