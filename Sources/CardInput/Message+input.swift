import CardModel

// Each message stands on one line.
// swift-format-ignore
extension Message {
    // MARK: Photos and folders

    static func inputTooManyPhotos(_ count: Int, _ number: BusinessNumber, limit: Int) -> Self { Self("input.too_many_photos", "\(count: count) photos have the business number \(code: number.rawValue), but one case has at most \(count: limit); give the folder that holds the folders of the cases, or set --business-no-from") }
    static func inputNoPhotos(_ count: Int, _ passed: Int) -> Self { Self("input.no_photos", "no photos found; files that are not images: \(count: count); skipped because of their names: \(count: passed); check the folder or manifest") }
    static let inputNotAFile = Self("input.not_a_file", "this is a pipe, socket or device; put the photo into a file")
    static func inputTooMany(_ limit: Int) -> Self { Self("input.too_many", "the list has more than \(count: limit) files; split it over several runs") }
    static func inputCannotOpen(_ error: Int32) -> Self { Self("input.cannot_open", "cannot open the file: \(errno: error); make it readable and run again") }
    static let inputIsFolder = Self("input.is_folder", "this is a folder, not a photo; name the file of the photo")
    static let inputNotRegular = Self("input.not_regular", "this is not a regular file; name the file of the photo")
    static let inputInSandbox = Self("input.in_sandbox", "the file belongs to the sandbox; name only photos outside it")
    static let inputOutsideManifest = Self("input.outside_manifest", "the file is outside the folder of its manifest; move the file there, or correct its path in the manifest")
    static let inputPathNotUTF8 = Self("input.path_not_utf8", "the path is not UTF-8; rename the file and run again")
    static let inputMissingBackslash = Self("input.missing_backslash", "no such file; write / instead of \\ in the path and run again")
    static let inputMissing = Self("input.missing", "no such file; check the path and run again")
    static func inputCannotOpenPath(_ error: Int32) -> Self { Self("input.cannot_open_path", "cannot open the file: \(errno: error); check the path and run again") }
    static let inputAmbiguous = Self("input.ambiguous", "no file has exactly this name, but several names differ from it only in accents or in capital and small letters; write the exact name of the file you mean")
    static func inputNeither(_ text: String) -> Self { Self("input.neither", "\(Redacted(text)) is neither a file nor a folder; name photos or folders of photos") }
    static func inputNamedCannotOpen(_ text: String, _ error: Int32) -> Self { Self("input.named_cannot_open", "cannot open \(Redacted(text)): \(errno: error); make it readable or leave it out") }
    static func inputNotFound(_ text: String) -> Self { Self("input.not_found", "no such file or folder: \(Redacted(text)); check its spelling") }
    static func inputNamedAmbiguous(_ text: String) -> Self { Self("input.named_ambiguous", "\(Redacted(text)): no file has exactly this name, but several names differ from it only in accents or in capital and small letters; write the exact name of the file you mean") }
    static func inputIsSandbox(_ text: String) -> Self { Self("input.is_sandbox", "\(Redacted(text)) is the sandbox or lies in it; name the folder of the photos") }
    static let inputSimilarUsed = Self("input.similar_used", "no such file; a file with a similar name exists, but is already listed; check the path and run again")
    static func inputCannotSniff(_ reason: Message) -> Self { Self("input.cannot_sniff", "cannot read the first bytes, which tell whether the file is an image: \(reason)") }
    static let inputNameNotUTF8 = Self("input.name_not_utf8", "the name is not UTF-8; rename the file and run again")
    static func inputCannotStat(_ error: Int32) -> Self { Self("input.cannot_stat", "cannot examine the file: \(errno: error); shorten a path that is too long, or repair the disk") }
    static func inputPatternUnreadable(_ text: String) -> Self { Self("input.pattern_unreadable", "the pattern \(Redacted(text)) leads through folders that cannot be read; make these folders readable, or name the folders with the photos one by one") }

    // MARK: Why a file cannot be read; behind a colon

    static let readNotRegular = Self("read.not_regular", "the file is not a regular file")
    static func readTooLarge(_ size: Int, _ limit: Int) -> Self { Self("read.too_large", "the file has \(bytes: size), more than \(bytes: limit)") }
    static let readChanged = Self("read.changed", "the file changed while it was read")

    // MARK: Photos

    static func sourceCannotRead(_ code: Int32) -> Self { Self("source.cannot_read", "cannot read the file: \(errno: code); make it readable and run again") }
    static func sourceTooLarge(_ size: Int, _ limit: Int) -> Self { Self("source.too_large", "the file has \(bytes: size), more than \(bytes: limit); save the photo smaller or raise imaging.max_source_bytes") }
    static let sourceChanged = Self("source.changed", "the file changed while it was read; run again")
    static let sourceReplaced = Self("source.replaced", "the file was replaced after it was listed; run again")

