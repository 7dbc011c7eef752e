/** Outlines on a 24 x 24 grid, stroked in the text colour. */
const OUTLINES = {
  close: 'M6 6l12 12M18 6 6 18',
  send: 'M4 20l17-8L4 4l0 6.5 10 1.5-10 1.5z',
  down: 'M5 9l7 7 7-7',
  copy: 'M9 9h11v11H9zM15 9V4H4v11h5',
  check: 'M4 12.5l5 5L20 6.5',
  reply: 'M10 5 3 12l7 7v-4.5c5 0 8.5 1.5 11 5.5-.5-7-4.5-10.5-11-11z',
  edit: 'M4 20l1-4L16.5 4.5l3 3L8 19zM14 7l3 3',
  trash: 'M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13M10.5 11v5M13.5 11v5',
  plus: 'M12 5v14M5 12h14',
  person: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4.5 20.5c.8-4 3.8-6 7.5-6s6.7 2 7.5 6',
  group:
    'M9 11.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM2.5 19.5c.6-3.4 3-5 6.5-5s5.9 1.6 6.5 5M16 5a3.3 3.3 0 0 1 0 6.3M18 14.8c2 .7 3.1 2.3 3.5 4.7',
  forum: 'M4 5h16v11H11l-4 4v-4H4zM8 9h8M8 12.5h5',
  channel: 'M4 10v4h3l9 5V5L7 10zM19 9.5a4 4 0 0 1 0 5M8 14l1.5 5',
  file: 'M6 3h8l5 5v13H6zM14 3v5h5',
  download: 'M12 4v11M7 11l5 5 5-5M5 20h14',
  pin: 'M12 21s7-6.5 7-11.5a7 7 0 1 0-14 0C5 14.5 12 21 12 21zM12 12a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5z',
  link: 'M7 17 17 7M9 7h8v8',
  search: 'M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM15.5 15.5 20 20',
  image: 'M4 5h16v14H4zM4 16l5-5 4 4 3-2.5 4 3.5M15.5 9.5h0',
  stop: 'M7 7h10v10H7z',
  microphone: 'M12 3a3 3 0 0 1 3 3v5a3 3 0 0 1-6 0V6a3 3 0 0 1 3-3zM6 11a6 6 0 0 0 12 0M12 17v4M9 21h6',
  more: 'M12 6h0M12 12h0M12 18h0',
};

export type IconName = keyof typeof OUTLINES;

/**
 * Renders a decorative icon. It is hidden from screen readers, so the surrounding control needs an accessible name.
 * @param variant `is-small`, `is-tiny`, `is-bold`, or another class
 */
export function icon(name: IconName, variant = '') {
  return (
    <svg viewBox="0 0 24 24" class={`icon ${variant}`.trim()} aria-hidden="true" focusable="false">
      <path d={OUTLINES[name]} />
    </svg>
  );
}

/** Renders the two check marks of an own message: the simulator has received it. */
export function ticks() {
  return (
    <svg viewBox="0 0 20 12" class="ticks" aria-hidden="true" focusable="false">
      <path d="M1.5 6.5l3.5 3.5 7.5-8" />
      <path d="M9.5 9.5l.5.5 8-8.5" />
    </svg>
  );
}
