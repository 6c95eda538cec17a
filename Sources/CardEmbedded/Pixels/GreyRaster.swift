import CImaging
import Glibc
import SystemPackage

/// A grey picture in memory: packed rows, one byte per pixel, 0 is black.
struct GreyRaster: Sendable {
    let width: Int
    let height: Int
    let pixels: [UInt8]

    /// Cuts a rectangle out, clipped to the picture; at least one pixel remains.
    func cropped(x: Range<Int>, y: Range<Int>) -> GreyRaster {
        let left = min(max(x.lowerBound, 0), self.width - 1)
        let right = min(max(x.upperBound, left + 1), self.width)
        let top = min(max(y.lowerBound, 0), self.height - 1)
        let bottom = min(max(y.upperBound, top + 1), self.height)
        var cut: [UInt8] = []
        cut.reserveCapacity((right - left) * (bottom - top))
        for row in top..<bottom {
            cut.append(contentsOf: self.pixels[(row * self.width + left)..<(row * self.width + right)])
        }
        return GreyRaster(width: right - left, height: bottom - top, pixels: cut)
    }

    /// Evens out light and shadow: every pixel is divided by the mean of its surroundings, which then becomes 205.
    ///
    /// - Parameter radius: half the side, in pixels, of the square whose mean counts as the ground.
    func flattened(radius: Int) -> GreyRaster {
        let means = LocalMeans(of: self)
        return self.mapped { source, target in
            means.forEach(radius: radius) { index, mean in
                target[index] = UInt8(min(255, Double(source[index]) * 205 / max(mean, 1) + 0.5))
            }
        }
    }

    /// Black ink on white paper: greys of an evened-out picture below ink go to black, the ground to white.
    func stretched() -> GreyRaster {
        let (ink, ground) = (40.0, 180.0)
        let table = (0..<256).map { UInt8(min(255, max(0, (Double($0) - ink) * 255 / (ground - ink) + 0.5))) }
        return self.mapped { source, target in
            table.withUnsafeBufferPointer { table in
                var index = 0
                while index < self.pixels.count {
                    target[index] = table[Int(source[index])]
                    index += 1
                }
            }
        }
    }

    /// Blurs by a Gaussian.
    func blurred(sigma: Double) -> GreyRaster {
        let pixels = PixelLoops.with(self.pixels, self.width, self.height, channels: 1) { source in
            PixelLoops.samples(self.pixels.count) { PixelLoops.blur(source, sigma: sigma, to: $0) }
        }
        return GreyRaster(width: self.width, height: self.height, pixels: pixels)
    }

    /// Enlarges or shrinks by sampling between the pixels.
    func scaled(by factor: Double) -> GreyRaster {
        let width = max(1, Int((Double(self.width) * factor).rounded()))
        let height = max(1, Int((Double(self.height) * factor).rounded()))
        let map: [Double] = [1 / factor, 0, 0, 0, 1 / factor, 0, 0, 0, 1]
        let pixels = PixelLoops.with(self.pixels, self.width, self.height, channels: 1) { source in
            PixelLoops.samples(width * height) {
                PixelLoops.warp(source, by: map, to: $0, width: width, height: height)
            }
        }
        return GreyRaster(width: width, height: height, pixels: pixels)
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

    /// The picture as a PGM file ("P5", Netpbm) in memory, to be handed to another program; whoever gets it closes it.
    ///
    /// A pipe would do, but swift-subprocess 1.0 writes to pipes without minding `SIGPIPE`, and traps when the reader
    /// is gone before all is written (its issue 367): a program that dies early would take the service along.
    ///
    /// - Throws: `Errno` when no descriptor or no memory is to be had.
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

    private func mapped(_ body: (PixelLoops.Samples, PixelLoops.Target) -> Void) -> GreyRaster {
        let pixels = PixelLoops.with(self.pixels, self.width, self.height, channels: 1) { source in
            PixelLoops.samples(self.pixels.count) { body(source.samples, $0) }
        }
        return GreyRaster(width: self.width, height: self.height, pixels: pixels)
    }
}

/// The mean grey around every pixel of a picture, by a summed-area table.
struct LocalMeans {
    private let width: Int
    private let height: Int
    /// One row and one column of zeros stand in front.
    private let sums: [UInt32]

    init(of picture: GreyRaster) {
        let (width, height) = (picture.width, picture.height)
        let stride = width + 1
        self.width = width
        self.height = height
        self.sums = [UInt32](unsafeUninitializedCapacity: stride * (height + 1)) { buffer, initialized in
            guard let table = buffer.baseAddress else { return }
            table.initialize(repeating: 0, count: stride * (height + 1))
            PixelLoops.with(picture.pixels, width, height, channels: 1) { source in
                var y = 0
                while y < height {
                    let (line, above, here) = (source.samples + y * width, table + y * stride, table + (y + 1) * stride)
                    var row: UInt32 = 0
                    var x = 0
                    while x < width {
                        row += UInt32(line[x])
                        here[x + 1] = above[x + 1] + row
                        x += 1
                    }
                    y += 1
                }
            }
            initialized = stride * (height + 1)
        }
    }

    /// Calls with every pixel's place and the mean of the square of side `2 * radius + 1` around it.
    func forEach(radius: Int, _ body: (_ index: Int, _ mean: Double) -> Void) {
        let (width, height, stride) = (self.width, self.height, self.width + 1)
        self.sums.withUnsafeBufferPointer { buffer in
            guard let table = buffer.baseAddress else { return }
            var y = 0
            while y < height {
                let top = y > radius ? y - radius : 0
                let bottom = y + radius + 1 < height ? y + radius + 1 : height
                let (upper, lower) = (table + top * stride, table + bottom * stride)
                var x = 0
                while x < width {
                    let left = x > radius ? x - radius : 0
                    let right = x + radius + 1 < width ? x + radius + 1 : width
                    // Differences of wrapped sums are right as long as the square's own sum fits.
                    let sum = lower[right] &- lower[left] &- upper[right] &+ upper[left]
                    body(y * width + x, Double(sum) / Double((right - left) * (bottom - top)))
                    x += 1
                }
                y += 1
            }
        }
    }
}
