/// The names of the fields in the backend's reply; lower and camel case are met too.
package struct ReplyNames: Hashable, Sendable, Codable {
    /// The field with the code.
    package var code = "RETCODE"
    /// The field with the text.
    package var message = "RETMSG"
    /// The field with one answer per card, in the order of the form.
    package var items = "ITEMS"

    /// Takes the names of the original flow.
    package init() {}
}
