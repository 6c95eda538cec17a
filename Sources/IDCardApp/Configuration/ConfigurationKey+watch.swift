extension ConfigurationKey {
    static let watchKeys = Self.watchedFolderKeys + Self.completenessKeys + Self.watchMetadataKeys + Self.watchPaceKeys

    private static let watchedFolderKeys = [
        ConfigurationKey(
            "watch.folders",
            .paths,
            .unset,
            "Folders to watch, for `watch` without folders of its own; each with all below it."
        ),
        ConfigurationKey(
            "watch.mode",
            .choice(["automatic", "polling"]),
            .value("automatic"),
            "How news are learnt of: by inotify with rescans (and by polling on NFS, SMB and the like), or by polling alone."
        ),
        ConfigurationKey(
            "watch.after",
            .choice(["move", "delete", "leave"]),
            .value("move"),
            "What becomes of a file once its card is durable; with `leave`, refused files stay, too."
        ),
        ConfigurationKey(
            "watch.done_folder",
            .text,
            .value("done"),
            "Where done files are moved to: a folder below each watched one, or an absolute path."
        ),
        ConfigurationKey(
            "watch.failed_folder",
            .text,
            .value("failed"),
            "Where refused files are moved to, each with a note NAME.failed.json that says why."
        ),
        ConfigurationKey(
            "watch.rescan_interval",
            .duration(.seconds(1)...(.seconds(24 * 3600))),
            .value("5m"),
            "How often everything is looked through, whatever inotify tells."
        ),
        ConfigurationKey(
            "watch.poll_interval",
            .duration(.milliseconds(100)...(.seconds(24 * 3600))),
            .value("5s"),
            "How often everything is looked through where inotify cannot be had or is not used."
        ),
    ]

    private static let completenessKeys = [
        ConfigurationKey(
            "watch.quiet_time",
            .duration(.milliseconds(10)...(.seconds(24 * 3600))),
            .value("5s"),
            "How long size and time of a file stand still before it counts as complete, unless inotify tells sooner."
        ),
        ConfigurationKey(
            "watch.close_wait",
            .duration(.zero...(.seconds(24 * 3600))),
            .value("0s"),
            "How long a file that was closed or moved in stays untouched first; for programs that open files repeatedly."
        ),
        ConfigurationKey(
            "watch.open_wait",
            .duration(.zero...(.seconds(24 * 3600))),
            .value("10m"),
            "How long a file that is never closed must stand still before it is taken all the same."
        ),
        ConfigurationKey(
            "watch.done_marker",
            .text,
            .unset,
            "Suffix of a file that says an image is complete: with `.done`, a.jpg is taken once a.jpg.done is there."
        ),
        ConfigurationKey(
            "watch.ignore",
            .list,
            .unset,
            "Patterns of names that are never inputs, beside those of half-done copies and of other programs."
        ),
    ]

    private static let watchMetadataKeys = [
        ConfigurationKey(
            "watch.sidecar",
            .choice(["optional", "expected", "required"]),
            .computed("expected in a folder that has ever held a sidecar or manifest, else optional"),
            "Whether an image is taken without its sidecar IMAGE.json; with `expected`, after watch.sidecar_wait if its folder gives its number."
        ),
        ConfigurationKey(
            "watch.sidecar_wait",
            .duration(.zero...(.seconds(24 * 3600))),
            .value("10s"),
            "How long an image waits for its sidecar or its row in the manifest, and a sidecar for its image."
        ),
        ConfigurationKey(
            "watch.manifests",
            .list,
            .value("manifest.csv, manifest.jsonl, manifest.ndjson"),
            "Names that a manifest may have in a watched folder; the first one found counts."
        ),
        ConfigurationKey(
            "watch.max_manifest_bytes",
            .byteCount(1024...(1 << 30)),
            .value("16MiB"),
            "Most bytes of a manifest in a watched folder, which is kept in memory."
        ),
    ]

    private static let watchPaceKeys = [
        ConfigurationKey(
            "watch.concurrency",
            .integer(1...1024),
            .computed("imaging.concurrency"),
            "Files taken in at the same time."
        ),
        ConfigurationKey(
            "watch.retry_base",
            .duration(.milliseconds(10)...(.seconds(3600))),
            .value("1s"),
            "First wait before a file is tried again; it doubles each time."
        ),
        ConfigurationKey(
            "watch.retry_cap",
            .duration(.milliseconds(10)...(.seconds(24 * 3600))),
            .value("5m"),
            "Longest such wait."
        ),
        ConfigurationKey(
            "watch.attempts",
            .integer(1...1000),
            .value("6"),
            "How often a file is tried that cannot be opened, or decoded for a reason that may pass."
        ),
        ConfigurationKey(
            "watch.pending_files",
            .integer(1...1_000_000),
            .value("10000"),
            "Files kept in mind at the same time; others wait in their folder."
        ),
    ]
}
