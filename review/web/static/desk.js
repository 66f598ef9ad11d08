// Conveniences only: every key presses a button or follows a link that is on the page.
"use strict";
const mark = document.querySelector("mark.quote");
if (mark) {
  const box = mark.closest(".page-text");
  if (box && document.querySelector(".whole") === null) box.scrollTop = mark.offsetTop - box.offsetTop - box.clientHeight / 3;
  else mark.scrollIntoView({ block: "center" });
}
const rows = [...document.querySelectorAll("[data-row]")];
let at = -1;
function move(by) {
  if (!rows.length) return false;
  if (at >= 0) rows[at].classList.remove("on");
  at = Math.min(Math.max(at + by, 0), rows.length - 1);
  rows[at].classList.add("on");
  rows[at].querySelector("a").focus();
  return true;
}
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("input, textarea, select")) return;
  if (event.key === "j" && move(1)) return;
  if (event.key === "k" && move(-1)) return;
  if (event.key === "/") {
    const first = document.querySelector(".filter select");
    if (first) { event.preventDefault(); first.focus(); }
    return;
  }
  if (!/^[a-z1-9]$/.test(event.key)) return;
  const target = document.querySelector(`[data-key="${event.key}"]`);
  if (target && !target.disabled) { event.preventDefault(); target.click(); }
});
let sent = false;
document.addEventListener("submit", (event) => {
  if (event.target.method === "post" && sent) event.preventDefault();
  sent = event.target.method === "post";
});
