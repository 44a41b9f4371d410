// A prediction: committed once, and then compared with the truth.

import { element } from "./element.js";
import { numberField, optionsField, orderField, sureField } from "./form_fields.js";
import { announce, commitForm, filledIn, formBody, onAnnounced } from "./form_parts.js";
import { comparison, spelledGuess } from "./form_truth.js";

export function mountPrediction(root, spec, host) {
  return new PredictionView(root, spec, host).start();
}

class PredictionView {
  constructor(root, spec, host) {
    Object.assign(this, { root, spec, host, body: formBody(root, spec, host) });
    this.entry = predictionEntry(spec);
    this.sure = sureField(spec.sure);
    const look = this.canBeLookedAt() ? [this.lookButton()] : [];
    this.form = commitForm([this.entry, this.sure], spec.words, () => this.commit(), ...look);
    this.result = element("div", { class: "course-result", tabindex: "-1" });
    if (this.isReveal()) {
      this.asked = element("div", {}, element("p", { class: "course-gate" }, spec.words.gate), this.form.node);
      this.body.append(this.asked, this.result);
    } else {
      root.dataset.asks = spec.id;
      this.body.append(this.form.node);
    }
  }

  isReveal() {
    return this.spec.truth !== undefined;
  }

  // Where the prediction is asked in the same page, its reveal does not ask it a second time.
  askOnce() {
    const above = document.querySelector(`[data-asks="${this.spec.id}"]`);
    if (!above || !this.isReveal() || this.settled) return;
    const go = element("button", { type: "button", onclick: () => visit(above) }, this.spec.words.go);
    const look = this.canBeLookedAt() ? [this.lookButton()] : [];
    this.asked.replaceChildren(element("p", { class: "course-gate" }, this.spec.words.gate),
      element("div", { class: "course-commit" }, go, ...look));
  }

  // A reveal that nobody in a kernel guards may be opened without a guess.
  canBeLookedAt() {
    return this.isReveal() && this.host.home === "page";
  }

  lookButton() {
    return element("button", { type: "button", onclick: () => this.look() }, this.spec.words.look);
  }

  start() {
    const { host, spec } = this;
    const stored = host.home === "page" ? host.recall(spec.id) : host.shown().entry;
    const forget = onAnnounced(spec.id, (entry) => this.settle(entry));
    host.onShown(({ entry }) => { if (entry && !this.settled) this.announce(entry); }); // from another tab
    const asked = ({ detail }) => { if (detail.id === spec.id) this.askOnce(); };
    document.addEventListener("course:asked", asked);
    if (stored) this.announce(stored);
    if (this.isReveal()) this.askOnce();
    else announce("asked", spec.id);
    return () => {
      forget();
      document.removeEventListener("course:asked", asked);
    };
  }

  announce(entry) {
    announce(entry.guess === undefined ? "shown" : "committed", this.spec.id, entry);
  }

  commit() {
    const { spec, host } = this;
    const guess = this.guess();
    const missing = this.missing(guess);
    if (missing) return missing;
    const entry = { guess, confidence: this.sure.read() };
    host.send({ event: "commit", ...entry });
    this.remember(entry);
  }

  look() {
    this.remember({ shown: true });
  }

  remember(entry) {
    this.host.remember(this.spec.id, entry);
    this.announce(entry);
    (this.isReveal() ? this.result : this.form.message).focus({ preventScroll: true });
  }

  guess() {
    const value = this.entry.read();
    return this.spec.kind === "choice" ? this.spec.options[value] : value;
  }

  // What is missing for a commitment, and where.
  missing(guess) {
    const { words, kind, least, most, whole } = this.spec;
    const given = this.entry.text?.() ?? "";
    const at = (text, field = this.entry) => ({ text: filledIn(text, { given }), field });
    if (guess === undefined) return at(given ? words.strange : words.empty);
    const fits = kind !== "number" || ((least ?? guess) <= guess && guess <= (most ?? guess)
      && (!whole || Number.isInteger(guess)));
    if (!fits) return at(words.impossible);
    return this.sure.read() === undefined ? at(words.unsure, this.sure) : null;
  }

  // The first commitment counts: shown, locked, and in a reveal compared with the truth.
  settle(entry) {
    const { spec } = this;
    const looked = entry.guess === undefined;
    this.settled = true;
    if (!looked) this.fill(entry);
    this.form.lock();
    if (this.isReveal()) {
      this.asked.hidden = true;
      this.result.replaceChildren(...comparison(spec, entry));
    } else if (looked) this.form.say("done", spec.words.looked);
    else this.form.say("done", `✓ ${filledIn(spec.words.committed, { guess: spelledGuess(spec, entry.guess) })}`);
  }

  fill({ guess, confidence }) {
    this.entry.show(this.spec.kind === "choice" ? this.spec.options.indexOf(guess) : guess);
    this.sure.show(confidence);
  }
}

function visit(root) {
  root.scrollIntoView({ block: "center" });
  root.querySelector("input, select")?.focus({ preventScroll: true });
}

function predictionEntry(spec) {
  const legend = [element("b", {}, `${spec.title}.`), ` ${spec.question}`];
  if (spec.kind === "number") return numberField(legend, spec);
  return spec.kind === "choice" ? optionsField(legend, spec.options) : orderField(legend, spec.options);
}
