import CJPEG
import CPNGReader

extension ImagingError {
    /// Translates a status of the JPEG shim; `detail` is its message.
    init(_ status: idc_jpeg_status, detail: String) {
        let code: Code =
            switch status {
            case IDC_JPEG_CORRUPT: .corrupt
            case IDC_JPEG_TRUNCATED: .truncated
            case IDC_JPEG_TOO_MANY_PIXELS: .tooManyPixels
            case IDC_JPEG_EDGE_TOO_LONG: .edgeTooLong
            case IDC_JPEG_TOO_MUCH_MEMORY: .decodeMemory
            case IDC_JPEG_TOO_MANY_SCANS: .tooManyScans
            case IDC_JPEG_UNSUPPORTED: .unsupportedCoding
            case IDC_JPEG_OUT_OF_MEMORY: .outOfMemory
            case IDC_JPEG_TOO_SLOW: .decodeTime
            case IDC_JPEG_OVER_CEILING: .overBudget
            default: .internalError
            }
        self.init(code: code, message: Self.sentence(for: code, format: .jpeg, detail: detail))
    }

    /// Translates a status of the PNG reader; `detail` is its message.
    init(_ status: idc_png_status, detail: String) {
        let code: Code =
            switch status {
            case IDC_PNG_CORRUPT: .corrupt
            case IDC_PNG_TRUNCATED: .truncated
            case IDC_PNG_TOO_MANY_PIXELS: .tooManyPixels
            case IDC_PNG_EDGE_TOO_LONG: .edgeTooLong
            case IDC_PNG_TOO_MUCH_MEMORY: .decodeMemory
            case IDC_PNG_OUT_OF_MEMORY: .outOfMemory
            case IDC_PNG_TOO_SLOW: .decodeTime
            default: .internalError
            }
        self.init(code: code, message: Self.sentence(for: code, format: .png, detail: detail))
    }

    /// The refusal of a format that cannot be read.
    init(unreadable format: ImageFormat) {
        let message =
            format == .unknown
            ? "not an image in a known format: supply a JPEG or PNG photo of the card"
            : "\(format.displayName) image: export it as JPEG or PNG and supply that"
        self.init(code: .unsupportedFormat, message: message)
    }

    private static func sentence(for code: Code, format: ImageFormat, detail: String) -> String {
        let what = "\(format.displayName) image"
        return switch code {
        case .corrupt: "damaged \(what) (\(detail)): supply the original file again"
        case .truncated: "incomplete \(what) (\(detail)): supply the whole file again"
        case .tooManyPixels, .edgeTooLong: "\(what) too large (\(detail)): supply a smaller one"
        case .tooManyScans: "\(what) with too many scans (\(detail)): save it as baseline JPEG"
        case .decodeMemory: "\(what) too large to decode (\(detail)): save it smaller and not progressive or interlaced"
        case .decodeTime: "\(what) too slow to decode (\(detail)): save it smaller, as baseline JPEG"
        case .unsupportedCoding: "\(what) of an unusual kind (\(detail)): save it as baseline JPEG"
        case .outOfMemory: "no memory to process the \(what) (\(detail)): try again with fewer workers"
        default: "cannot process the \(what) (\(detail)): report this as a defect"
        }
    }
}
