/* Plots: each `data-plot` figure draws the numbers of its own table with uPlot, anew when these or the colours change. */
(() => {
  "use strict";

  const HEIGHT = 176;
  const COLOURS = 6; // --plot-1 to --plot-6, by column
  const MOST_BAR = 48;
  const DAY = 86400;
  const DAYS = [1, 2, 5, 7, 14, 30, 60, 90, 180, 365].map((days) => days * DAY);
  const WHOLE = [0, 1, 2, 3, 4, 5, 6, 7].flatMap((power) => [1, 2, 5].map((one) => one * 10 ** power));
  // [the least step in seconds, a tick, then with a new year, month, day, hour, minute, second, whether to append these]
  const stamps = (step, tick, day) => [step, tick, day, null, day, null, null, null, 1];
  const STAMPS = [
    stamps(365 * DAY, "{YYYY}", null),
    stamps(DAY, "{MMM} {D}", "\n{YYYY}").with(4, null),
    stamps(60, "{HH}:{mm}", "\n{MMM} {D}"),
    stamps(1e-3, "{HH}:{mm}:{ss}", "\n{MMM} {D}"),
  ];
  const FORMATS = {
    count: new Intl.NumberFormat("en", { notation: "compact" }),
    share: new Intl.NumberFormat("en", { style: "percent" }),
    dollars: new Intl.NumberFormat("en", { style: "currency", currency: "USD", maximumSignificantDigits: 3 }),
    level: new Intl.NumberFormat("en", { maximumFractionDigits: 2 }),
  };
  const drawn = new WeakMap(); // the figure → what was drawn, and the drawing

  // --- reading the table

  const valueOf = (cell) => (cell.dataset.value === "" ? null : Number(cell.dataset.value));

  function read(figure) {
    const heads = [...figure.querySelectorAll(".numbers thead th")].slice(1);
    const rows = [...figure.querySelectorAll(".numbers tbody tr")].map((row) => [...row.cells]);
    return {
      axis: figure.dataset.plot,
      unit: figure.dataset.unit,
      zone: figure.dataset.zone || "UTC",
      stacked: "stacked" in figure.dataset,
      along: rows.map(([head]) => valueOf(head)),
      heads: heads.map((head) => ({ label: head.textContent, drawn: head.dataset.drawn })),
      columns: heads.map((_, place) => rows.map((cells) => valueOf(cells[place + 1]))),
      texts: rows.map((cells) => cells.map((cell) => cell.textContent)),
    };
  }

  // What stands on another begins at its top. The highest is drawn first, so that it does not cover the others.
  function heights({ columns, stacked }) {
    if (!stacked) return columns;
    const sums = columns[0].map(() => 0);
    return columns.map((column) => column.map((value, place) => (sums[place] += value || 0)));
  }

  // --- drawing

  function colour(figure, name) {
    // Nothing with an id may have a style: htmx would copy it as an attribute, which the security policy forbids.
    const probe = figure.appendChild(document.createElement("span"));
    probe.style.color = `var(${name})`;
    const found = getComputedStyle(probe).color;
    probe.remove();
    return found;
  }

  function gap(along, axis) {
    const steps = along.slice(1).map((value, place) => value - along[place]);
    return steps.length ? Math.min(...steps) : axis === "name" ? 1 : DAY;
  }

  // Half a bar's room at both ends.
  function rangeAlong({ along, axis, heads }) {
    const hasBars = heads.some((head) => head.drawn === "bars");
    const room = hasBars || along.length < 2 ? gap(along, axis) / 2 : 0;
    return () => [along[0] - room, along.at(-1) + room];
  }

  function seriesOf(table, figure, place) {
    const { label, drawn: how } = table.heads[place];
    const stroke = colour(figure, `--plot-${(place % COLOURS) + 1}`);
    return {
      label,
      stroke,
      width: how === "bars" ? 0 : 2,
      fill: how === "bars" ? stroke : undefined,
      dash: how === "dashed" ? [6, 4] : undefined,
      points: { show: how === "line" && table.along.length < 40 },
      paths: { bars: uPlot.paths.bars({ size: [0.7, MOST_BAR] }), steps: uPlot.paths.stepped({ align: 1 }) }[how],
      value: (_, value, __, at) => (at === null ? "" : table.texts[at][place + 1]),
    };
  }

  function draw(figure) {
    const table = read(figure);
    const box = figure.querySelector(".drawing");
    const order = table.heads.map((_, place) => place);
    if (table.stacked) order.reverse();
    const columns = heights(table);
    const line = { stroke: colour(figure, "--line"), width: 1 };
    const axis = { stroke: colour(figure, "--quiet"), font: "12px system-ui, sans-serif", gap: 4, ticks: line, border: line };
    const names = (_, splits) => splits.map((at) => (Number.isInteger(at) && table.texts[at] ? table.texts[at][0] : ""));
    const inZone = (seconds) => uPlot.tzDate(new Date(seconds * 1000), table.axis === "time" ? table.zone : "UTC");
    const days = (_, splits) => splits.map((at) => uPlot.fmtDate("{MMM} {D}")(inZone(at)));
    const along = {
      name: { values: names, incrs: WHOLE },
      day: { values: days, incrs: DAYS },
      time: { values: STAMPS, size: 46 },
    }[table.axis];
    const format = FORMATS[table.unit];
    const isCount = table.unit === "count";
    const highest = (most) => (table.unit === "level" || (table.unit === "share" && table.stacked) ? 1 : Math.max(most * 1.08, isCount ? 1 : 1e-6));
    const options = {
      width: box.clientWidth,
      height: HEIGHT,
      padding: [8, 12, 0, 0],
      tzDate: inZone,
      cursor: { y: false, drag: { x: false, y: false } },
      scales: {
        x: { time: table.axis !== "name", range: rangeAlong(table) },
        y: { range: (_, __, most) => [0, highest(most)] },
      },
      axes: [
        { ...axis, size: 28, grid: { show: false }, ...along },
        { ...axis, size: 48, grid: line, ...(isCount && { incrs: WHOLE }), values: (_, splits) => splits.map(format.format) },
      ],
      series: [
        { value: (_, __, ___, at) => (at === null ? "" : table.texts[at][0]) },
        ...order.map((place) => seriesOf(table, figure, place)),
      ],
    };
    return new uPlot(options, [table.along, ...order.map((place) => columns[place])], box);
  }

  // --- keeping it up to date

  const look = () => document.documentElement.dataset.theme || String(matchMedia("(prefers-color-scheme: dark)").matches);

  function show(figure) {
    const state = figure.querySelector(".numbers").innerHTML + look();
    const before = drawn.get(figure);
    if (before?.state === state) return;
    before?.plot.destroy();
    drawn.set(figure, { state, plot: draw(figure) });
    if (!before) watched.observe(figure);
  }

  const showAll = () => document.querySelectorAll("[data-plot]").forEach(show);
  const watched = new ResizeObserver((changes) =>
    changes.forEach(({ target }) => drawn.get(target)?.plot.setSize({ width: target.querySelector(".drawing").clientWidth, height: HEIGHT })),
  );

  document.addEventListener("htmx:afterSettle", showAll);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", showAll);
  new MutationObserver(showAll).observe(document.documentElement, { attributeFilter: ["data-theme"] });
  showAll();
})();
