/// The `Content-Type` of a received form: `multipart/form-data; boundary=…`.
enum FormDataType {
    /// Reads the boundary.
    ///
    /// Parameters other than `boundary`, such as `charset`, are ignored: names are UTF-8 whatever it says.
    ///
    /// - Returns: The boundary's bytes, of the characters of RFC 2046 section 5.1.1.
    /// - Throws: ``MultipartFormError``: `not_form_data` or `invalid_boundary`.
    static func boundary(
        of contentType: String,
        limits: MultipartParser.Limits
    ) throws(MultipartFormError) -> [UInt8] {
        guard let value = HeaderValue(contentType), value.essence == "multipart/form-data" else {
            throw MultipartFormError(
                .notFormData,
                "The content type is not 'multipart/form-data; boundary=…'; send the form so."
            )
        }
        let boundaries = value.values(of: "boundary")
        guard boundaries.count == 1 else {
            throw MultipartFormError(
                .invalidBoundary,
                "The content type has \(boundaries.count) boundaries; send one."
            )
        }
        let boundary = Array(boundaries[0].utf8)
        guard (1...max(1, limits.boundaryCharacters)).contains(boundary.count) else {
            throw MultipartFormError(
                .invalidBoundary,
                "A boundary has 1 to \(limits.boundaryCharacters) characters, this one has \(boundary.count)."
            )
        }
        guard boundary.allSatisfy(self.isAllowed), boundary.last != UInt8(ascii: " ") else {
            throw MultipartFormError(
                .invalidBoundary,
                "The boundary holds a character that RFC 2046 section 5.1.1 does not allow; choose another."
            )
        }
        return boundary
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        Boundary.isAlphanumeric(byte) || "'()+_,-./:=? ".utf8.contains(byte)
    }
}