    // MARK: Folders

    static func folderNamedCannotList(_ text: String, _ error: Int32) -> Self { Self("folder.named_cannot_list", "cannot list the folder \(Redacted(text)): \(errno: error); make it readable or leave it out") }
    static func folderCannotList(_ error: Int32) -> Self { Self("folder.cannot_list", "cannot list this folder: \(errno: error); make it readable and run again") }

    // MARK: Symbolic links

    static let linkWatched = Self("link.watched", "symbolic links are not followed in a watched folder; put the file itself into the watched folder, or watch the folder of the target")
    static func linkBroken(_ error: Int32) -> Self { Self("link.broken", "broken symbolic link: \(errno: error); repair or remove it") }
    static let linkOutside = Self("link.outside", "the symbolic link leaves the named folder; name its target instead")
    static let linkIntoSandbox = Self("link.into_sandbox", "the symbolic link leads into the sandbox; remove it")

    // MARK: Manifests

    static func manifestRowConflict(_ row: Int, _ other: Int, _ number: BusinessNumber) -> Self { Self("manifest.row_conflict", "rows \(row) and \(other) of the manifest give different values for the same photo of business number \(code: number.rawValue); correct or remove one of them and run again") }
    static let manifestEncoding = Self("manifest.encoding", "the manifest is neither UTF-8, UTF-16 nor GB18030; save it as \"CSV UTF-8\"")
    static let manifestOpenQuote = Self("manifest.open_quote", "a quote in the manifest is never closed; close it and run again")
    static func manifestTooManyValues(_ count: Int, _ count2: Int) -> Self { Self("manifest.too_many_values", "the row has more values than there are columns (\(count: count) and \(count: count2))") }
    static let manifestWorkbook = Self("manifest.workbook", "the manifest is a workbook; save it as \"CSV UTF-8\"")
    static let manifestJSONName = Self("manifest.json_name", "the manifest is JSON, but its name does not end in .jsonl; write one object per line into a .jsonl file")
    static let manifestStrayQuote = Self("manifest.stray_quote", "a quote is misplaced: it stands inside an unquoted value, or text follows a closing quote; if a number is written as =\"00123\" to keep it as text, format the column as text instead")
    static func manifestUnknownColumns(_ names: Redacted<String>, known: String) -> Self { Self("manifest.unknown_columns", "the manifest has unknown columns: \(names); known are \(code: known)") }
    static func manifestColumnTwice(_ name: String) -> Self { Self("manifest.column_twice", "the manifest has the column \(code: name) twice; remove one of them") }
    static func manifestNoHeader(_ names: String) -> Self { Self("manifest.no_header", "the first row of the manifest has no column named \"path\" or \"文件\"; name the columns in the first row, separated by commas, not by semicolons or tabs (known columns are \(code: names))") }
    static let manifestNoPath = Self("manifest.no_path", "there is no path")
    static let manifestPathZeroByte = Self("manifest.path_zero_byte", "the path contains a zero byte")
    static func manifestRow(_ number: Int, _ reason: Message) -> Self { Self("manifest.row", "row \(number) of the manifest: \(reason)") }
    static func manifestCannotRead(_ text: String, _ reason: Message) -> Self { Self("manifest.cannot_read", "cannot read the manifest \(Redacted(text)): \(reason); check its path") }
    static func manifestTooLarge(_ reason: Message) -> Self { Self("manifest.too_large", "cannot read the manifest: \(reason); split it over several runs") }
    static func manifestChanged(_ text: String, _ reason: Message) -> Self { Self("manifest.changed", "cannot read the manifest \(Redacted(text)): \(reason); run again") }
    static func manifestRowInvalid(_ row: Int, _ reason: Message) -> Self { Self("manifest.row_invalid", "cannot use row \(row) of the manifest: \(reason); correct it and run again") }

    // MARK: Rows and sidecars

    static func recordUnknownKeys(_ names: Redacted<String>, known: String) -> Self { Self("record.unknown_keys", "there are unknown keys: \(names); known are \(code: known)") }
    static let recordMalformed = Self("record.malformed", "expected a JSON object whose values are strings or whole numbers, such as {\"business_no\": \"LOAN-1\"}")
    static let recordInexactNumber = Self("record.inexact_number", "a number is written with a fraction or an exponent (such as 1.23457E+15) and may have lost digits; write the whole number as a string in quotes")
    static func recordDuplicate(_ duplicates: [String]) -> Self { Self("record.duplicate", "a key is given more than once (\(codes: duplicates)), so its value is uncertain; give each key once") }

