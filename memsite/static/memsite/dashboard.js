/* What htmx cannot do alone: refreshing without losing what one is at, dialogs, toasts, the theme. No eval, no styles.

   data-live with hx-trigger="refresh" (parts/refreshed.html): refetched every 5 seconds while visible, less often after
     failures; rows need ids
   data-keep: survives a refresh, as an open form
   data-pick, data-pick-all, data-pick-bar with data-picked: ticked rows; the bar shows while any is ticked
   data-keys around rows, data-key="a" on a button: j and k move through the rows; the key presses the row's button
   data-sets: ticks its box `set` once its field is changed
   data-opens="ID", data-closes: opens a dialog; closes its own
   data-empties: is emptied after saving
   data-edits: opens a form in place, with focus
   data-cancel: pressed by Escape in a kept form
   hx-confirm="…" with data-yes="Delete": asks first; {n memory,memories} counts ticked rows
   HX-Trigger of an answer: `toast` shows a text, `saved` closes dialogs and refreshes lists */
(() => {
  "use strict";

  const REFRESH_MS = 5000;
  const SLOWEST_REFRESH_MS = 300000;
  const TOAST_MS = 8000;
  const SENDING_MS = 5000;
  const one = (selector, within = document) => within.querySelector(selector);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];

  // --- refreshing: `data-live` elements fetch themselves anew (hx-trigger="refresh") while somebody looks

  let live = sessionStorage.getItem("live") !== "off";
  let failures = 0;
  let waitsUntil = 0;
  const isRefresh = ({ requestConfig }) => requestConfig.elt.matches("[data-live]");

  function refresh() {
    if (!live || Date.now() < waitsUntil || document.hidden || one("dialog[open]")) return;
    all("[data-live]").forEach((element) => htmx.trigger(element, "refresh"));
  }

  // What cannot be fetched is asked for ever more rarely, and told once.
  function backOff(text) {
    failures += 1;
    waitsUntil = Date.now() + Math.min(REFRESH_MS * 2 ** failures, SLOWEST_REFRESH_MS);
    if (failures === 1) toast(text, "error", { label: "Try again", act: tryAgain }).dataset.refresh = "";
  }

  function tryAgain() {
    recover();
    refresh();
  }

  function recover() {
    failures = waitsUntil = 0;
    all(".toast[data-refresh]").forEach((box) => box.remove());
  }

  // A refresh that overtakes what was just clicked would take the button away, and with it what the answer has to tell.
  document.addEventListener("htmx:beforeSwap", ({ detail }) => {
    if (isRefresh(detail) && one(".htmx-request:not([data-live])")) detail.shouldSwap = false;
  });

  function showLive() {
    all("[data-live-switch]").forEach((button) => button.setAttribute("aria-pressed", String(live)));
  }

  function switchLive() {
    live = !live;
    sessionStorage.setItem("live", live ? "on" : "off");
    showLive();
    tryAgain();
  }

  // What one has opened, ticked or typed stays, whatever the server sends: `data-keep` is left alone altogether.
  const isKept = (node) => node.nodeType === Node.ELEMENT_NODE && node.hasAttribute("data-keep");
  Object.assign(Idiomorph.defaults.callbacks, {
    beforeNodeMorphed: (old) => !isKept(old),
    beforeNodeRemoved: (old) => !isKept(old),
    beforeAttributeUpdated: (name, element) =>
      !(name === "checked" && element.matches("[data-pick]")) && !(name === "open" && element.matches("details")),
  });

  // --- ages: in the words of the server (tags.py), by its clock

  const DAY_MS = 86400000;
  const AGES = [[365 * DAY_MS, "y"], [30 * DAY_MS, "mo"], [DAY_MS, "d"], [3600000, "h"], [60000, "min"]];
  const ahead = Date.now() - Date.parse(document.body.dataset.now);

  function ageOf(moment) {
    const gone = Date.now() - ahead - moment;
    const [unit, name] = AGES.find(([least]) => Math.abs(gone) >= least) || [];
    if (!unit) return gone >= 0 ? "just now" : "in a moment";
    const words = `${Math.floor(Math.abs(gone) / unit)} ${name}`;
    return gone > 0 ? `${words} ago` : `in ${words}`;
  }

  function growOlder() {
    all("time[data-age]").forEach((time) => {
      const words = ageOf(Date.parse(time.dateTime));
      if (time.dataset.age === "title") time.title = words;
      else if (time.textContent !== words) time.textContent = words;
    });
  }

  // --- toasts

  // An error takes the place of one that said the same. `offered`: what a button in it does.
  function toast(text, tone = "success", offered = null) {
    if (tone === "error") all(".toast.error").forEach((box) => one("p", box).textContent === text && box.remove());
    const box = one("#toast-template").content.firstElementChild.cloneNode(true);
    box.className = `toast ${tone}`;
    one("p", box).textContent = text;
    if (offered) offer(offered, box);
    one("#toasts").append(box);
    age(box);
    return box;
  }

  function offer({ label, act }, box) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = label;
    button.addEventListener("click", () => {
      box.remove();
      act();
    });
    one("p", box).after(button);
  }

  // What was done to ticked rows can be taken back from its toast.
  const takingBack = ({ href, changes }) => ({
    label: "Undo",
    act: () => htmx.ajax("POST", href, { source: document.body, swap: "none", values: { changes } }),
  });

  // Errors stay until they are put away; nothing goes while it is pointed at or has the focus.
  function age(box) {
    if (box.matches(".error")) return;
    const timer = setInterval(() => {
      if (box.matches(":hover, :focus-within")) return;
      clearInterval(timer);
      box.remove();
    }, TOAST_MS);
  }

  function explain(event) {
    const { xhr } = event.detail;
    let detail = "";
    try {
      detail = JSON.parse(xhr.responseText).detail;
    } catch {
      detail = "";
    }
    return detail || `The server answered ${xhr.status}. Load the page again.`;
  }

  // --- questions before what cannot be taken back

  function ask(event) {
    if (!event.detail.question) return;
    event.preventDefault();
    const dialog = one("#confirm");
    const yes = one("button[value=yes]", dialog);
    const picked = all("[data-pick]:checked").length;
    const counted = (_, single, several) => `${picked} ${picked === 1 ? single : several}`;
    one("#confirm-question").textContent = event.detail.question.replace(/\{n (\w+),(\w+)\}/, counted);
    yes.textContent = event.detail.elt.dataset.yes || "Yes";
    dialog.returnValue = "no";
    dialog.addEventListener("close", () => dialog.returnValue === "yes" && event.detail.issueRequest(true), { once: true });
    dialog.showModal();
  }

  // --- the focus goes into a form that is opened, and back to what opened it

  let comesTo = "";

  document.addEventListener("htmx:beforeSwap", ({ detail }) => {
    const at = document.activeElement;
    const isOf = detail.target.contains(at) && at.closest("[data-keep], [data-edits]");
    if (isOf) comesTo = detail.target.id;
  });

  function moveFocus() {
    const place = document.getElementById(comesTo);
    comesTo = "";
    if (!place || place.contains(document.activeElement)) return;
    const isForm = place.matches("[data-keep]");
    const there = isForm ? one(".wrong :is(textarea, input, select)", place) || one("textarea", place) : null;
    (there || one("[data-edits]", place))?.focus();
  }

  // A dialog is open before what stands in it has come.
  function goIn() {
    const dialog = document.activeElement;
    if (dialog?.matches("dialog[open]")) one("textarea, input:not([type=hidden])", dialog)?.focus();
  }

  // --- and to what was refused: on a page that comes back, or in what of it did

  const goToWrong = (place) => one(".wrong :is(textarea, input, select)", place)?.focus();

  function findWrong({ target }) {
    const isForm = target !== document && !target.closest("[data-live]");
    if (isForm && document.activeElement === document.body) goToWrong(target);
  }

  // --- whoever pressed what is gone once it is done goes on at the head of the list

  let isGoingOn = false;

  function goOn() {
    if (isGoingOn && document.activeElement === document.body) {
      (one("[data-pick-all]") || one("#main")).focus({ preventScroll: true });
    }
    isGoingOn = false;
  }

  // --- ticking rows

  function showPicked() {
    all("[data-picked]").forEach((place) => {
      const boxes = all("[data-pick]");
      const number = boxes.filter((box) => box.checked).length;
      place.textContent = String(number);
      place.closest("[data-pick-bar]").hidden = number === 0;
      const every = one("[data-pick-all]");
      if (every) {
        every.checked = number > 0 && number === boxes.length;
        every.indeterminate = number > 0 && number < boxes.length;
      }
    });
  }

  // --- a field that is changed counts: its box (data-sets) is ticked

  function tickSet({ target }) {
    const row = target.closest("[data-sets]");
    if (row && target.name !== "set") one("[name=set]", row).checked = true;
  }

  // --- filters: what narrows can be cleared

  function showClear({ target }) {
    const form = target.closest("form.filters");
    const link = form && one("[data-clears]", form);
    if (!link) return;
    const isSet = (field) => (field.matches("select") ? field.selectedIndex > 0 : field.value !== "");
    link.hidden = !all("select, input:not([type=hidden])", form).some(isSet);
    const count = one("[data-set]", form);
    if (!count) return;
    const number = all(".filter-sheet :is(select, input)", form).filter(isSet).length;
    count.textContent = String(number);
    count.hidden = number === 0;
  }

  // --- keys: single letters, where nothing is typed (parts/keys.html)

  const KEYS = {
    "?": () => one("#keys").showModal(),
    "/": () => one("#main input[type=search]")?.focus(),
    j: () => step(1),
    k: () => step(-1),
    x: () => one("[data-pick]", rowAtHand() || document.createElement("p"))?.click(),
    e: () => edit(one("[data-edits]", rowAtHand() || one("#main"))),
    n: () => one("[data-opens^=add]")?.click(),
    l: () => one("[data-live-switch]")?.click(),
    g: () => (goes = true),
  };
  const ROWS = "#main :is(tbody tr, .rows > li, .hits > li)[id]";
  let goes = false;

  const rowAtHand = () => document.activeElement.closest(ROWS);

  // With the focus on what opens the form, it goes into the form.
  function edit(link) {
    link?.focus();
    link?.click();
  }

  function step(by) {
    const rows = all(ROWS).filter((row) => one("a[href], button", row));
    const next = rows[rows.indexOf(rowAtHand()) + by] || (rowAtHand() ? null : rows[0]);
    (next && (one(".text a[href], a.text", next) || one("[data-pick]", next) || one("a[href], button", next)))?.focus();
  }

  // The next page of the menu whose name begins with this letter.
  function goTo(letter) {
    const links = all(".menu a");
    const here = links.findIndex((link) => link.hasAttribute("aria-current"));
    const next = [...links.slice(here + 1), ...links.slice(0, here + 1)];
    next.find((link) => link.textContent.trim().toLowerCase().startsWith(letter))?.click();
  }

  // A button of the row at hand (data-key). Who decides about one row goes on with the next.
  function pressKey(key) {
    const row = rowAtHand();
    const button = row && one(`[data-key=${key}]`, row);
    if (!button) return false;
    step(row.matches(":last-child") ? -1 : 1);
    button.click();
    return true;
  }

  function press(event) {
    const { key, target } = event;
    const isTyped = target.closest("textarea, select, [data-keep], dialog[open], input:not([type=checkbox])");
    if (event.ctrlKey || event.metaKey || event.altKey || isTyped || localStorage.getItem("keys") === "off") return;
    const isOfPage = goes;
    goes = false;
    if (isOfPage) goTo(key.toLowerCase());
    else if (Object.hasOwn(KEYS, key)) KEYS[key]();
    else if (event.repeat || !/^[a-z]$/.test(key) || !pressKey(key)) return;
    event.preventDefault();
  }

  document.addEventListener("keydown", press);
  const letters = one("[data-keys-switch]");
  letters.checked = localStorage.getItem("keys") !== "off";
  letters.addEventListener("change", () => localStorage.setItem("keys", letters.checked ? "on" : "off"));

  // --- the theme: the system's until it is chosen here

  function switchTheme() {
    const root = document.documentElement;
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    document.cookie = `theme=${root.dataset.theme}; path=/; max-age=31536000; samesite=lax`;
  }

  // --- events

  document.addEventListener("click", (event) => {
    const on = (selector) => event.target.closest(selector);
    if (on("[data-dismiss]")) on(".toast").remove();
    if (on("[data-theme-switch]")) switchTheme();
    if (on("[data-live-switch]")) switchLive();
    if (on("[data-opens]")) document.getElementById(on("[data-opens]").dataset.opens).showModal();
    if (on("[data-closes]")) putAway(on("dialog"));
  });

  function putAway(dialog) {
    dialog.close();
    typed(dialog).forEach((field) => (field.value = ""));
  }

  const typed = (dialog) => all("textarea", dialog).filter((field) => field.value);

  // What was typed before Escape is there when the dialog is opened again: no new form comes, nor one that was on its way.
  const holdsTyped = ({ dataset: { opens } }) => opens && typed(document.getElementById(opens)).length > 0;

  document.addEventListener("htmx:beforeRequest", (event) => {
    if (holdsTyped(event.detail.elt)) event.preventDefault();
  });
  document.addEventListener("htmx:beforeSwap", (event) => {
    if (holdsTyped(event.detail.requestConfig.elt)) event.preventDefault();
  });

  document.addEventListener("change", (event) => {
    if (event.target.matches("[data-pick-all]")) {
      all("[data-pick]").forEach((box) => (box.checked = event.target.checked));
    }
    if (event.target.matches("[data-pick], [data-pick-all]")) showPicked();
  });

  document.addEventListener("input", (event) => {
    if (!event.target.matches("input[type=range]")) return;
    const output = one("output", event.target.parentElement);
    if (output) output.value = Number(event.target.value).toFixed(2);
  });

  document.addEventListener("input", tickSet);
  // On a phone the filters are a sheet: what was asked for is behind it.
  document.addEventListener("submit", ({ target }) => {
    if (target.matches("form.filters")) one(".filter-sheet:popover-open", target)?.hidePopover();
  });
  all("form.filters").forEach((form) => showClear({ target: form }));

  document.addEventListener("input", showClear);
  document.addEventListener("change", showClear);

  document.addEventListener("keydown", (event) => {
    const edit = event.target.closest("[data-keep]");
    if (event.key === "Escape" && edit && !event.target.closest("dialog")) one("[data-cancel]", edit)?.click();
  });

  // Whoever signed in again on another tab has another token than this page was loaded with.
  function newToken() {
    return document.cookie.split("; ").find((pair) => pair.startsWith("csrftoken="))?.slice("csrftoken=".length);
  }

  document.addEventListener(
    "submit",
    ({ target }) => {
      const field = one("input[name=csrfmiddlewaretoken]", target);
      if (field) field.value = newToken() || field.value;
    },
    { capture: true },
  );

  // The second click of two comes before the page has gone: what is made is made once. htmx drops it by `hx-sync`.
  const sent = new WeakMap();

  document.addEventListener("submit", (event) => {
    const { target } = event;
    if (target.method !== "post" || target.hasAttribute("hx-post")) return;
    if (Date.now() - (sent.get(target) || 0) < SENDING_MS) event.preventDefault();
    else sent.set(target, Date.now());
  });

  // Empty filters make a long address that says nothing.
  document.addEventListener("htmx:configRequest", ({ detail }) => {
    if (detail.verb !== "get") {
      detail.headers["X-CSRFToken"] = newToken() || detail.headers["X-CSRFToken"];
      return;
    }
    for (const [name, value] of [...detail.formData.entries()]) if (value === "") detail.formData.delete(name);
  });
  document.addEventListener("htmx:confirm", ask);
  document.addEventListener("htmx:afterSettle", showPicked);
  document.addEventListener("htmx:afterSettle", moveFocus);
  document.addEventListener("htmx:afterSettle", goIn);
  document.addEventListener("htmx:afterSettle", findWrong);
  document.addEventListener("htmx:afterSettle", goOn);
  const tellError = ({ detail }, text) => (isRefresh(detail) ? backOff(text) : toast(text, "error"));
  document.addEventListener("htmx:responseError", (event) => tellError(event, explain(event)));
  // A form of what somebody has deleted has no row to give its place back to.
  document.addEventListener("htmx:responseError", ({ detail: { elt, xhr } }) => {
    if (xhr.status === 404 && elt.matches("[data-cancel]")) elt.closest(".editing")?.remove();
  });
  document.addEventListener("htmx:sendError", (event) => tellError(event, "The server cannot be reached."));
  document.addEventListener("htmx:afterRequest", ({ detail }) => {
    if (detail.successful && isRefresh(detail) && failures) recover();
  });
  document.addEventListener("toast", ({ detail: { text, tone, undo } }) => toast(text, tone, undo && takingBack(undo)));
  // Sent by the server with what was saved: the dialog has done its work, and lists are shown anew.
  document.addEventListener("saved", ({ target }) => {
    isGoingOn = document.activeElement !== document.body;
    target.closest(".editing")?.removeAttribute("data-keep");
    all("dialog[open]").forEach((dialog) => dialog.close());
    all("[data-pick]:checked").forEach((box) => (box.checked = false));
    all("[data-empties]").forEach((box) => box.replaceChildren());
    showPicked();
    all("[data-live]").forEach((element) => htmx.trigger(element, "refresh"));
  });

  setInterval(refresh, REFRESH_MS);
  setInterval(growOlder, REFRESH_MS);
  document.addEventListener("visibilitychange", refresh);
  document.addEventListener("visibilitychange", growOlder);
  one(".tabs [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
  goToWrong(document);
  showLive();
  showPicked();
  all(".toast").forEach(age);
})();
