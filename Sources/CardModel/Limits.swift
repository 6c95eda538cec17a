/// The constants of this module and their reasons.
enum Limits {
    /// The longest names on cards, in parts with middle dots between them, have fewer; a longer reading holds more
    /// than the name.
    static let charactersOfName = 32
    /// A card that expires within these days is reported: a new one takes up to 60 days to be issued.
    static let daysOfNotice = 90
}
