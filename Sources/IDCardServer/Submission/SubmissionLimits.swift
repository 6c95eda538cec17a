/// How large what is sent in may be.
package struct SubmissionLimits: Hashable, Sendable {
    /// The most bytes of an image (`imaging.max_source_bytes`).
    package var imageBytes = 32 << 20
    /// The most bytes of all images that lie in spools at once, on their way into the store: beyond it, 503; never less
    /// than one image may have (`server.max_spooled_bytes`).
    package var spooledBytes = 1 << 30
    /// The most bytes that a form may have beside its image (`server.form_overhead_bytes`).
    package var formOverheadBytes = 65_536
    /// The most parts of a form (`server.form_parts`).
    package var formParts = 20
    /// The most bytes of the header lines of one part.
    package var partHeaderBytes = 8_192
    /// The most bytes of one text field.
    package var textBytes = 2_048
    /// The most bytes of a JSON body that carries no image.
    package var jsonBytes = 16_384
    /// The most bytes of a webhook's body; base64 makes four of three (`webhooks.body_bytes`).
    package var webhookBytes = 45 << 20
    /// The most bytes of all webhooks' bodies that are in memory at once: beyond it, 503; one address has half of it, or
    /// as much as one webhook needs (`webhooks.memory_bytes`).
    package var webhookMemoryBytes = 128 << 20

    /// Sets the defaults.
    package init() {}
}
