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
