import NIOSSL
import Synchronization

/// The certificate that new connections are greeted with; another one takes its place without a restart.
final class ServerCertificate: Sendable {
    private let files: TLSFiles
    private let current: Mutex<NIOSSLContext>

    /// - Throws: `ServerError.certificate`.
    init(_ files: TLSFiles) throws {
        self.files = files
        self.current = Mutex(try files.load())
    }

    /// What the next connection uses.
    var context: NIOSSLContext { self.current.withLock { $0 } }

    /// Reads the files anew; what is open goes on as it is.
    ///
    /// - Throws: `ServerError.certificate`; then the one in use stays.
    func reload() throws {
        let context = try self.files.load()
        self.current.withLock { $0 = context }
    }
}
