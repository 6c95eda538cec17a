/// Why a picture was refused.
package struct ImagingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A stable reason for programs; `rawValue` is what users see as reason code.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Wrapped: String {
            case unsupportedFormat = "unsupported_format"
            case empty = "image_empty"
            case corrupt = "image_corrupt"
            case truncated = "image_truncated"
            case tooLargeBytes = "image_too_large_bytes"
            case tooManyPixels = "image_too_many_pixels"
            case edgeTooLong = "image_edge_too_long"
            case tooManyScans = "image_too_many_scans"
            case decodeMemory = "image_decode_memory"
            case decodeTime = "image_decode_time"
            case unsupportedCoding = "image_unsupported_coding"
            case overBudget = "image_over_budget"
            case outOfMemory = "image_out_of_memory"
            case internalError = "image_internal_error"
        }

        private let wrapped: Wrapped

        /// The code in snake_case.
        package var rawValue: String { self.wrapped.rawValue }
        package var description: String { self.rawValue }

        /// The bytes are another format than JPEG or PNG.
        package static let unsupportedFormat = Code(wrapped: .unsupportedFormat)
        /// There are no bytes.
        package static let empty = Code(wrapped: .empty)
        /// The data contradicts itself.
        package static let corrupt = Code(wrapped: .corrupt)
        /// The data ends before the picture does.
        package static let truncated = Code(wrapped: .truncated)
        /// `ImagingLimits.maximumSourceBytes`
        package static let tooLargeBytes = Code(wrapped: .tooLargeBytes)
        /// `ImagingLimits.maximumPixels`
        package static let tooManyPixels = Code(wrapped: .tooManyPixels)
        /// `ImagingLimits.maximumEdge`
        package static let edgeTooLong = Code(wrapped: .edgeTooLong)
        /// `ImagingLimits.maximumScans`
        package static let tooManyScans = Code(wrapped: .tooManyScans)
        /// `ImagingLimits.maximumDecodeMemoryBytes`
        package static let decodeMemory = Code(wrapped: .decodeMemory)
        /// `ImagingLimits.maximumDecodeTime`
        package static let decodeTime = Code(wrapped: .decodeTime)
        /// A JPEG of a kind libjpeg cannot decode.
        package static let unsupportedCoding = Code(wrapped: .unsupportedCoding)
        /// Not even the smallest version fits `RecompressionSettings.byteBudget`.
        package static let overBudget = Code(wrapped: .overBudget)
        /// The machine has no memory left. Not the picture's fault: worth another try.
        package static let outOfMemory = Code(wrapped: .outOfMemory)
        /// A mistake of this program.
        package static let internalError = Code(wrapped: .internalError)
    }

    /// The reason for programs.
    package var code: Code
    /// What happened, with the value, and what to do. Holds no file names and nothing from the picture.
    package var message: String

    /// Whether the same bytes may succeed later: true only when memory was short.
    package var isTransient: Bool { self.code == .outOfMemory }

    /// Takes code and message.
    package init(code: Code, message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { "\(self.code): \(self.message)" }
}
