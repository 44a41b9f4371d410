// The picture of an explorer: SVG layers that change, marks with names, handles to drag.

import { element, status, svgElement } from "./element.js";
import { Layer } from "./layer.js";
import { fadeWhereMore, keepLegible } from "./legible.js";

const NEAR = 22; // how close to a handle, in units of the picture, a drag may begin
const AROUND = [[0, 0], [5, 0], [-5, 0], [0, 5], [0, -5], [8, 8], [-8, 8], [8, -8], [-8, -8]];
const PIXELS = 96 / 72; // per unit of the picture

export function picture(spec, moves) {
  const view = new PictureView(spec, moves);
  return {
    node: view.node,
    show: (layers, alt, size) => view.show(layers, alt, size),
    expect: (size) => view.expect(size),
    ground: (drawing) => view.ground(drawing),
  };
}

class PictureView {
  constructor(spec, moves) {
    Object.assign(this, { spec, moves, layers: [], chosen: null, pointed: -1, marked: null });
    this.svg = svgElement("svg", { role: "group", tabindex: 0 });
    this.still = svgElement("g");
    this.still.innerHTML = this.background = spec.background;
    this.moving = svgElement("g");
    this.svg.append(this.still, this.moving);
    this.tip = status({ class: "course-tip", hidden: true });
    this.node = element("div", { class: "course-picture" }, this.svg, this.tip);
    this.resize(spec.size);
    this.listen();
    fadeWhereMore(this.node);
    new ResizeObserver(() => this.leaveSwipes()).observe(this.node);
  }

  // A picture that is wider than the screen is swiped; one that fits leaves the swipe to its handles.
  leaveSwipes() {
    this.svg.style.touchAction = this.node.scrollWidth > this.node.clientWidth + 1 ? "auto" : "pan-y";
  }

  // Keeps the space of the drawing that comes with the states.
  expect(size) {
    this.svg.style.aspectRatio = size.join(" / ");
    this.measured = true;
  }

  // The drawing that the states were made for: on a phone it is another one than the first.
  ground({ size, background }) {
    if (background === this.background) return;
    this.still.innerHTML = this.background = background;
    this.resize(size);
  }

  resize([width, height]) {
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.svg.setAttribute("width", Math.round(width * PIXELS));
    this.svg.style.aspectRatio = `${width} / ${height}`;
    this.measured = false;
  }

  show(layers, alt, size) {
    if (size) this.resize(size);
    while (this.layers.length < layers.length) {
      this.layers.push(new Layer());
      this.moving.append(this.layers.at(-1).node);
    }
    const walks = this.pointed >= 0;
    this.layers.forEach((layer, k) => layer.show(layers[k] ?? "", walks || layer.node.contains(this.marked)));
    if (alt) this.svg.setAttribute("aria-label", alt);
    if (!this.measured) this.measured = keepLegible(this.svg);
    if (this.chosen) this.highlight();
    if (this.pointed >= 0) this.point(this.marks()[this.pointed]);
    else if (this.marked) this.point(this.marked.isConnected ? this.marked : null);
  }

  // ---- names of marks ----

  // Marks that are joined to be drawn fast are parted before somebody points at them.
  part() {
    const anew = this.layers.filter((layer) => layer.part());
    if (anew.length && this.chosen) this.highlight();
  }

  marks() {
    this.part();
    return [...this.svg.querySelectorAll("[data-tip]")];
  }

  // What lies under the pointer or close by; a number written on a mark does not hide its tip.
  markAt({ clientX, clientY }) {
    this.part();
    const root = this.svg.getRootNode();
    for (const [dx, dy] of AROUND) {
      const found = root.elementsFromPoint(clientX + dx, clientY + dy)
        .map((each) => each.closest("[data-tip], [data-series]")).filter((each) => this.svg.contains(each));
      if (found.length) return found.find((each) => each.dataset.tip) ?? found[0];
    }
    return null;
  }

