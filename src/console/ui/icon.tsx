/** Outlines of the symbols in a square of 24 units. */
const PATHS = {
  menu: 'M4 6h16M4 12h16M4 18h16',
  'sign-out': 'M15 4h4v16h-4M10 8l-4 4 4 4M6 12h10',
  usage: 'M4 20V10M10 20V4M16 20v-8M4 20h17',
  key: 'M14 10a4 4 0 1 1-3-3.9M13.5 9.5 21 17v3h-3v-2h-2v-2l-3-3',
  file: 'M6 3h8l4 4v14H6zM14 3v4h4',
  chat: 'M4 5h16v11H9l-5 4z',
  memory: 'M12 4a6 6 0 0 0-3 11v3h6v-3a6 6 0 0 0-3-11M10 21h4',
  clock: 'M12 3a9 9 0 1 0 .01 0M12 7v5l4 2',
  settings: 'M4 7h10M18 7h2M4 17h2M10 17h10M16 5v4M8 15v4',
  switches: 'M3 8h18M3 16h18M8 5v6M16 13v6',
  users: 'M9 11a4 4 0 1 0-.01 0M2 20c1-5 13-5 14 0M16 4a4 4 0 0 1 0 7M18 14c2 1 4 3 4 6',
  money: 'M12 3v18M16 7c-2-2-8-2-8 1s8 4 8 7-6 4-8 1',
  server: 'M4 4h16v7H4zM4 13h16v7H4zM8 7.5h.01M8 16.5h.01',
  model: 'M12 3l8 5v8l-8 5-8-5V8zM4 8l8 5 8-5M12 13v8',
  list: 'M8 6h12M8 12h12M8 18h12M4 6h.01M4 12h.01M4 18h.01',
  broadcast: 'M4 10v4l12 5V5zM8 15v5',
  log: 'M5 4h14v16H5zM8 9h8M8 13h8M8 17h5',
  search: 'M10.5 4a6.5 6.5 0 1 0 .01 0M15.5 15.5 20 20',
  home: 'M4 11l8-7 8 7v9H4zM10 20v-6h4v6',
};

export type IconName = keyof typeof PATHS;

/** A symbol beside a text that says the same. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
