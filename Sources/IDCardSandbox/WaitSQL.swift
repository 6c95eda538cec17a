/// The questions about pauses and waits; apart, so that a test can ask SQLite how it answers them.
enum WaitSQL {
    /// Of several processes that stopped a stage, the first counts.
    static let pauses = "SELECT stage, code, message, since FROM stage_pause ORDER BY since DESC"

    static let setPause = """
        INSERT INTO stage_pause (stage, owner, code, message, since) VALUES (?, ?, ?, ?, ?)
        """

    /// The pause of this process, and those of processes that are gone.
    static let endPause = """
        DELETE FROM stage_pause WHERE stage = :stage
            AND (owner = :owner OR NOT EXISTS (SELECT 1 FROM owner WHERE owner.id = stage_pause.owner))
        """

    static let leftBehind = """
        SELECT DISTINCT stage FROM stage_pause
        WHERE owner = ? OR NOT EXISTS (SELECT 1 FROM owner WHERE owner.id = stage_pause.owner)
        """

    static let setWait = """
        INSERT INTO host_wait (host, until) VALUES (?, ?)
        ON CONFLICT (host) DO UPDATE SET until = max(until, excluded.until)
        """

    static let forgetWaits = "DELETE FROM host_wait WHERE until <= ?"

    static let shortenWaits = "UPDATE host_wait SET until = :latest WHERE until > :latest"

    static let endWaits = "DELETE FROM host_wait WHERE until > ?"

    static let waits = "SELECT host, until FROM host_wait WHERE until > ?"
}
