// Makes the tables of a report sortable. Without it every page reads the same; only the order stays as it was written.
"use strict";
(() => {
  const empty = (cell) => cell.order === "" && cell.text === "";
  const read = (row, column) => {
    const td = row.cells[column];
    if (!td) return { order: "", text: "", group: "" };
    const order = td.dataset.order;
    return {
      order: order === undefined ? "" : order,
      text: order === "" ? "" : td.textContent.trim(),
      group: td.dataset.group || "",
      number: Number.parseFloat(order === undefined ? td.textContent : order),
    };
  };
  // Figures of different bases never stand among each other: first the basis, then the figure.
  const compare = (one, other) => {
    if (one.group !== other.group) return one.group < other.group ? -1 : 1;
    const numbers = !Number.isNaN(one.number) && !Number.isNaN(other.number);
    if (numbers && one.number !== other.number) return one.number - other.number;
    return one.text.localeCompare(other.text, document.documentElement.lang);
  };
  const sort = (table, column, header) => {
    const up = header.getAttribute("aria-sort") !== "ascending";
    for (const th of table.tHead.rows[0].cells) th.removeAttribute("aria-sort");
    header.setAttribute("aria-sort", up ? "ascending" : "descending");
    const body = table.tBodies[0];
    const rows = [...body.rows].map((row, place) => ({ row, place, key: read(row, column) }));
    rows.sort((a, b) => {
      if (empty(a.key) !== empty(b.key)) return empty(a.key) ? 1 : -1; // silence comes last either way
      const found = compare(a.key, b.key);
      return (up ? found : -found) || a.place - b.place;
    });
    body.append(...rows.map((entry) => entry.row));
  };
  for (const table of document.querySelectorAll("table.sortable")) {
    [...table.tHead.rows[0].cells].forEach((header, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "sort";
      const link = header.querySelector("a");
      if (link) {
        button.textContent = "↕";
        button.setAttribute("aria-label", `↕ ${link.textContent}`);
        header.append(" ", button);
      } else {
        button.append(...header.childNodes);
        header.append(button);
      }
      button.addEventListener("click", () => sort(table, column, header));
    });
  }
})();