    // MARK: Sidecars

    static func sidecarField(_ reason: Message) -> Self { Self("sidecar.field", "in the sidecar: \(reason)") }
    static func sidecarUnusable(_ reason: Message) -> Self { Self("sidecar.unusable", "cannot use the sidecar of the photo: \(reason); repair or remove it") }
    static func sidecarName(_ stray: String) -> Self { Self("sidecar.name", "the sidecar \(Redacted(stray)) is not named after its photo; the sidecar of front.jpg, for example, is front.jpg.json; rename the file, or move it away if it is not a sidecar") }
    static func sidecarTwice(_ joined: String) -> Self { Self("sidecar.twice", "the photo has several sidecars (\(Redacted(joined))); keep one of them") }

    // MARK: The rule of business numbers; behind the name of the key or option

    static func numberRuleLevel(_ range: ClosedRange<Int>) -> Self { Self("number_rule.level", "the level must be a whole number from \(range.lowerBound) to \(range.upperBound), as in folder:2") }
    static let numberRuleUnknown = Self("number_rule.unknown", "the rule must be root, folder, folder:LEVEL, pattern:REGEX or none")
    static func numberRuleRegex(_ String: String) -> Self { Self("number_rule.regex", "the pattern is not a regular expression: \(code: String)") }
    static func numberRuleGroups(_ count: Int, _ groupName: String) -> Self { Self("number_rule.groups", "the pattern has \(count: count) groups; write exactly one, around the business number, as in pattern:^([^/]+)/; if you need more groups, name the one around the business number: (?<\(code: groupName)>…)") }

    // MARK: No business number

    static let noNumberRuleNone = Self("no_number.rule_none", "intake.business_no_from (or --business-no-from of run) is none; set another rule")
    static let noNumberPattern = Self("no_number.pattern", "the path of the photo, starting below the named folder, does not match the pattern of intake.business_no_from (or --business-no-from of run); correct the pattern")
    static let noNumberNamedPhoto = Self("no_number.named_photo", "the photo takes no business number from its folder, because the photo was given by its own path, by a pattern or in a manifest; give the folder that holds the folder of the case, or take the number from the path: --business-no-from pattern:REGEX")
    static let noNumberRoot = Self("no_number.root", "the named folder has several names, or holds the files of done or failed; name the folder of the photos")
    static func noNumberTooShallow(_ level: Int) -> Self { Self("no_number.too_shallow", "the photo is not deep enough in the folders; the rule folder:\(level) takes the name of the folder at level \(level) below the named folder; move the photo, or change intake.business_no_from (or --business-no-from of run)") }
    static let noNumberInNamedFolder = Self("no_number.in_named_folder", "the photo lies in the named folder itself, not in a folder of its case; put the photo into a folder named after the case; if the named folder already has the name of the case, set intake.business_no_from to root instead (or run with --business-no-from root)")
    static func noNumberTooDeep(_ count: Int) -> Self { Self("no_number.too_deep", "it is unclear which folder names the case: the photo lies \(count: count) folders below the named folder; set intake.business_no_from (or --business-no-from of run) to folder:1 if the case has the name of the first of these folders, or to folder:\(count) if the case has the name of the last one") }
    static func noNumberMissing(_ why: Message) -> Self { Self("no_number.missing", "no business number: \(why); you can also give the number in a sidecar (IMAGE.json beside IMAGE); for the command run, also with --business-no or in the column business_no of a manifest") }
    static let noNumberFolderName = Self("no_number.folder_name", "the folder's name is not a business number: it is the name of a new folder, a copy, a system folder, or a folder that cameras, messengers or scanners make, or it is the word \"done\" or \"failed\"; rename the folder to the business number of the case")

    // MARK: Business numbers

    static func businessNumberOfPath(_ text: String, _ reason: Message) -> Self { Self("business_number.of_path", "cannot use the business number \(Redacted(text)) from the path of the photo: \(reason)") }
    static func businessNumberConflict(_ number: BusinessNumber, folder: BusinessNumber) -> Self { Self("business_number.conflict", "the sidecar gives the business number \(code: number.rawValue), but the folder gives \(code: folder.rawValue); correct the sidecar, move the photo, or give the number in a manifest") }

    // MARK: Watched folders

