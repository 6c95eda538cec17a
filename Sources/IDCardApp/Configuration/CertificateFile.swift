import Foundation
import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A PEM file with certificates, which anybody may read.
struct CertificateFile {
    /// Most bytes that are read; the authorities of a system take a quarter of a mebibyte.
    static let maximumBytes = 4 << 20

    /// Where it lies.
    let path: String
    /// The key that names it.
    let key: String

    /// Checks that there is a certificate in it; whether it is sound shows when the connection is made.
    ///
    /// - Throws: `certificateUnreadable`.
    func check() throws(ConfigurationError.Problem) {
        let bytes: Data
        do {
            // Without O_NONBLOCK a FIFO of that name would stop us for ever.
            let descriptor = try FileDescriptor.open(self.path, .readOnly, options: [.closeOnExec, .nonBlocking])
            bytes = try descriptor.closeAfter {
                var status = stat()
                guard fstat(descriptor.rawValue, &status) == 0 else { throw Errno(rawValue: errno) }
                guard status.st_mode & S_IFMT == S_IFREG else { throw self.problem("is not a regular file") }
                return try descriptor.readUpTo(Self.maximumBytes + 1)
            }
        } catch let problem as ConfigurationError.Problem {
            throw problem
        } catch {
            throw self.problem("cannot be read (\(error))")
        }
        guard bytes.count <= Self.maximumBytes else {
            throw self.problem("is longer than \(ByteCountText.render(Self.maximumBytes))")
        }
        guard bytes.range(of: Data("-----BEGIN CERTIFICATE-----".utf8)) != nil else {
            throw self.problem("holds no certificate in PEM (-----BEGIN CERTIFICATE-----)")
        }
    }

    private func problem(_ reason: String) -> ConfigurationError.Problem {
        ConfigurationError.Problem(.certificateUnreadable, key: self.key, "\(self.key): \(self.path) \(reason)")
    }
}
