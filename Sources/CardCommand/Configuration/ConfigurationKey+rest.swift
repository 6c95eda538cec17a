import CardEngine
import CardImaging
import CardInput
import CardModel
import CardRemote

/// Ten years at most: who means longer writes 0.
private let retentions = Duration.zero...Duration.seconds(3650 * 86_400)

extension ConfigurationKey {
    static let sandbox: [ConfigurationKey] = [
        ConfigurationKey(
            "sandbox.path",
            \.sandboxPath,
            .path,
            "Folder of the sandbox, in which cards are durable; nothing in it is ever an input.",
            default: "$XDG_DATA_HOME/idcard-pipeline/sandbox, with --embedded …/embedded"
        ),
        ConfigurationKey(
            "sandbox.intake_free_space",
            \.engine.intakeFreeSpace,
            .bytes(0...(1 << 50)),
            "Free space on the disk of the sandbox below which nothing more is taken in."
        ),
        .optional(
            "vault.key_file",
            \.vault.keyFile,
            .path,
            "File (mode 0600) with the keys of the sandbox, the current one first; keys init makes it.",
            default: "$XDG_CONFIG_HOME/idcard-pipeline/vault.key, with --embedded …/embedded.key"
        ),
        .optional(
            "vault.key",
            \.vault.key,
            .secret,
            "Keys of the sandbox with commas between, the current one first; set one of this, key_file and key_command."
        ),
        .optional(
            "vault.key_command",
            \.vault.keyCommand,
            .secret,
            "Command for /bin/sh -c that writes the keys of the sandbox, one a line, the current one first."
        ),
    ]

    static let imaging: [ConfigurationKey] = [
        ConfigurationKey(
            "imaging.quality",
            \.imaging.quality,
            .number(0...1),
            "JPEG quality to start with, as in UIImageJPEGRepresentation; libjpeg's scale is 100 times that."
        ),
        ConfigurationKey(
            "imaging.min_quality",
            \.imaging.minQuality,
            .number(0...1),
            "Lowest quality tried before the picture is made smaller."
        ),
        ConfigurationKey(
            "imaging.max_edge",
            \.imaging.maxEdge,
            .integer(48...65_500),
            "Longest edge of the prepared image in pixels; smaller photos are not enlarged."
        ),
        ConfigurationKey(
            "imaging.byte_budget",
            \.imaging.byteBudget,
            .bytes(10_000...100_000_000),
            "Most bytes of the prepared image; the form around it takes up to 10000 more."
        ),
        ConfigurationKey(
            "imaging.recompress",
            \.imaging.recompress,
            .word([.always, .whenNeeded]),
            "Whether images that keep all limits are encoded again."
        ),
        ConfigurationKey(
            "imaging.concurrency",
            \.imagingConcurrency,
            .integer(0...1024),
            "Images prepared at a time; 0 takes one for each core."
        ),
        ConfigurationKey(
            "imaging.max_source_bytes",
            \.imaging.maxSourceBytes,
            .bytes(1024...(1 << 30)),
            "Most bytes of a photo."
        ),
        ConfigurationKey(
            "imaging.max_pixels",
            \.imaging.maxPixels,
            .integer(1_000_000...1_000_000_000),
            "Most pixels of a photo."
        ),
        ConfigurationKey(
            "imaging.isolation",
            \.isolation,
            .word,
            "Where photos are decoded: in this process, or each in a confined child (slower, safer)."
        ),
    ]

    static let server: [ConfigurationKey] = [
        ConfigurationKey(
            "server.listen",
            \.server.listen,
            .text,
            "Address and port on which serve takes requests; beyond this machine only with server.tls. Port 0 takes a free one."
        ),
        .optional(
            "server.tls.certificate",
            \.server.certificate,
            .path,
            "PEM file with the certificate of serve and its chain; it is read again at SIGHUP."
        ),
        .optional(
            "server.tls.key",
            \.server.key,
            .path,
            "PEM file (mode 0600) with the private key of that certificate."
        ),
        .optional(
            "server.tokens_file",
            \.server.tokensFile,
            .path,
            "File (mode 0600) of who may ask, with a hash of each token.",
            default: "$XDG_CONFIG_HOME/idcard-pipeline/tokens.json"
        ),
        ConfigurationKey(
            "server.rate_limit",
            \.server.rateLimit,
            .integer(1...1_000_000),
            "Requests that one token may make in a minute."
        ),
        ConfigurationKey(
            "server.cors_origins",
            \.server.corsOrigins,
            .list,
            "Origins whose pages may use the API in a browser, such as https://desk.example."
        ),
        .optional(
            "webhooks.secrets",
            \.webhooks.secrets,
            .secret,
            "Secrets of webhook senders (Standard Webhooks), each NAME=whsec_…, with commas between; without one, webhooks are refused."
        ),
        .optional(
            "webhooks.secrets_file",
            \.webhooks.secretsFile,
            .path,
            "File (mode 0600) with these secrets, one a line; it is read again at SIGHUP."
        ),
    ]

