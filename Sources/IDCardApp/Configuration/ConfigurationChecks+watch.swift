extension ConfigurationChecks {
    /// Folders and suffixes with which files would go in circles.
    var watchProblems: [ConfigurationError.Problem] {
        var problems: [ConfigurationError.Problem] = []
        let folders = ["watch.done_folder", "watch.failed_folder"].map { ($0, self.values.find($0, \.text)) }
        for case (let key, let folder?) in folders {
            let parts = folder.split(separator: "/")
            if parts.isEmpty || parts.allSatisfy({ $0 == "." }) || parts.contains("..") {
                problems.append(.init(.malformedValue, key: key, "\(key) must name a folder, without `..`"))
            }
        }
        if let done = folders[0].1, let failed = folders[1].1, done == failed {
            let message = "watch.done_folder and watch.failed_folder are one; give each a folder of its own"
            problems.append(.init(.conflict, key: "watch.failed_folder", message))
        }
        let key = "watch.done_marker"
        if let marker = self.values.find(key, \.text), marker.contains("/") || marker == ".json" {
            let message = "\(key) must be a suffix such as .done, and not that of sidecars, .json"
            problems.append(.init(.malformedValue, key: key, message))
        }
        return problems
    }
}
