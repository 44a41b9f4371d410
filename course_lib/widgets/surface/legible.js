// Pictures on narrow screens: those of the lessons fit a phone. Of others, such as an explorer that
// somebody has written, letters stay large enough to be read, and the rest is swiped to.

const SMALLEST = 8; // pixels of a letter's size

// Gives an SVG the width that its smallest letters need, at most the one that it was drawn with.
export function keepLegible(svg) {
  const letters = [...svg.querySelectorAll("text")].map((text) => parseFloat(text.style.fontSize)).filter(Boolean);
  const needed = (svg.viewBox.baseVal.width * SMALLEST) / Math.min(...letters);
  svg.style.minWidth = `${Math.round(Math.min(needed, svg.getAttribute("width")))}px`;
  return true;
}

// The edge beyond which a box has more to show fades.
export function fadeWhereMore(box) {
  const update = () => {
    const left = box.scrollWidth - box.clientWidth - box.scrollLeft;
    box.classList.toggle("course-more", left > 2);
    box.classList.toggle("course-more-before", box.scrollLeft > 2);
  };
  box.addEventListener("scroll", update, { passive: true });
  new ResizeObserver(update).observe(box);
}
