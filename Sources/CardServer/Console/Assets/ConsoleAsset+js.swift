extension ConsoleAsset {
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

        // A key presses the button that names it. Not while a person writes, and not what was typed ahead of the page.
        const opened = performance.now();
        document.addEventListener("keydown", (event) => {
          const isWriting = event.target.closest("input, select, textarea, [contenteditable]");
          if (event.code === "Escape" && isWriting) { event.target.blur(); return; }
          if (event.isComposing || event.ctrlKey || event.altKey || event.metaKey || event.repeat || isWriting) return;
          if (document.documentElement.dataset.keys !== "on" || performance.now() - opened < 300) return;
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
