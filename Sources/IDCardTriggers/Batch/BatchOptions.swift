package import Foundation
package import IDCardCore

/// What holds for all inputs of a run.
package struct BatchOptions: Sendable {
    /// The business number of inputs that neither manifest nor sidecar gives one, as the user wrote it; an empty text
    /// is an invalid number, not a missing one.
    package var businessNumber: String?
    /// The user account of inputs that neither manifest nor sidecar gives one.
    package var userNumber: Redacted<String>?
    /// Which part of a path is the business number of an image that has none otherwise.
    package var businessNumberRule: BusinessNumberRule
    /// Whether a file is an image in a known format, supported or not, by its first bytes.
    package var recognisesImage: @Sendable (_ firstBytes: Data, _ fileName: String) -> Bool
    /// Whether a file name alone (its extension) claims an image.
    package var isImageName: @Sendable (_ fileName: String) -> Bool
    /// Folders into which a watch puts files (`watch.done_folder`, `watch.failed_folder`): relative ones are passed over
    /// directly below each folder that is walked, absolute ones wherever they are met.
    package var skippedFolders: [String]
    /// The folder of the sandbox (`sandbox.path`): what lies in it is never an input, and is not opened.
    package var sandbox: String?
    /// How much is taken from outside.
    package var limits: BatchLimits

    /// Sets the options of a run.
    package init(
        businessNumber: String? = nil,
        userNumber: String? = nil,
        businessNumberRule: BusinessNumberRule = .folder,
        recognisesImage: @escaping @Sendable (_ firstBytes: Data, _ fileName: String) -> Bool,
        isImageName: @escaping @Sendable (_ fileName: String) -> Bool,
        skippedFolders: [String] = [],
        sandbox: String? = nil,
        limits: BatchLimits = BatchLimits()
    ) {
        self.businessNumber = businessNumber
        self.userNumber = userNumber.map { Redacted($0) }
        self.businessNumberRule = businessNumberRule
        self.recognisesImage = recognisesImage
        self.isImageName = isImageName
        self.skippedFolders = skippedFolders
        self.sandbox = sandbox
        self.limits = limits
    }
}
