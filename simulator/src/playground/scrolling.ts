/** This close to the end counts as reading the newest message, in pixels. */
const END_PX = 60;

/** Keeps the newest message in view while the reader is at the end, and leaves the reader alone anywhere else. */
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
    // Content that grows moves the end away without the reader: only their own way up lets go of the end.
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
    /** After a change of the content. */
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
