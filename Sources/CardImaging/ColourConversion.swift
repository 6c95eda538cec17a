import CImaging

/// The conversion of colours to sRGB, which readers assume for a JPEG without profile.
///
/// - A matrix/TRC profile (Display P3, Adobe RGB and nearly all cameras and phones) is applied and dropped.
/// - An RGB profile made of tables, which only a colour engine can apply, stays in the output.
/// - A profile that is sRGB, damaged, too large, or for another colour space (CMYK and grey are converted naively) is dropped.
enum ColourConversion {
    /// The pixels are sRGB, or no usable profile is known.
    case none
    case matrix(idci_colour_transform)
    case embed([UInt8])

    var changesColours: Bool { if case .matrix = self { true } else { false } }

    var embeddedProfile: [UInt8] { if case .embed(let profile) = self { profile } else { [] } }

    init(profile: [UInt8]) {
        let parsed = profile.count <= ImagingLimits.maxProfileBytes ? ICCProfile(profile) : nil
        guard let parsed, parsed.isRGB else {
            self = .none
            return
        }
        guard let transform = parsed.transformToSRGB() else {
            self = .embed(profile)
            return
        }
        self = Self.leavesColoursAlone(transform) ? .none : .matrix(transform)
    }

    /// Whether no colour of a coarse grid changes by more than two steps of 255, as with the many variants of sRGB.
    private static func leavesColoursAlone(_ transform: idci_colour_transform) -> Bool {
        let steps: [UInt8] = [0, 16, 64, 128, 192, 240, 255]
        var grid: [UInt8] = []
        for red in steps {
            for green in steps {
                for blue in steps { grid += [red, green, blue, 255] }
            }
        }
        var converted = grid
        withUnsafePointer(to: transform) { idci_pixels_to_srgb(&converted, converted.count / 4, $0) }
        return zip(grid, converted).allSatisfy { abs(Int($0) - Int($1)) <= 2 }
    }
}
