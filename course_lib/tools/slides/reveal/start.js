// Shrink the text of a slide that is too full until it fits, then start.
for (const slide of document.querySelectorAll(".slides .slide")) {
  document.documentElement.classList.add("fitting");
  const isFull = () => [...slide.querySelectorAll(".body")].some(
    (body) => body.scrollHeight > body.clientHeight || body.scrollWidth > body.clientWidth);
  for (let size = 30; size > 18 && isFull(); size -= 1) slide.style.fontSize = `${size - 1}px`;
  document.documentElement.classList.remove("fitting");
}
Reveal.initialize({
  width: 1280, height: 720, margin: 0, center: false, hash: true, navigationMode: "linear",
  slideNumber: "c/t", transition: "none", backgroundTransition: "none", controls: true,
  pdfSeparateFragments: false, pdfMaxPagesPerSlide: 1, plugins: [RevealNotes],
});
