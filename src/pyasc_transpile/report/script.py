"""The page's script: what belongs to one Python line lights up together."""

SCRIPT = """
"use strict";
(function () {
  var chosen = null;
  function all(line) {
    return document.querySelectorAll('[data-line="' + line + '"]');
  }
  function mark(line, name, on) {
    if (line === null) return;
    all(line).forEach(function (part) { part.classList.toggle(name, on); });
  }
  function lineOf(event) {
    var part = event.target.closest ? event.target.closest("[data-line]") : null;
    return part && part.getAttribute("data-line").match(/^[0-9]+$/) ? part : null;
  }
  function reveal(line, clicked) {
    ["python", "ascend-c"].forEach(function (side) {
      var box = document.getElementById(side);
      if (box.contains(clicked)) return;
      var found = box.querySelector('[data-line="' + line + '"]');
      if (!found) return;
      box.scrollTop = found.offsetTop - box.clientHeight / 3;
    });
  }
  function choose(line, clicked) {
    mark(chosen, "chosen", false);
    chosen = line === chosen ? null : line;
    mark(chosen, "chosen", true);
    if (chosen !== null) reveal(chosen, clicked);
  }
  document.addEventListener("mouseover", function (event) {
    var part = lineOf(event);
    if (part) mark(part.getAttribute("data-line"), "near", true);
  });
  document.addEventListener("mouseout", function (event) {
    var part = lineOf(event);
    if (part) mark(part.getAttribute("data-line"), "near", false);
  });
  document.addEventListener("click", function (event) {
    var part = lineOf(event);
    if (part) choose(part.getAttribute("data-line"), part);
  });
  document.addEventListener("keydown", function (event) {
    if (event.key === "Escape" && chosen !== null) choose(chosen, document.body);
    var part = event.key === "Enter" ? lineOf(event) : null;
    if (part) choose(part.getAttribute("data-line"), part);
  });
})();
"""
