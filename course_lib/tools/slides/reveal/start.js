// Make the text of each slide as large as fits, and a long formula as small as its line, then start.
function shrink(formula) { // more than once: small signs do not shrink in proportion
  let share = 1;
  formula.style.fontSize = "1em";
  for (let k = 0; k < 5 && formula.scrollWidth > formula.clientWidth; k++) {
    share *= Math.min(0.97, 0.97 * formula.clientWidth / formula.scrollWidth);
    formula.style.fontSize = `${share}em`;
  }
}
function fit(slide) {
  document.documentElement.classList.add("fitting");
  const isFull = () => [...slide.querySelectorAll(".body")].some(
    (body) => body.scrollHeight > body.clientHeight || body.scrollWidth > body.clientWidth);
  let size = slide.matches(".figure, .vote, .title") ? 30 : 36;
  slide.style.fontSize = `${size}px`;
  for (const formula of slide.querySelectorAll(".math.block")) shrink(formula);
  while (isFull() && --size >= 18) slide.style.fontSize = `${size}px`;
  document.documentElement.classList.remove("fitting");
}
const fitAll = () => document.querySelectorAll(".slides .slide").forEach(fit);
fitAll();
window.addEventListener("load", fitAll); // once more, with the fields for votes
document.addEventListener("fit", ({ target }) => fit(target.closest(".slide")));
Reveal.initialize({
  width: 1280, height: 720, margin: 0, center: false, hash: true, navigationMode: "linear",
  slideNumber: "c/t", transition: "none", backgroundTransition: "none", controls: true,
  pdfSeparateFragments: false, pdfMaxPagesPerSlide: 1, plugins: [RevealNotes],
});
