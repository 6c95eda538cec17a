import CJPEG

/// How one grey value is made of three colours.
enum Greying: Sendable {
    /// As the eye sees it (Rec. 601).
    case luma

    /// The brightest colour: black ink stays dark while coloured labels and the guilloche fade.
    case brightest

    var code: Int32 {
        switch self {
        case .luma: Int32(IDC_RASTER_LUMA.rawValue)
        case .brightest: Int32(IDC_RASTER_MAX.rawValue)
        }
    }
}
