import CImaging
import Glibc
import SystemPackage

/// Prepares a grey picture for reading.
extension Raster {
    /// Evens out light and shadow: every pixel is divided by the mean of its surroundings, which then becomes 205.
    ///
    /// - Parameter radius: half the side, in pixels, of the square whose mean counts as the background.
    func flattened(radius: Int) -> Raster {
        self.made(width: self.width, height: self.height, channels: 1) { source, target in
            self.forEachMean(radius: radius) { index, mean in
                target[index] = UInt8(min(255, Double(source[index]) * 205 / max(mean, 1) + 0.5))
            }
        }
    }

    /// Stretches the contrast of an evened-out picture: ink becomes black, the background white.
    func stretched() -> Raster {
        let (ink, ground) = (40.0, 180.0)
        let table = (0..<256).map { UInt8(min(255, max(0, (Double($0) - ink) * 255 / (ground - ink) + 0.5))) }
        return Raster(width: self.width, height: self.height, pixels: self.pixels.map { table[Int($0)] })
    }

    /// Blurs by a Gaussian of the given standard deviation in pixels, which is above 0.
    func blurred(sigma: Double) -> Raster {
        let radius = Int((3 * sigma).rounded(.up))
        let curve = (0...radius).map { Float(exp(-0.5 * Double($0 * $0) / (sigma * sigma))) }
        let total = curve.dropFirst().reduce(curve[0]) { $0 + 2 * $1 }
        let weights = curve.map { $0 / total }
        let (width, height) = (self.width, self.height)
        var plain = self.pixels.map { Float($0) }
        var rows = plain
        plain.withUnsafeMutableBufferPointer { plain in
            rows.withUnsafeMutableBufferPointer { rows in
                guard let plain = plain.baseAddress, let rows = rows.baseAddress else { return }
                for y in 0..<height {
                    Self.convolve(plain + y * width, count: width, stride: 1, with: weights, to: rows + y * width)
                }
                for x in 0..<width {
                    Self.convolve(rows + x, count: height, stride: width, with: weights, to: plain + x)
                }
            }
        }
        return Raster(width: width, height: height, pixels: plain.map { UInt8(min(255, $0 + 0.5)) })
    }

    /// Convolves one row or column; the outermost samples repeat.
    private static func convolve(
        _ line: UnsafePointer<Float>,
        count: Int,
        stride: Int,
        with weights: [Float],
        to target: UnsafeMutablePointer<Float>
    ) {
        weights.withUnsafeBufferPointer { weights in
            for position in 0..<count {
                var sum = weights[0] * line[position * stride]
                for step in 1..<weights.count {
                    let before = position < step ? 0 : position - step
                    let after = position + step < count ? position + step : count - 1
                    sum += weights[step] * (line[before * stride] + line[after * stride])
                }
                target[position * stride] = sum
            }
        }
    }

    /// Calls `body` with every pixel's index and the mean of the square of side `2 * radius + 1` around it.
    func forEachMean(radius: Int, _ body: (_ index: Int, _ mean: Double) -> Void) {
        let (width, height, stride) = (self.width, self.height, self.width + 1)
        self.summedAreas().withUnsafeBufferPointer { buffer in
            guard let table = buffer.baseAddress else { return }
            for y in 0..<height {
                let top = y > radius ? y - radius : 0
                let bottom = y + radius + 1 < height ? y + radius + 1 : height
                let (upper, lower) = (table + top * stride, table + bottom * stride)
                for x in 0..<width {
                    let left = x > radius ? x - radius : 0
                    let right = x + radius + 1 < width ? x + radius + 1 : width
                    // Differences of wrapped sums are right as long as the square's own sum fits.
                    let sum = lower[right] &- lower[left] &- upper[right] &+ upper[left]
                    body(y * width + x, Double(sum) / Double((right - left) * (bottom - top)))
                }
            }
        }
    }

    /// Returns the sum of the pixels above and left of each pixel, preceded by one row and one column of zeros.
    private func summedAreas() -> [UInt32] {
        let (width, height, stride) = (self.width, self.height, self.width + 1)
        var sums = [UInt32](repeating: 0, count: stride * (height + 1))
        sums.withUnsafeMutableBufferPointer { buffer in
            guard let table = buffer.baseAddress else { return }
            self.withSamples { samples in
                for y in 0..<height {
                    let (line, above, here) = (samples + y * width, table + y * stride, table + (y + 1) * stride)
                    var row: UInt32 = 0
                    for x in 0..<width {
                        row += UInt32(line[x])
                        here[x + 1] = above[x + 1] &+ row
                    }
                }
            }
        }
        return sums
    }

    /// Returns the picture as a PGM file ("P5", Netpbm) in memory, for another program; the caller closes it.
    ///
    /// Not a pipe: swift-subprocess 1.0 does not handle `SIGPIPE`, and traps when the reader exits before all is
    /// written (its issue 367): a program that exits early would crash the service.
    ///
    /// - Throws: `Errno` when no descriptor or memory is available.
    func portableGreymapFile() throws -> FileDescriptor {
        let number = idci_memory_file()
        guard number >= 0 else { throw Errno(rawValue: errno) }
        let file = FileDescriptor(rawValue: number)
        do {
            try file.writeAll("P5\n\(self.width) \(self.height)\n255\n".utf8)
            try file.writeAll(self.pixels)
            try file.seek(offset: 0, from: .start)
            return file
        } catch {
            try? file.close()
            throw error
        }
    }
}
