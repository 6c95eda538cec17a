package import Foundation

/// A picture ready to be sent, and what became of its source.
package struct RecompressedImage: Hashable, Sendable {
    /// A JPEG stream: upright, no metadata (a colour profile that cannot be converted is the one thing kept).
    package var jpeg: Data
    /// Width in pixels, upright.
    package var width: Int
    /// Height in pixels, upright.
    package var height: Int
    /// The quality used in libjpeg's scale 1…100, or nil when the source passed through.
    package var libjpegQuality: Int?
    /// What the source was.
    package var sourceFormat: ImageFormat
    /// The source's width in pixels as stored, before orientation.
    package var sourceWidth: Int
    /// The source's height in pixels as stored, before orientation.
    package var sourceHeight: Int
    /// The source's Exif orientation 1…8; 1 when it had none.
    package var sourceOrientation: Int

    /// Whether `jpeg` is the source, byte for byte.
    package var passedThrough: Bool { self.libjpegQuality == nil }
}
