import Foundation
import IDCardTriggers

/// What the tests take for an image; the real rules are injected by the application.
enum ImageRules {
    /// The first bytes of a JPEG.
    static let jpegStart: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0]

    /// Options with these rules.
    static func options(
        businessNumber: String? = nil,
        userNumber: String? = nil,
        limits: BatchLimits = BatchLimits()
    ) -> BatchOptions {
        BatchOptions(
            businessNumber: businessNumber,
            userNumber: userNumber,
            recognisesImage: { bytes, _ in bytes.starts(with: self.jpegStart) },
            isImageName: { name in
                ["jpg", "jpeg", "png"].contains(name.split(separator: ".").last?.lowercased() ?? "")
            },
            limits: limits
        )
    }
}
