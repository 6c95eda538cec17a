import IDCardPipeline

/// The certificate of an erasure for people: what is gone, and what lies outside.
struct ErasureWords {
    private let certificate: ErasureCertificate

    init(_ certificate: ErasureCertificate) {
        self.certificate = certificate
    }

    /// The first line names the card, the others what is left to be seen to.
    var lines: [String] {
        let certificate = self.certificate
        var lines = ["\(certificate.card)  erased  \(certificate.erasedAt)  \(certificate.reason)"]
        if certificate.sourceFileCount > 0 {
            let files =
                certificate.sourceFileCount == 1 ? "1 source file" : "\(certificate.sourceFileCount) source files"
            lines.append("  not touched: \(files) outside the sandbox (the path is not known here)")
        }
        if certificate.exportCount > 0 {
            let times = certificate.exportCount == 1 ? "once" : "\(certificate.exportCount) times"
            lines.append("  not touched: what was exported of it, \(times) (where to is not known here)")
        }
        lines.append("  not touched: backups from before, which hold it as long as their key, retired or not, is kept")
        if let remote = Self.words(certificate.verifier) { lines.append("  the verification service \(remote)") }
        if let backend = self.backendLine { lines.append(backend) }
        if !certificate.isScrubbed {
            lines.append(
                "  not finished: somebody reads the sandbox, or bytes may be left in a file too large to be written anew"
                    + " beside other work; the next erasure or run tries again, `fsck --repair` does it at any size"
            )
        }
        return lines
    }

    private var backendLine: String? {
        switch self.certificate.documents {
        case .erased: return "  erased too: what the built-in backend kept of it"
        case .remaining: return "  not erased: documents of the built-in backend; erase it again when that has ended"
        case nil:
            let keys = self.certificate.deliveries.joined(separator: ", ")
            return Self.words(self.certificate.backend).map { "  the business backend \($0) (\(keys))" }
        }
    }

    private static func words(_ remote: ErasureCertificate.Remote) -> String? {
        switch remote {
        case .notSent: nil
        case .refused: "was sent it and refused it"
        case .mayHold: "was sent it and may hold it"
        case .holds: "was sent it and took it"
        }
    }
}
