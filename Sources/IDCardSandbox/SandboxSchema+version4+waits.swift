import IDCardPipeline

extension SandboxSchema {
    /// Pauses by process, and until when hosts asked to be left alone.
    static let waits: [String] = [
        stagePauseTable4,
        "INSERT INTO stage_pause4 SELECT stage, '', code, message, since FROM stage_pause",
        "DROP TABLE stage_pause",
        "ALTER TABLE stage_pause4 RENAME TO stage_pause",
        hostWaitTable,
    ]

    /// A pause outlives its owner: the next process that works ends it.
    private static let stagePauseTable4 = """
        CREATE TABLE stage_pause4 (
            stage TEXT NOT NULL CHECK (stage IN (\(list(Stage.allCases)))),
            owner TEXT NOT NULL,
            code TEXT NOT NULL,
            message TEXT NOT NULL,
            since INTEGER NOT NULL,
            PRIMARY KEY (stage, owner)
        ) STRICT, WITHOUT ROWID
        """

    /// `host` is name and port of an endpoint of the configuration.
    private static let hostWaitTable = """
        CREATE TABLE host_wait (
            host TEXT NOT NULL PRIMARY KEY,
            until INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID
        """
}