    static let watchWaitsForMarker = Self("watch.waits_for_marker", "the photo waits for its done marker (watch.done_marker); write the marker beside it once the photo is complete")
    static let watchWaitsForSidecar = Self("watch.waits_for_sidecar", "the photo waits for its sidecar (watch.sidecar is required); put one beside it, or set watch.sidecar to optional")
    static let watchPhotoMissing = Self("watch.photo_missing", "the photo that belongs to this file is missing; put that photo beside the file, or remove the file")
    static func watchUnfinished(_ reason: Message) -> Self { Self("watch.unfinished", "the photo is incomplete, and a file beside it says that its download is not finished (\(reason)); finish the download, or delete both files") }
    static func watchPollsWatches(every poll: Duration) -> Self { Self("watch.polls_watches", "inotify has no watches left, so the folders are scanned every \(poll); raise fs.inotify.max_user_watches, or set watch.mode to polling") }
    static func watchPollsInstances(every poll: Duration) -> Self { Self("watch.polls_instances", "inotify has no instances left, so the folders are scanned every \(poll); raise fs.inotify.max_user_instances, or set watch.mode to polling") }
    static func watchPolls(_ error: Int32, every poll: Duration) -> Self { Self("watch.polls", "inotify fails for at least one folder (\(errno: error)), so the folders are scanned every \(poll); check the limits of the system, or set watch.mode to polling") }
    static func watchUnusable(_ count: Int, _ first: Message) -> Self { Self("watch.unusable", one: "\(count: count) file or folder cannot be used: \(first)", other: "\(count: count) files or folders cannot be used; the first: \(first)") }
    static func watchCannotDelete(_ cause: Message) -> Self { Self("watch.cannot_delete", "cannot delete a file that is already imported: \(cause); check the permissions of the watched folder, and its file system") }
    static func watchCannotMove(_ cause: Message) -> Self { Self("watch.cannot_move", "cannot move a file to the folder done or failed: \(cause); if the file was imported, its card is safe in the sandbox; check first the free space, then the permissions of the watched folder and of its folders done and failed; also check that no folder in the watched folder is a mount") }
    static func watchOthersFolder(mark: Redacted<String>) -> Self { Self("watch.others_folder", "another sandbox watches this folder; do not watch it from this sandbox; only if the other sandbox no longer watches the folder, delete the mark of the other sandbox: rm \(mark)") }
    static func watchClaimed(_ given: String, mark: Redacted<String>) -> Self { Self("watch.claimed", "the watched folder \(Redacted(given)) belongs to another sandbox, and with two sandboxes every card would be sent twice; use the other sandbox with --sandbox DIR; if the other sandbox no longer watches this folder, delete the mark of that sandbox: rm \(mark)") }
    static func watchUnmarked(_ error: Int32) -> Self { Self("watch.unmarked", "cannot mark the folder as watched by this sandbox: \(errno: error); without the mark, another sandbox could send the cards of this folder again; check the permissions and the free space of the folder") }
    static func watchSilent(after limit: Duration) -> Self { Self("watch.silent", "the folder does not answer: a call in it has lasted longer than \(limit); other folders go on; check the network, the file server and the mount") }
    static func watchSilentAtStart(_ folder: String, after limit: Duration) -> Self { Self("watch.silent_at_start", "the watched folder \(Redacted(folder)) does not answer: a call in it has lasted longer than \(limit); check the network, the file server and the mount") }
    static let watchNoFolder = Self("watch.no_folder", "there is no folder to watch; name one on the command line or in watch.folders")
    static func watchIsSandbox(_ folder: String) -> Self { Self("watch.is_sandbox", "the watched folder \(Redacted(folder)) is the sandbox or lies in it; watch the folder of the photos") }
    static func watchIsArchive(_ folder: String) -> Self { Self("watch.is_archive", "the watched folder \(Redacted(folder)) holds files that were moved to done or failed; watch the folder where the photos arrive instead") }
    static func watchReadOnly(_ folder: String, _ text: String) -> Self { Self("watch.read_only", "cannot move files in the watched folder \(Redacted(folder)): \(Redacted(text)) is not writable; make it writable, or set watch.after to leave") }
    static func watchMounted(_ text: String) -> Self { Self("watch.mounted", "cannot move files to \(Redacted(text)): it is a separate mount; unmount it, mount the watched folder as a whole, or set watch.after to leave") }
    static func watchOverlap(_ folder: String, _ text: String) -> Self { Self("watch.overlap", "the watched folders \(Redacted(folder)) and \(Redacted(text)) are the same, or one lies in the other; leave one out") }
    static func watchMissing(_ folder: String) -> Self { Self("watch.missing", "the watched folder \(Redacted(folder)) does not exist; check its path or create it") }
    static func watchNotAFolder(_ folder: String) -> Self { Self("watch.not_a_folder", "the watched folder \(Redacted(folder)) is not a folder; check its path") }
    static func watchCannotOpen(_ folder: String, _ error: Int32) -> Self { Self("watch.cannot_open", "cannot open the watched folder \(Redacted(folder)): \(errno: error); make it readable") }
}
