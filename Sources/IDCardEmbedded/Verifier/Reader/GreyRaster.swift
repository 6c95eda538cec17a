import CJPEG
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

    /// Evens out light and shadow: every pixel is judged against the mean of its surroundings.
    ///
    /// - Parameter radius: Half the side, in pixels, of the square whose mean counts as the ground.
    func flattened(radius: Int) -> GreyRaster {
        var status: Int32 = 0
        let flat = [UInt8](unsafeUninitializedCapacity: self.pixels.count) { target, count in
            self.pixels.withUnsafeBufferPointer { source in
                status = idc_raster_flatten(
                    source.baseAddress,
                    self.width,
                    self.height,
                    radius,
                    205,
                    target.baseAddress
                )
            }
            count = status == 0 ? self.pixels.count : 0
        }
        // Short memory: uneven light is worse to read, but no reason to fail.
        return status == 0 ? GreyRaster(width: self.width, height: self.height, pixels: flat) : self
    }

    /// Enlarges or shrinks by sampling between the pixels.
    func scaled(by factor: Double) -> GreyRaster {
        let width = max(1, Int((Double(self.width) * factor).rounded()))
        let height = max(1, Int((Double(self.height) * factor).rounded()))
        let map: [Double] = [1 / factor, 0, 0, 0, 1 / factor, 0, 0, 0, 1]
        let pixels = [UInt8](unsafeUninitializedCapacity: width * height) { target, count in
            self.pixels.withUnsafeBufferPointer { source in
                idc_raster_warp(source.baseAddress, self.width, self.height, 1, map, target.baseAddress, width, height)
            }
            count = width * height
        }
        return GreyRaster(width: width, height: height, pixels: pixels)
    }

    /// The picture as a PGM file in memory, to be handed to another program; whoever gets it closes it.
    ///
    /// A pipe would do, but swift-subprocess 1.0 writes to pipes without minding `SIGPIPE`, and traps when the reader
    /// is gone before all is written (its issue 367): a program that dies early would take the service along.
    ///
    /// - Throws: `Errno` when no descriptor or no memory is to be had.
    func portableGreymapFile() throws -> FileDescriptor {
        let file = idc_raster_pgm_in_memory(self.pixels, self.width, self.height)
        guard file >= 0 else { throw Errno(rawValue: errno) }
        return FileDescriptor(rawValue: file)
    }
}
