package import CardModel

extension ReasonCode {
    /// A path or pattern matches nothing.
    package static let inputNotFound = ReasonCode(rawValue: "input_not_found")
    /// A named folder cannot be listed, or a path names neither a file nor a folder.
    package static let inputUnreadable = ReasonCode(rawValue: "input_unreadable")
    /// A list has more than `InputLimits.inputs` files.
    package static let tooManyInputs = ReasonCode(rawValue: "too_many_inputs")
    /// The manifest does not exist or cannot be read.
    package static let manifestUnreadable = ReasonCode(rawValue: "manifest_unreadable")
    /// The manifest has unknown columns, or a row that cannot be understood.
    package static let manifestInvalid = ReasonCode(rawValue: "manifest_invalid")
    /// Rows of a manifest for one photo and business number differ.
    package static let rowConflict = ReasonCode(rawValue: "row_conflict")
    /// The manifest has more than `InputLimits.manifestBytes`.
    package static let manifestTooLarge = ReasonCode(rawValue: "manifest_too_large")
    /// The sidecar of an image cannot be read or understood.
    package static let sidecarInvalid = ReasonCode(rawValue: "sidecar_invalid")
    /// The rule for business numbers in paths is invalid.
    package static let businessNumberRuleInvalid = ReasonCode(rawValue: "business_no_from_invalid")
    /// A watched folder does not exist, is not a folder, cannot be opened or does not answer.
    package static let watchFolderMissing = ReasonCode(rawValue: "watch_folder_missing")
    /// Two watched folders overlap, or one is in the sandbox or an archive.
    package static let watchFoldersOverlap = ReasonCode(rawValue: "watch_folders_overlap")
    /// Files cannot be moved in a watched folder.
    package static let watchFolderReadOnly = ReasonCode(rawValue: "watch_folder_read_only")
    /// `done` or `failed` of a watched folder is a separate mount.
    package static let watchFolderMounted = ReasonCode(rawValue: "watch_folder_mounted")
    /// Another sandbox watches a folder.
    package static let watchFolderClaimed = ReasonCode(rawValue: "watch_folder_claimed")
    /// A watched folder cannot be marked, and another sandbox may watch it too.
    package static let watchFolderUnmarked = ReasonCode(rawValue: "watch_folder_unmarked")
    /// inotify is not available: a watched folder is polled.
    package static let watchPolls = ReasonCode(rawValue: "watch_polls")
    /// A file of a watched folder cannot be archived or deleted.
    package static let archivingFailed = ReasonCode(rawValue: "put_away_failed")
    /// A folder or name below a watched folder cannot be read.
    package static let watchFolderUnreadable = ReasonCode(rawValue: "watch_folder_unreadable")
    /// A sidecar or done-marker of a watched folder has no photo.
    package static let photoMissing = ReasonCode(rawValue: "photo_missing")
    /// A photo of a watched folder waits for its sidecar (`watch.sidecar: required`).
    package static let sidecarMissing = ReasonCode(rawValue: "sidecar_missing")
    /// A photo of a watched folder waits for its done-marker (`watch.done_marker`).
    package static let doneMarkerMissing = ReasonCode(rawValue: "done_marker_missing")
    /// The sidecar of a photo came after its card was put into a delivery.
    package static let sidecarLate = ReasonCode(rawValue: "sidecar_late")
}
