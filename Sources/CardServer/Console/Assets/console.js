// Keys, hiding what is personal, and the focus. Every page works without it.
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
  // What shows, and what an open list asks before what stands beside it.
  const shown = [...document.querySelectorAll(`[data-key~="${event.code}"]`)]
    .filter((piece) => piece.checkVisibility?.() ?? true);
  const button = shown.find((piece) => piece.closest("details[open]") && !piece.matches("summary")) || shown[0]
    || (event.code === "Escape" && masked());
  if (!button || button.disabled) return;
  event.preventDefault();
  if (button.matches("input, textarea, select")) button.focus(); else button.click();
  if (button.matches("summary")) button.parentElement.querySelector("input[type=checkbox], textarea[required]")?.focus();
});

// One act is sent once.
document.addEventListener("submit", (event) => {
  if (event.target.dataset.sent) { event.preventDefault(); return; }
  event.target.dataset.sent = "yes";
});
