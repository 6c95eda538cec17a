/// What `run --dry-run` says at its end: the object of `--format json`, the last line of `--format jsonl`.
struct DryRunReport: Encodable {
    /// Tells it from the report of a run.
    let isDryRun = true
    /// How many inputs would be taken in, refused and ignored.
    let counts: PlannedInput.Counts
    /// One element per input; `nil` in `jsonl`, where they were printed before.
    let inputs: [PlannedInput]?

    enum CodingKeys: String, CodingKey {
        case isDryRun = "dry_run"
        case counts
        case inputs
    }
}
