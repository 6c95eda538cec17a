import NIOSSL

/// The names of issuer and subject of a certificate, as the bytes of their DER encoding (RFC 5280 section 4.1).
struct CertificateNames: Equatable {
    /// Who has issued it.
    let issuer: [UInt8]
    /// Whom it speaks of.
    let subject: [UInt8]

    /// Takes a certificate apart; `nil` if it is built otherwise than known.
    init?(_ certificate: NIOSSLCertificate) {
        guard let bytes = try? certificate.toDERBytes() else { return nil }
        // Certificate ::= SEQUENCE { tbsCertificate SEQUENCE { [0] version, serial, algorithm, issuer, validity,
        // subject, … }, … }
        var outer = DERFields(bytes[...])
        guard let certificate = outer.next(), case var fields = DERFields(certificate.content) else { return nil }
        guard let body = fields.next() else { return nil }
        var parts = DERFields(body.content)
        guard var part = parts.next() else { return nil }
        if part.tag == 0xA0 {
            guard let serial = parts.next() else { return nil }
            part = serial
        }
        guard part.tag == 0x02, parts.next() != nil, let issuer = parts.next() else { return nil }
        guard parts.next() != nil, let subject = parts.next() else { return nil }
        self.issuer = Array(issuer.content)
        self.subject = Array(subject.content)
    }
}

/// Walks over values in DER, without looking into them.
private struct DERFields {
    struct Field {
        let tag: UInt8
        let content: ArraySlice<UInt8>
    }

    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        self.rest = bytes
    }

    mutating func next() -> Field? {
        guard let tag = self.rest.popFirst(), let first = self.rest.popFirst() else { return nil }
        var length = Int(first)
        if first & 0x80 != 0 {
            let count = Int(first & 0x7F)
            guard (1...4).contains(count), self.rest.count >= count else { return nil }
            length = self.rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
            self.rest = self.rest.dropFirst(count)
        }
        guard self.rest.count >= length else { return nil }
        defer { self.rest = self.rest.dropFirst(length) }
        return Field(tag: tag, content: self.rest.prefix(length))
    }
}
