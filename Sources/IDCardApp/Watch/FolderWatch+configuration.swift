import Foundation
import IDCardImaging
import IDCardPipeline
import IDCardTriggers
import Logging

extension FolderWatch {
    /// A watch as the configuration describes it.
    ///
    /// - Parameters:
    ///   - folders: the folders, instead of those of the configuration if there are any.
    ///   - userNumber: the user account of images without one of their own.
    convenience init(
        _ configuration: AppConfiguration,
        folders: [String] = [],
        userNumber: String? = nil,
        intake: any WatchIntake,
        logger: Logger,
        observer: @escaping @Sendable (WatchEvent) -> Void
    ) throws(WatchError) {
        let inputs = BatchOptions(
            userNumber: userNumber,
            businessNumberRule: configuration.businessNumberRule,
            recognisesImage: { bytes, _ in ImageFormat.sniff(bytes) != .unknown },
            isImageName: { ImageFormat.isImageExtension(($0 as NSString).pathExtension) },
            sandbox: configuration.sandboxPath
        )
        var settings = configuration.watch.settings(inputs)
        settings.requiresUserNumber = configuration.requiresUserNumber
        try self.init(
            roots: folders.isEmpty ? configuration.watch.folders : folders,
            settings: settings,
            intake: intake,
            logger: logger,
            observer: observer
        )
    }
}
