import CJPEG

extension PixelBuffer {
    /// Makes a picture of `target` size from source rows as they come, so that the source is never held as a whole.
    ///
    /// - Parameter feed: Hands every row from top to bottom to `idc_resampler_push` with the context it is given.
    static func resampled(
        from source: PixelSize,
        to target: PixelSize,
        feed: (UnsafeMutableRawPointer) throws(ImagingError) -> Void
    ) throws(ImagingError) -> PixelBuffer {
        let pixels = try PixelBuffer(size: target)
        let resampler = idc_resampler_create(
            UInt32(source.width),
            UInt32(source.height),
            UInt32(target.width),
            UInt32(target.height),
            pixels.bytes
        )
        guard let resampler else {
            throw ImagingError(IDC_JPEG_OUT_OF_MEMORY, detail: "resampling \(source.width)×\(source.height) pixels")
        }
        defer { idc_resampler_destroy(resampler) }
        try feed(UnsafeMutableRawPointer(resampler))
        guard idc_resampler_is_complete(resampler) else {
            throw ImagingError(IDC_JPEG_INTERNAL, detail: "fewer rows than the picture has")
        }
        return pixels
    }

    /// A smaller copy.
    func reduced(to target: PixelSize) throws(ImagingError) -> PixelBuffer {
        try PixelBuffer.resampled(from: self.size, to: target) { context in
            for y in 0..<self.size.height {
                _ = idc_resampler_push(context, self.bytes + y * self.stride, UInt32(y))
            }
        }
    }
}
