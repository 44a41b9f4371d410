// Make the text of each slide as large as fits, and a long formula as small as its line, then start.
for (const slide of document.querySelectorAll(".slides .slide")) {
  document.documentElement.classList.add("fitting");
  const isFull = () => [...slide.querySelectorAll(".body")].some(
    (body) => body.scrollHeight > body.clientHeight || body.scrollWidth > body.clientWidth);
  let size = slide.matches(".figure, .vote, .title") ? 30 : 36;
  slide.style.fontSize = `${size}px`;
  for (const formula of slide.querySelectorAll(".math.block")) {
    formula.style.fontSize = `${Math.min(1, formula.clientWidth / formula.scrollWidth)}em`;
  }
  while (isFull() && --size >= 18) slide.style.fontSize = `${size}px`;
  document.documentElement.classList.remove("fitting");
}
Reveal.initialize({
  width: 1280, height: 720, margin: 0, center: false, hash: true, navigationMode: "linear",
  slideNumber: "c/t", transition: "none", backgroundTransition: "none", controls: true,
  pdfSeparateFragments: false, pdfMaxPagesPerSlide: 1, plugins: [RevealNotes],
});
