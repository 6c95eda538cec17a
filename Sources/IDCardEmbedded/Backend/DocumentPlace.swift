/// Where a document stood among those of one upload.
package struct DocumentPlace: Hashable, Sendable {
    /// The upload's idempotency key.
    package let key: String
    /// Its place among the documents, from 1.
    package let position: Int

    /// Names a document.
    package init(key: String, position: Int) {
        self.key = key
        self.position = position
    }
}
