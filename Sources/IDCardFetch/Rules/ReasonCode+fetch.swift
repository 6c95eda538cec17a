package import IDCardCore

extension ReasonCode {
    /// The URL cannot be read, or is longer than allowed.
    package static let fetchURLInvalid = ReasonCode(rawValue: "fetch_url_invalid")
    /// The scheme is not `https`, or not `http` where that is allowed.
    package static let fetchSchemeRefused = ReasonCode(rawValue: "fetch_scheme_refused")
    /// The port is not in the list.
    package static let fetchPortRefused = ReasonCode(rawValue: "fetch_port_refused")
    /// The host is not in the list, or the list is empty.
    package static let fetchHostRefused = ReasonCode(rawValue: "fetch_host_refused")
    /// The host has an address that must not be connected to.
    package static let fetchAddressRefused = ReasonCode(rawValue: "fetch_address_refused")
    /// The server sends elsewhere: too often, nowhere, or from https to http.
    package static let fetchRedirectRefused = ReasonCode(rawValue: "fetch_redirect_refused")
    /// The server sends the image compressed or otherwise encoded, although it was asked not to.
    package static let fetchEncodingRefused = ReasonCode(rawValue: "fetch_encoding_refused")
    /// The server says that it sends something else than an image.
    package static let fetchTypeRefused = ReasonCode(rawValue: "fetch_type_refused")
    /// What the server sends is no image by its first bytes.
    package static let fetchNotAnImage = ReasonCode(rawValue: "fetch_not_an_image")
    /// The server sends nothing.
    package static let fetchEmpty = ReasonCode(rawValue: "fetch_empty")
}
