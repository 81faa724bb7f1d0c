/* The theme that the dashboard shares, filters as menus with a search, and labels for the cells of narrow lists. */
"use strict";
(() => {
  const root = document.documentElement;
  const chosen = document.cookie.match(/(?:^|;\s*)theme=(light|dark)/);
  if (chosen) root.dataset.theme = chosen[1];
  const SEARCHED_FROM = 9;

  function switchTheme() {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    document.cookie = `theme=${root.dataset.theme}; path=/; max-age=31536000; samesite=lax`;
  }

  function addSearch(menu) {
    const rows = [...menu.querySelectorAll("li")];
    if (rows.length < SEARCHED_FROM) return;
    const input = document.createElement("input");
    input.type = "search";
    input.placeholder = "Search";
    input.setAttribute("aria-label", "Search these choices");
    input.addEventListener("input", () => {
      const wanted = input.value.trim().toLowerCase();
      for (const row of rows) row.hidden = !row.textContent.toLowerCase().includes(wanted);
    });
    input.addEventListener("keydown", (event) => {
      if (event.key === "Enter") rows.find((row) => !row.hidden)?.querySelector("a").click();
    });
    menu.querySelector("div").prepend(input);
    menu.addEventListener("toggle", () => menu.open && input.focus());
  }

  function closeMenus(but) {
    for (const menu of document.querySelectorAll(".memsite-filter[open]")) if (menu !== but) menu.open = false;
  }

  function labelCells() {
    const heads = [...document.querySelectorAll("#result_list thead th")].map((head) => head.querySelector(".text")?.textContent.trim());
    for (const row of document.querySelectorAll("#result_list tbody tr")) {
      [...row.cells].forEach((cell, place) => {
        if (heads[place] && !cell.matches(".action-checkbox")) cell.dataset.label = heads[place];
      });
    }
  }

  document.addEventListener("DOMContentLoaded", () => {
    document.querySelectorAll(".memsite-filter").forEach(addSearch);
    labelCells();
    // Its label is a picture.
    document.getElementById("searchbar")?.setAttribute("aria-label", "Search");
    document.addEventListener("click", (event) => {
      if (event.target.closest("[data-theme-switch]")) switchTheme();
      closeMenus(event.target.closest(".memsite-filter"));
    });
    document.addEventListener("keydown", (event) => event.key === "Escape" && closeMenus(null));
  });
})();
