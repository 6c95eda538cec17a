extension ReceivedForm.Part {
    /// Reads one part: header lines, an empty line, and the bytes up to the CR LF of the next boundary.
    ///
    /// - Throws: ``EmbeddedError``: `formMalformed` or `formTooLarge`.
    init(_ bytes: ArraySlice<UInt8>, position: Int, limits: ReceivedForm.Limits) throws(EmbeddedError) {
        let (lines, body) = try Self.split(bytes, position: position, limits: limits)
        var headers: [String: ArraySlice<UInt8>] = [:]
        for line in lines {
            let (name, value) = try Self.header(line, position: position)
            guard headers.updateValue(value, forKey: name) == nil else {
                throw .malformed("Part \(position) has a header twice.")
            }
        }
        guard let disposition = headers["content-disposition"] else {
            throw .malformed("Part \(position) has no Content-Disposition.")
        }
        let parsed = try ParameterizedValue(
            parsing: Array(disposition),
            what: "The Content-Disposition of part \(position)"
        )
        guard parsed.value == "form-data" else {
            throw .malformed("The Content-Disposition of part \(position) is not form-data.")
        }
        guard let name = parsed.parameters["name"] else { throw .malformed("Part \(position) has no name.") }
        // Some receivers would decode it and some would not: the bytes must mean the same to all.
        if let encoding = headers["content-transfer-encoding"] {
            let encoding = String(decoding: encoding, as: UTF8.self).lowercased()
            guard ["7bit", "8bit", "binary"].contains(encoding) else {
                throw .malformed("Part \(position) has a transfer encoding, which RFC 7578 section 4.7 deprecates.")
            }
        }
        guard body.count <= limits.partBytes else {
            throw .tooLarge("Part \(position) has \(body.count) bytes, at most \(limits.partBytes) are read.")
        }
        self.name = name
        self.filename = parsed.parameters["filename"]
        self.contentType = headers["content-type"].map { String(decoding: $0, as: UTF8.self) }
        self.body = Array(body)
    }

    /// Takes the header lines apart from the body.
    private static func split(
        _ bytes: ArraySlice<UInt8>,
        position: Int,
        limits: ReceivedForm.Limits
    ) throws(EmbeddedError) -> (lines: [ArraySlice<UInt8>], body: ArraySlice<UInt8>) {
        var lines: [ArraySlice<UInt8>] = []
        var start = bytes.startIndex
        while true {
            // The search ends at the limit: a long body must not be taken for a header.
            let window = bytes.prefix(limits.headerBytes + 1)
            guard start <= window.endIndex, let end = window[start...].firstIndex(of: UInt8(ascii: "\r")) else {
                guard bytes.count <= limits.headerBytes else {
                    throw .tooLarge("The headers of part \(position) exceed \(limits.headerBytes) bytes.")
                }
                throw .malformed("The headers of part \(position) do not end with an empty line.")
            }
            guard bytes[end...].starts(with: "\r\n".utf8) else {
                throw .malformed("A header of part \(position) holds a lone CR.")
            }
            if end == start { return (lines, bytes[(end + 2)...]) }
            guard lines.count < limits.headers else {
                throw .tooLarge("Part \(position) has more than \(limits.headers) headers.")
            }
            lines.append(bytes[start..<end])
            start = end + 2
        }
    }

    /// Takes a header line apart: the name in lower case, the value without the blanks around it.
    private static func header(
        _ line: ArraySlice<UInt8>,
        position: Int
    ) throws(EmbeddedError) -> (name: String, value: ArraySlice<UInt8>) {
        guard !line.contains(0), !line.contains(UInt8(ascii: "\n")) else {
            throw .malformed("A header of part \(position) holds NUL or a lone LF.")
        }
        let name = line.prefix { $0 != UInt8(ascii: ":") }
        // A line that begins with a blank would continue the one before: obsolete, and read differently by receivers.
        guard name.endIndex < line.endIndex, !name.isEmpty, name.allSatisfy(\.isTokenByte) else {
            throw .malformed("A header line of part \(position) is not 'name: value'.")
        }
        var value = line[(name.endIndex + 1)...]
        while let first = value.first, first == 0x20 || first == 0x09 { value.removeFirst() }
        while let last = value.last, last == 0x20 || last == 0x09 { value.removeLast() }
        return (String(decoding: name, as: UTF8.self).lowercased(), value)
    }
}
