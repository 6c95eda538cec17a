/// A picture decoded and reduced, but neither turned upright nor converted.
struct DecodedImage: ~Copyable {
    let pixels: PixelBuffer
    let sourceSize: PixelSize
    let orientation: Orientation
    let colour: ColourConversion
}
