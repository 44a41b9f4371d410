// Tables on a phone: one that is wider than its page becomes a list, a paragraph for each row.

const LIST = 480; // pixels up to which a page is as narrow as a phone
const TABLES = "article table:not(.course-pair, .course-cases table)";
const ROLES = { TABLE: "table", THEAD: "rowgroup", TBODY: "rowgroup", TR: "row", TD: "cell" };

export function fitTables() {
  for (const table of document.querySelectorAll(TABLES)) {
    table.classList.remove("course-tight", "course-list");
    if (window.innerWidth > LIST) continue;
    if (isCut(table) && table.closest(".cell_output")) table.classList.add("course-tight"); // of numbers, not of sentences
    if (isCut(table)) table.classList.add("course-list");
    if (table.matches(".course-list")) nameCells(table);
  }
}

// Whether a table is wider than its room, or something stands out of one of its cells: with some fonts a formula does.
function isCut(table) {
  const room = table.parentElement;
  return Math.max(table.offsetWidth, table.scrollWidth, room.scrollWidth - 1) > Math.ceil(room.clientWidth);
}

// Each cell says the name of its column; roles, since what is no table to the eye is none to a browser.
function nameCells(table) {
  const names = headings(table);
  placed([...table.tBodies].flatMap((body) => [...body.rows])).forEach(([cell, column]) => {
    if (names[column] && column) cell.dataset.name = names[column];
  });
  for (const each of [table, ...table.querySelectorAll("thead, tbody, tr, th, td")])
    each.setAttribute("role", ROLES[each.tagName] ?? (each.closest("thead") ? "columnheader" : "rowheader"));
}

// The name of each column: what stands above it in all rows of the head.
function headings(table) {
  const names = [];
  placed([...(table.tHead?.rows ?? [])]).forEach(([cell, column]) => {
    for (let k = column; k < column + cell.colSpan; k++)
      names[k] = [names[k], cell.textContent.trim()].filter(Boolean).join(", ");
  });
  return names;
}

// All cells with the column in which they begin; one that spans rows shifts those below it.
function placed(rows) {
  const taken = rows.map(() => []);
  return rows.flatMap((row, k) => [...row.cells].map((cell) => {
    let column = 0;
    while (taken[k][column]) column += 1;
    for (let i = k; i < Math.min(k + cell.rowSpan, rows.length); i++)
      for (let j = column; j < column + cell.colSpan; j++) taken[i][j] = true;
    return [cell, column];
  }));
}