    static let intake: [ConfigurationKey] = [
        ConfigurationKey(
            "intake.business_no_from",
            \.businessNumberFrom,
            .text,
            "What in the path of a photo is its business number: folder, folder:LEVEL, root, pattern:REGEX or none."
        ),
        ConfigurationKey(
            "sources",
            \.sources,
            .list,
            "Folders or manifests for runs on demand, each NAME=PATH; POST /v1/runs names one of them."
        ),
        ConfigurationKey(
            "fetch.hosts",
            \.fetch.hosts,
            .list,
            "Hosts that photos named by URL may come from: names, or *.suffix; without one, nothing is fetched."
        ),
        ConfigurationKey(
            "fetch.allow_addresses",
            \.fetch.allowedAddresses,
            .list,
            "Blocks of addresses (CIDR) that may be fetched from although they are not on the internet."
        ),
        ConfigurationKey("fetch.allow_http", \.fetch.allowsHTTP, .yesOrNo, "Whether URLs may begin with http://."),
        ConfigurationKey("fetch.ports", \.fetch.ports, .list, "Ports that URLs may name."),
        ConfigurationKey(
            "fetch.max_redirects",
            \.fetch.maximumRedirects,
            .integer(0...10),
            "Redirects that are followed; each is checked as the URL is."
        ),
        .optional(
            "fetch.tls.ca_file",
            \.fetch.caFile,
            .path,
            "PEM file with the only authorities trusted for photos named by URL."
        ),
    ]

    static let watch: [ConfigurationKey] = [
        ConfigurationKey(
            "watch.folders",
            \.watch.folders,
            .paths,
            "Folders to watch, each with all below it, for watch without folders of its own."
        ),
        ConfigurationKey(
            "watch.mode",
            \.watch.mode,
            .word,
            "How news are learnt of: by inotify with rescans, or by polling alone."
        ),
        ConfigurationKey("watch.after", \.watch.after, .word, "What becomes of a file once its card is durable."),
        ConfigurationKey(
            "watch.quiet_time",
            \.watch.quietTime,
            .duration(.milliseconds(10)...(.seconds(86_400))),
            "How long a file stands still before it counts as complete, unless inotify tells sooner."
        ),
        .optional(
            "watch.done_marker",
            \.watch.doneMarker,
            .text,
            "Suffix of a file that says a photo is complete: with .done, a.jpg is taken once a.jpg.done is there."
        ),
        ConfigurationKey(
            "watch.ignore",
            \.watch.ignore,
            .list,
            "Patterns of names that are never inputs, beside those of half-done copies."
        ),
        ConfigurationKey("watch.sidecar", \.watch.sidecar, .word, "Whether a photo waits for its sidecar IMAGE.json."),
        ConfigurationKey(
            "watch.sidecar_wait",
            \.watch.sidecarWait,
            .duration(.zero...(.seconds(86_400))),
            "How long a photo waits for an optional sidecar."
        ),
    ]

    static let upkeep: [ConfigurationKey] = [
        ConfigurationKey(
            "retention.delivered",
            \.retention.delivered,
            .duration(retentions),
            "How long a delivered card is kept; 0s for ever."
        ),
        ConfigurationKey(
            "retention.rejected",
            \.retention.rejected,
            .duration(retentions),
            "How long a rejected or superseded card is kept; 0s for ever."
        ),
        ConfigurationKey(
            "retention.failed",
            \.retention.failed,
            .duration(retentions),
            "How long a failed card is kept; 0s for ever."
        ),
        ConfigurationKey(
            "retention.held",
            \.retention.held,
            .duration(retentions),
            "How long a card waits for a person or a front; 0s for ever."
        ),
        ConfigurationKey("log.level", \.logLevel, .word, "Least severity that is logged, on standard error."),
        ConfigurationKey("log.format", \.logFormat, .word, "Form of the log lines."),
    ]
}
