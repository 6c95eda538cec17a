import CJPEG

/// A colour picture in memory: packed rows of RGB, one byte per colour.
struct ColourRaster: Sendable {
    let width: Int
    let height: Int
    let pixels: [UInt8]

    /// Returns the picture averaged down so that its longer edge is at most `edge` pixels.
    func reduced(toLongestEdge edge: Int) -> ColourRaster {
        let longest = max(self.width, self.height)
        guard longest > edge else { return self }
        let width = max(1, self.width * edge / longest)
        let height = max(1, self.height * edge / longest)
        let pixels = [UInt8](unsafeUninitializedCapacity: width * height * 3) { target, count in
            self.pixels.withUnsafeBufferPointer { source in
                idc_raster_reduce(source.baseAddress, self.width, self.height, 3, target.baseAddress, width, height)
            }
            count = width * height * 3
        }
        return ColourRaster(width: width, height: height, pixels: pixels)
    }

    /// Returns what lies inside a quadrilateral as an upright rectangle.
    func rectified(_ quad: Quad, width: Int, height: Int) -> ColourRaster {
        let map = quad.mapFromRectangle(width: Double(width), height: Double(height))
        let pixels = [UInt8](unsafeUninitializedCapacity: width * height * 3) { target, count in
            self.pixels.withUnsafeBufferPointer { source in
                idc_raster_warp(source.baseAddress, self.width, self.height, 3, map, target.baseAddress, width, height)
            }
            count = width * height * 3
        }
        return ColourRaster(width: width, height: height, pixels: pixels)
    }

    /// Returns the picture in grey.
    func grey(_ kind: Greying = .luma) -> GreyRaster {
        let area = self.width * self.height
        let grey = [UInt8](unsafeUninitializedCapacity: area) { target, count in
            self.pixels.withUnsafeBufferPointer { source in
                idc_raster_to_grey(source.baseAddress, area, kind.code, target.baseAddress)
            }
            count = area
        }
        return GreyRaster(width: self.width, height: self.height, pixels: grey)
    }
}
