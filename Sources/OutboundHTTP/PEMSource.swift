package import Foundation

/// Where certificates or a key in PEM come from.
package enum PEMSource: Hashable, Sendable {
    /// A file, read once, when the settings are made.
    case file(String)
    /// The text itself.
    case bytes(Data)

    /// The most bytes that are read: a chain has a few thousand.
    private static let limit = 1_048_576

    /// Reads the bytes.
    ///
    /// - Parameter name: what messages call the text when it is not in a file.
    /// - Throws: ``OutboundHTTPError``: `tls_file_unreadable`, or `tls_file_invalid` if there is far too much.
    func read(as name: String) throws(OutboundHTTPError) -> [UInt8] {
        let data: Data
        switch self {
        case .bytes(let bytes): data = bytes
        case .file(let path):
            do {
                let file = try FileHandle(forReadingFrom: URL(filePath: path))
                defer { try? file.close() }
                data = try file.read(upToCount: Self.limit + 1) ?? Data()
            } catch {
                throw OutboundHTTPError(
                    .tlsFileUnreadable,
                    "\(self.described(as: name)) cannot be read: check its path and its permissions",
                    cause: error
                )
            }
        }
        guard data.count <= Self.limit else {
            throw OutboundHTTPError(
                .tlsFileInvalid,
                "\(self.described(as: name)) exceeds \(Self.limit) bytes, which no certificates do: check the path"
            )
        }
        return Array(data)
    }

    /// Names the source for messages: the path of a file, never what it holds.
    func described(as name: String) -> String {
        switch self {
        case .file(let path): "\(name), the file '\(path)',"
        case .bytes: name
        }
    }
}

extension PEMSource: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The path or the length, never the bytes: they may be a private key.
    package var description: String {
        switch self {
        case .file(let path): "file(\(path))"
        case .bytes(let bytes): "bytes(\(bytes.count))"
        }
    }
    /// The same as ``description``.
    package var debugDescription: String { self.description }
    /// A mirror without the bytes.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
