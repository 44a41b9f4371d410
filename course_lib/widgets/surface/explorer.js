// An explorer: controls, a picture of their state, a readout and a goal.
//
// What is stored is shown at once, from the page itself; the kernel, where there is one, only
// hears the newest place. What is not stored is drawn by the kernel.

import { element, setLines, status } from "./element.js";
import { controlRow, namedRow } from "./controls.js";
import { picture } from "./picture.js";
import { unpacked } from "./states.js";

const ASLEEP_ALIVE = "Python sleeps, the picture stays awake. To wake the code: Run > Run All Cells.";
const ASLEEP = "Asleep. To wake it: Run > Run All Cells.";
const BUSY = "Python is busy; the picture follows as soon as it can.";
const PATIENT = 400; // milliseconds after which a picture that the kernel owes is called late
const LATER = 60; // milliseconds after which the kernel hears of a move that the page has drawn itself
const ONLY_NAMED = "Here you can choose among its named states. In a running notebook everything can be set.";

export function mountExplorer(root, spec, host) {
  const explorer = new ExplorerView(root, spec, host);
  explorer.start();
  return () => explorer.end();
}

class ExplorerView {
  constructor(root, spec, host) {
    Object.assign(this, { root, spec, host, states: null });
    this.place = { ...host.place() };
    this.flush = () => { if (this.telling) this.tellNow(); };
    this.found = spec.found | (host.recall("found") ?? 0);
    this.goal = status({ class: "course-goal" });
    this.rows = spec.controls.map((control) =>
      controlRow(control, this.place[control.name], (value) => this.moved(control.name, value)));
    this.picture = picture(spec, {
      placeAt: (name, point) => this.nearest(name, point),
      handles: () => this.handles(),
      drag: (name, value) => this.moved(name, value),
    });
    this.isPhone = Boolean(spec.narrow && host.home === "page");
    if (this.isPhone) this.picture.expect(spec.narrow);
    this.readout = status({ class: "course-readout" });
    this.then = status({ class: "course-then" });
    this.note = status({ class: "course-note" });
    const named = namedRow(spec.named ?? {}, (place) => this.jump(place));
    root.classList.add("course-explorer");
    root.append(this.goal, ...[named].filter(Boolean), ...this.rows.map((row) => row.node),
      this.picture.node, this.readout, this.then, this.note);
  }

  start() {
    const { host } = this;
    this.show(host.shown());
    if (this.spec.listed && !host.hasKernel()) this.confine();
    host.onPlace((place) => this.told(place));
    host.onShown((shown) => this.drawn(shown));
    host.onAwake((awake) => this.awake(awake));
    if (host.home === "lab") this.load();
    else this.loadWhenSeen();
    window.addEventListener("pagehide", this.flush);
    this.watcher = new ResizeObserver(() => this.reserve());
    this.watcher.observe(this.root);
  }

  end() {
    this.flush();
    window.removeEventListener("pagehide", this.flush);
    this.watcher?.disconnect();
    this.viewer?.disconnect();
  }

  // ---- stored states ----

  loadWhenSeen() {
    this.viewer = new IntersectionObserver((entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      this.viewer.disconnect();
      this.load();
    }, { rootMargin: "400px" });
    this.viewer.observe(this.root);
  }

  async load() {
    try {
      this.states = await unpacked(await this.host.data(), this.spec.controls);
    } catch (error) {
      this.note.textContent = `The stored pictures could not be read: ${error.message}`;
    }
    if (this.states) this.picture.ground(this.states.content);
    this.confine();
    this.reserve();
    if (this.numberOf(this.place) !== null) this.paint();
  }

  // Without a kernel only what is stored can be shown.
  confine() {
    const free = this.host.hasKernel() || !this.spec.listed && this.states;
    this.rows.forEach((row) => {
      row.enable(Boolean(free || ((this.states || this.spec.listed) && !row.isSlider)));
      row.node.hidden = Boolean(!free && row.isSlider && this.host.home !== "lab"); // of no use there
    });
    const asleep = this.host.home === "lab" ? `${ASLEEP} ` : "";
    if (!free) this.note.textContent = this.spec.listed ? asleep + ONLY_NAMED : ASLEEP;
  }

  numberOf(place) {
    return this.states ? this.states.number(place) : null;
  }

  // ---- moves ----

  moved(name, value) {
    this.place = { ...this.place, [name]: value };
    this.update();
  }

  jump(place) {
    this.place = { ...this.place, ...place };
    this.update();
  }

  update() {
    this.rows.forEach((row, k) => row.set(this.place[this.spec.controls[k].name]));
    this.paint();
    this.tell();
  }

  // The kernel hears the newest place; what the page draws itself is painted before that. Each
  // message, and what the lab does when the kernel is busy and idle again, costs as much as a frame.
  tell() {
    if (this.numberOf(this.place) === null) {
      this.host.setPlace(this.place);
      clearTimeout(this.late);
      this.late = setTimeout(() => this.waits(true), PATIENT);
      return;
    }
    this.waits(false);
    this.telling ??= setTimeout(() => this.tellNow(), LATER);
  }

