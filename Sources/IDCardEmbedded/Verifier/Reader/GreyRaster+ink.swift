import CJPEG

extension GreyRaster {
    /// Black ink on white paper: greys of an evened-out picture below ink go to black, the ground to white.
    func stretched() -> GreyRaster {
        let pixels = [UInt8](unsafeUninitializedCapacity: self.pixels.count) { target, count in
            self.pixels.withUnsafeBufferPointer { source in
                idc_raster_stretch(source.baseAddress, source.count, 40, 180, target.baseAddress)
            }
            count = self.pixels.count
        }
        return GreyRaster(width: self.width, height: self.height, pixels: pixels)
    }

    /// Blurs by a Gaussian; on short memory the picture stays sharp.
    func blurred(sigma: Double) -> GreyRaster {
        var status: Int32 = 0
        let pixels = [UInt8](unsafeUninitializedCapacity: self.pixels.count) { target, count in
            self.pixels.withUnsafeBufferPointer { source in
                status = idc_raster_blur(source.baseAddress, self.width, self.height, sigma, target.baseAddress)
            }
            count = status == 0 ? self.pixels.count : 0
        }
        return status == 0 ? GreyRaster(width: self.width, height: self.height, pixels: pixels) : self
    }

    /// Puts white paper around the picture.
    func padded(by margin: Int) -> GreyRaster {
        let width = self.width + 2 * margin
        var pixels = [UInt8](repeating: 255, count: width * margin)
        pixels.reserveCapacity(width * (self.height + 2 * margin))
        let side = [UInt8](repeating: 255, count: margin)
        for row in 0..<self.height {
            pixels += side
            pixels += self.pixels[(row * self.width)..<((row + 1) * self.width)]
            pixels += side
        }
        pixels += [UInt8](repeating: 255, count: width * margin)
        return GreyRaster(width: width, height: self.height + 2 * margin, pixels: pixels)
    }
}
