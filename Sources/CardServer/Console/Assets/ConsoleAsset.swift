import CardModel
import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// The style sheet and the script; a browser may keep them, as their addresses change with what is in them.
struct ConsoleAsset: Sendable {
    let path: ConsolePath
    private let type: String
    private let text: String

    private init(_ path: String, _ type: String, _ text: String) {
        let digest = Data(SHA256.hash(data: Data(text.utf8))).prefix(6).hexadecimal
        self.path = ConsolePath(path, [("v", digest)])
        self.type = type
        self.text = text
    }

    static let styles = Self("/console/console.css", "text/css; charset=utf-8", Self.css)
    static let script = Self("/console/console.js", "text/javascript; charset=utf-8", Self.js)

    static let icon = Self(
        "/console/icon.svg",
        "image/svg+xml",
        """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect x="2" y="6" width="28" height="20" rx="3" fill="#0b5cad"/>\
        <circle cx="11" cy="14" r="3.5" fill="#fff"/><path d="M5 23c1-5 11-5 12 0zM19 12h8v2h-8zM19 17h6v2h-6z" fill="#fff"/></svg>
        """
    )

    var response: Response {
        let headers: HTTPFields = [.cacheControl: "public, max-age=31536000, immutable"]
        return Response(ByteBuffer(string: self.text), self.type, headers: headers)
    }

    /// Keys, hiding what is personal, and the focus. Every page works without it.
    static let js = #"""
        "use strict";
        // What was revealed goes as soon as the tab is left: also out of what Back would show.
        const hide = () => document.querySelectorAll("[data-revealed]").forEach((piece) => piece.remove());
        const masked = () => document.querySelector("[data-hide]");
        document.addEventListener("visibilitychange", () => { if (document.hidden) hide(); });
        window.addEventListener("pagehide", hide);
        const seconds = Number(document.documentElement.dataset.seconds);
        if (seconds) setTimeout(hide, seconds * 1000);
        // To reload the answer to a reveal would reveal once more.
        window.addEventListener("pageshow", (event) => {
          if (event.persisted) { if (masked()) location.replace(masked().href); else location.reload(); }
        });

        // What was done is read first, by eyes and by screen readers.
        const outcome = document.querySelector(".outcome");
        (outcome || document.querySelector("[data-focus]"))?.focus();

        // A key presses the button that names it. Not while a person writes, and not what was typed ahead of the page or was
        // meant for the field that was just left.
        const field = (element) => element.closest("input, select, textarea, [contenteditable]");
        let quietUntil = performance.now() + 300;
        document.addEventListener("focusout", (event) => { if (field(event.target)) quietUntil = performance.now() + 1000; });
        document.addEventListener("keydown", (event) => {
          // Syllables that are composed are the input method's, and so is each key: some browsers tell by 229 alone.
          if (event.isComposing || event.keyCode === 229) return;
          const isWriting = field(event.target);
          if (event.code === "Escape" && isWriting) { event.target.blur(); return; }
          if (event.ctrlKey || event.altKey || event.metaKey || event.repeat || isWriting) return;
          if (document.documentElement.dataset.keys !== "on" || performance.now() < quietUntil) return;
          const button = document.querySelector(`[data-key~="${event.code}"]`) || (event.code === "Escape" && masked());
          if (!button || button.disabled) return;
          event.preventDefault();
          if (button.matches("input, textarea, select")) button.focus(); else button.click();
        });

        // One act is sent once.
        document.addEventListener("submit", (event) => {
          if (event.target.dataset.sent) { event.preventDefault(); return; }
          event.target.dataset.sent = "yes";
        });

        """#
}