  point(mark) {
    this.marked?.classList.remove("course-pointed");
    this.marked = mark?.dataset.tip ? mark : null;
    this.tip.hidden = !this.marked;
    if (this.tip.hidden) return;
    mark.classList.add("course-pointed");
    if (this.tip.textContent !== mark.dataset.tip) this.tip.textContent = mark.dataset.tip;
    const frame = this.node.getBoundingClientRect();
    const box = mark.getBoundingClientRect();
    const x = box.left + box.width / 2 - frame.left;
    const half = this.tip.offsetWidth / 2;
    const within = Math.min(Math.max(x, half), Math.max(frame.width - half, half));
    this.tip.style.left = `${within + this.node.scrollLeft}px`;
    const above = box.top - frame.top - this.tip.offsetHeight - 6;
    this.tip.style.top = `${above >= 0 ? above : box.bottom - frame.top + 6}px`;
  }

  // With the focus on the picture the arrow keys walk from mark to mark.
  step(event) {
    const marks = this.marks();
    const last = marks.length - 1;
    const next = {
      ArrowRight: this.pointed + 1, ArrowDown: this.pointed + 1, Home: 0, End: last,
      ArrowLeft: this.pointed < 0 ? last : this.pointed - 1, ArrowUp: this.pointed < 0 ? last : this.pointed - 1,
      Escape: -1,
    }[event.key];
    if (event.key === "Enter" && this.pointed >= 0) this.choose(marks[this.pointed]);
    const idle = event.key === "Escape" && this.pointed < 0 && !this.chosen;
    if (next === undefined || last < 0 || idle) return;
    event.preventDefault();
    this.pointed = next > last ? 0 : next;
    marks[this.pointed]?.scrollIntoView({ block: "nearest", inline: "nearest" });
    this.point(marks[this.pointed]);
    if (event.key === "Escape") this.choose(null);
  }

  // ---- series ----

  choose(mark) {
    const series = mark?.closest("[data-series]")?.dataset.series ?? null;
    this.chosen = series === this.chosen ? null : series;
    this.highlight();
  }

  highlight() {
    for (const each of this.svg.querySelectorAll("[data-series]")) {
      each.classList.toggle("course-strong", this.chosen === each.dataset.series);
      each.classList.toggle("course-dim", this.chosen !== null && this.chosen !== each.dataset.series);
    }
  }

  // ---- dragging ----

  pointOf({ clientX, clientY }) {
    const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(this.svg.getScreenCTM().inverse());
    return [x, y];
  }

  handleAt(event) {
    const [x, y] = this.pointOf(event);
    const far = Object.entries(this.moves.handles()).map(([name, handle]) =>
      [name, handle ? Math.hypot(handle[0] === null ? 0 : handle[0] - x, handle[1] === null ? 0 : handle[1] - y) : Infinity]);
    far.sort((one, other) => one[1] - other[1]);
    return far.length && far[0][1] < NEAR ? far[0][0] : null;
  }

  listen() {
    const { svg } = this;
    svg.addEventListener("pointermove", (event) => this.hover(event));
    svg.addEventListener("pointerleave", () => { if (this.pointed < 0) this.point(null); });
    svg.addEventListener("pointerdown", (event) => this.grab(event));
    svg.addEventListener("pointerup", () => { this.dragged = null; });
    svg.addEventListener("pointercancel", () => { this.dragged = null; });
    svg.addEventListener("click", (event) => { this.point(this.markAt(event)); this.choose(this.markAt(event)); });
    svg.addEventListener("keydown", (event) => this.step(event));
    svg.addEventListener("blur", () => { this.pointed = -1; this.point(null); });
  }

  hover(event) {
    if (this.dragged) {
      this.moves.drag(this.dragged, this.moves.placeAt(this.dragged, this.pointOf(event)));
      return;
    }
    if (event.pointerType === "mouse") {
      this.pointed = -1;
      this.point(this.markAt(event));
      this.svg.classList.toggle("course-grab", this.handleAt(event) !== null);
    }
  }

  grab(event) {
    this.dragged = this.handleAt(event);
    if (this.dragged) this.svg.setPointerCapture(event.pointerId);
  }
}
