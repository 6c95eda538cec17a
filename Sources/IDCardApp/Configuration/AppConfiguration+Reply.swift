extension AppConfiguration.Delivery {
    /// Keys under `delivery.reply`.
    package struct Reply: Hashable, Sendable {
        /// How replies are encrypted.
        package enum Encryption: String, CaseIterable, Sendable {
            /// Not at all.
            case none
            /// Triple DES with chained blocks.
            case tripleDESChained = "3des-cbc"
            /// Triple DES block by block.
            case tripleDESBlocks = "3des-ecb"
        }

        /// How replies are encrypted (`delivery.reply.encryption`).
        package let encryption: Encryption
        /// Where the key comes from (`delivery.reply.key`, secret, or `delivery.reply.key_file`); there is one if
        /// ``encryption`` is not `none`.
        package let key: ReplyKeySource?
        /// Initialisation vector of chained blocks, 8 bytes (`delivery.reply.iv`).
        package let initialisationVector: String
        /// Field with the code (`delivery.reply.code`).
        package let code: String
        /// Field with the text (`delivery.reply.message`).
        package let message: String
        /// Field with one answer per card (`delivery.reply.items`).
        package let items: String

        init(_ values: ResolvedConfiguration) {
            self.encryption = values.word("delivery.reply.encryption")
            self.key = ReplyKeySource(values)
            self.initialisationVector = values.require("delivery.reply.iv", \.text)
            self.code = values.require("delivery.reply.code", \.text)
            self.message = values.require("delivery.reply.message", \.text)
            self.items = values.require("delivery.reply.items", \.text)
        }
    }
}
