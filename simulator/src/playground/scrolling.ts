/** Distance from the end, in pixels, within which the reader counts as being at the end. */
const END_PX = 60;

/** Keeps the newest message in view while the reader is at the end; otherwise keeps the scroll position. */
export function createScrolling({
  scroller,
  content,
  onMove,
}: {
  scroller: HTMLElement;
  content: HTMLElement;
  onMove: () => void;
}) {
  let isAtEnd = true;
  const measure = () => scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < END_PX;
  const toEnd = () => {
    scroller.scrollTop = scroller.scrollHeight;
    isAtEnd = true;
  };
  let lastTop = 0;

  scroller.addEventListener('scroll', () => {
    // Growing content also increases the distance to the end, so only scrolling up counts as leaving it.
    if (measure()) isAtEnd = true;
    else if (scroller.scrollTop < lastTop) isAtEnd = false;
    lastTop = scroller.scrollTop;
    onMove();
  });
  const follow = new ResizeObserver(() => {
    if (isAtEnd) toEnd();
  });
  follow.observe(content);
  follow.observe(scroller);

  return {
    get isAtEnd() {
      return isAtEnd;
    },
    /** Scrolls to the end after a change of the content, if the reader was there. */
    settle() {
      if (isAtEnd) toEnd();
    },
    jumpToEnd(isSmooth = false) {
      if (isSmooth && !matchMedia('(prefers-reduced-motion: reduce)').matches)
        scroller.scrollTo({ top: scroller.scrollHeight, behavior: 'smooth' });
      else toEnd();
      isAtEnd = true;
    },
    show(element: Element) {
      isAtEnd = false;
      element.scrollIntoView({ block: 'center', behavior: 'auto' });
      isAtEnd = measure();
    },
  };
}