  tellNow() {
    clearTimeout(this.telling);
    this.telling = null;
    this.host.setPlace(this.place);
  }

  told(place) {
    if (same(place, this.place)) return;
    this.place = { ...place };
    this.rows.forEach((row, k) => row.set(this.place[this.spec.controls[k].name]));
    this.paint();
  }

  drawn(shown) {
    if (!same(shown.place, this.place)) return;
    this.show(shown);
    this.waits(false);
  }

  // While the kernel owes a picture, the old one is pale and the note says why.
  waits(late) {
    clearTimeout(this.late);
    this.picture.node.classList.toggle("course-late", late);
    this.readout.classList.toggle("course-late", late);
    if (late) this.note.textContent = BUSY;
    else if (this.note.textContent === BUSY) this.note.textContent = "";
  }

  paint() {
    const number = this.numberOf(this.place);
    if (number !== null) this.show(this.states.shown(number));
  }

  show({ layers, text, alt, attained = 0, size }) {
    if (layers) this.picture.show(layers, alt, size);
    if (text !== this.text) setLines(this.readout, text ?? "");
    this.text = text;
    this.showGoal(attained);
    this.grow();
  }

  // ---- dragging ----

  handles() {
    const number = this.numberOf(this.place);
    return number === null ? {} : this.states.handles(number);
  }

  // The value of a control at which its handle is nearest to a point of the picture.
  nearest(name, point) {
    const control = this.spec.controls.find((each) => each.name === name);
    const far = control.texts.map((_, value) => {
      const number = this.numberOf({ ...this.place, [name]: value });
      return distance(this.states.handles(number)[name], point);
    });
    return far.indexOf(Math.min(...far));
  }

  // ---- the goal ----

  showGoal(attained) {
    const { spec } = this;
    const found = this.found | attained;
    if (found !== this.found) this.host.remember("found", found);
    this.found = found;
    if (this.goalShown === `${found},${attained}`) return;
    this.goalShown = `${found},${attained}`;
    this.goal.replaceChildren(...this.goalLines(found, attained));
    const reached = spec.parts > 0 && found === 2 ** spec.parts - 1;
    this.goal.classList.toggle("course-found", reached);
    // On a phone the question would need half of the screen, reserved above the picture.
    if (this.isPhone) this.then.textContent = reached ? spec.then : "";
  }

  goalLines(found, attained) {
    const { spec } = this;
    const lines = [[element("b", {}, "Goal: "), spec.goal]];
    if (spec.parts) lines.push(goalLine(spec, found, attained, this.isPhone ? "" : spec.then));
    return lines.map((line) => element("div", {}, ...line));
  }

  // ---- space, so that nothing jumps ----

  reserve() {
    if (!this.root.clientWidth) return;
    const kept = [this.readout.style.minHeight, this.goal.style.minHeight];
    this.readout.style.minHeight = this.goal.style.minHeight = "";
    if (this.states)
      this.readout.style.minHeight = `${heightOf(this.readout, (twin) => setLines(twin, this.states.longest()))}px`;
    else [this.readout.style.minHeight] = kept;
    const longest = this.goalLines(2 ** this.spec.parts - 1, 0);
    if (this.spec.parts) this.goal.style.minHeight = `${heightOf(this.goal, (twin) => twin.append(...longest))}px`;
  }

  grow() {
    if (this.states) return;
    const height = this.readout.offsetHeight;
    if (height > (parseFloat(this.readout.style.minHeight) || 0)) this.readout.style.minHeight = `${height}px`;
  }

  awake(awake) {
    this.note.textContent = awake ? "" : this.states && !this.states.places ? ASLEEP_ALIVE : ASLEEP;
    if (!awake) this.confine();
  }
}

function goalLine(spec, found, attained, then) {
  const all = 2 ** spec.parts - 1;
  if (found === all) {
    const now = spec.parts > 1 || attained === all;
    const sign = now ? "✔ Reached. " : "✔ Reached before, not in this state. ";
    return [element("b", {}, sign), then];
  }
  if (spec.parts === 1) return ["○ Not reached yet."];
  const parts = [...Array(spec.parts).keys()].map((k) =>
    `${k + 1}: ${found & (2 ** k) ? "✔ reached" : "○ not yet"}`);
  return [parts.join(", ")];
}

function heightOf(node, fill) {
  const twin = node.cloneNode(false);
  twin.removeAttribute("role");
  twin.removeAttribute("aria-live");
  Object.assign(twin.style, { position: "absolute", visibility: "hidden", minHeight: "", width: `${node.clientWidth}px` });
  fill(twin);
  node.parentNode.append(twin);
  const height = twin.offsetHeight;
  twin.remove();
  return height;
}

function same(one, other) {
  return Object.keys(other).every((name) => one?.[name] === other[name]);
}

function distance(handle, [x, y]) {
  if (!handle) return Infinity;
  const dx = handle[0] === null ? 0 : handle[0] - x;
  const dy = handle[1] === null ? 0 : handle[1] - y;
  return dx * dx + dy * dy;
}
