/// The constants of this module and their reasons.
enum Limits {
    /// The maximum characters of a name. The longest names on cards, whose parts middle dots separate, have fewer, so a
    /// longer text is more than the name.
    static let charactersOfName = 32
    /// A card that expires within this number of days is reported: issuing a new one takes up to 60 days.
    static let daysOfNotice = 90
}
