/// Changes the size and shape of a picture.
extension Raster {
    /// Returns the picture averaged down so that its longer edge is at most `edge` pixels.
    func reduced(toLongestEdge edge: Int) -> Raster {
        let longest = max(self.width, self.height)
        guard longest > edge else { return self }
        let (width, height) = (max(1, self.width * edge / longest), max(1, self.height * edge / longest))
        return self.made(width: width, height: height, channels: self.channels) { source, target in
            var out = target
            for row in 0..<height {
                let top = row * self.height / height
                let bottom = max(top + 1, (row + 1) * self.height / height)
                for column in 0..<width {
                    let left = column * self.width / width
                    let right = max(left + 1, (column + 1) * self.width / width)
                    self.average(of: source, x: left..<right, y: top..<bottom, to: out)
                    out += self.channels
                }
            }
        }
    }

    private func average(of source: Samples, x: Range<Int>, y: Range<Int>, to out: Target) {
        let (left, right, bottom) = (x.lowerBound, x.upperBound, y.upperBound)
        let channels = self.channels
        let count = (right - left) * (bottom - y.lowerBound)
        for channel in 0..<channels {
            var sum = count / 2
            for row in y.lowerBound..<bottom {
                var pixel = source + ((row * self.width + left) * channels + channel)
                for _ in left..<right {
                    sum += Int(pixel[0])
                    pixel += channels
                }
            }
            out[channel] = UInt8(sum / count)
        }
    }

    /// Returns the content of a quadrilateral as an upright rectangle.
    func rectified(_ quad: Quad, width: Int, height: Int) -> Raster {
        self.warped(by: quad.mapFromRectangle(width: Double(width), height: Double(height)), width, height)
    }

    /// Enlarges or shrinks by interpolation between pixels.
    func scaled(by factor: Double) -> Raster {
        let width = max(1, Int((Double(self.width) * factor).rounded()))
        let height = max(1, Int((Double(self.height) * factor).rounded()))
        return self.warped(by: [1 / factor, 0, 0, 0, 1 / factor, 0, 0, 0, 1], width, height)
    }

    /// Interpolates between pixels; points outside get the nearest edge pixel.
    ///
    /// - Parameter map: a row-major 3 x 3 matrix from the result's coordinates to this one's, pixel centres at .5.
    private func warped(by map: [Double], _ width: Int, _ height: Int) -> Raster {
        let (m0, m1, m2, m3, m4, m5) = (map[0], map[1], map[2], map[3], map[4], map[5])
        let (m6, m7, m8) = (map[6], map[7], map[8])
        return self.made(width: width, height: height, channels: self.channels) { source, target in
            var out = target
            for row in 0..<height {
                let v = Double(row) + 0.5
                for column in 0..<width {
                    let u = Double(column) + 0.5
                    let w = m6 * u + m7 * v + m8
                    let x = (m0 * u + m1 * v + m2) / w - 0.5
                    let y = (m3 * u + m4 * v + m5) / w - 0.5
                    self.sample(source, x, y, to: out)
                    out += self.channels
                }
            }
        }
    }

    private func sample(_ source: Samples, _ x: Double, _ y: Double, to out: Target) {
        let channels = self.channels
        // Written so that a NaN becomes 0.
        func clamped(_ value: Double, to last: Int) -> Double { value > 0 ? min(value, Double(last)) : 0 }
        let (left, top) = (clamped(x, to: self.width - 1), clamped(y, to: self.height - 1))
        let (x0, y0) = (Int(left), Int(top))
        let right = x0 + 1 < self.width ? channels : 0
        let below = y0 + 1 < self.height ? self.width * channels : 0
        let (fx, fy) = (Int((left - Double(x0)) * 256), Int((top - Double(y0)) * 256))
        let a = source + (y0 * self.width + x0) * channels
        let c = a + below
        for channel in 0..<channels {
            let upper = Int(a[channel]) * (256 - fx) + Int(a[channel + right]) * fx
            let lower = Int(c[channel]) * (256 - fx) + Int(c[channel + right]) * fx
            out[channel] = UInt8((upper * (256 - fy) + lower * fy + 32_768) >> 16)
        }
    }

    /// Cuts a rectangle out of a grey picture, clipped to it; at least one pixel remains.
    func cropped(x: Range<Int>, y: Range<Int>) -> Raster {
        let left = min(max(x.lowerBound, 0), self.width - 1)
        let right = min(max(x.upperBound, left + 1), self.width)
        let top = min(max(y.lowerBound, 0), self.height - 1)
        let bottom = min(max(y.upperBound, top + 1), self.height)
        let rows = (top..<bottom).map { self.pixels[($0 * self.width + left)..<($0 * self.width + right)] }
        return Raster(width: right - left, height: bottom - top, pixels: Array(rows.joined()))
    }

    /// Adds a white margin around a grey picture.
    func padded(by margin: Int) -> Raster {
        let width = self.width + 2 * margin
        let (edge, side) = ([UInt8](repeating: 255, count: width * margin), [UInt8](repeating: 255, count: margin))
        var pixels = edge
        for row in 0..<self.height {
            pixels += side + self.pixels[(row * self.width)..<((row + 1) * self.width)] + side
        }
        return Raster(width: width, height: self.height + 2 * margin, pixels: pixels + edge)
    }
}
