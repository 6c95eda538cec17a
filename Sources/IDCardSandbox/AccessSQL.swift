/// The questions of the access log; apart, so that a test can ask SQLite how it answers them.
enum AccessSQL {
    static let head = "SELECT number, mac FROM access_log ORDER BY number DESC LIMIT 1"

    static let insert = """
        INSERT INTO access_log (number, at, actor, action, purpose, card, mac) VALUES (?, ?, ?, ?, ?, ?, ?)
        """

    static let seal = "SELECT access_head FROM sandbox WHERE id = 1"

    static let setSeal = "UPDATE sandbox SET access_head = ? WHERE id = 1"

    static let walk = "SELECT number, at, actor, action, purpose, card, mac FROM access_log ORDER BY number"

    static let lines = """
        SELECT number, at, actor, action, purpose, card FROM access_log WHERE number > ? ORDER BY number LIMIT ?
        """

    static let linesOfCard = """
        SELECT number, at, actor, action, purpose, card FROM access_log
        WHERE card = ? AND number > ? ORDER BY number LIMIT ?
        """
}
