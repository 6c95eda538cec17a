extension ConsoleAsset {
    static let js = #"""
        "use strict";
        const outcome = document.querySelector(".outcome");
        if (outcome) outcome.focus();

        """#
}
