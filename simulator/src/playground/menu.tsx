import { render } from 'preact';
import { type IconName, icon } from './icons.tsx';
import { translate } from './texts.ts';

export interface MenuItem {
  icon: IconName;
  label: string;
  run: () => void;
  isDangerous?: boolean;
}

interface MenuOptions {
  /** Accessible name of the menu */
  label: string;
  items: readonly MenuItem[];
  /** Position in the window */
  at: { x: number; y: number };
  /** Row of small buttons at the top, such as reactions */
  quick?: readonly { text: string; label: string; run: () => void }[];
}

const MARGIN_PX = 8;

/**
 * Opens a menu and focuses it: arrow keys move, Enter selects, Escape and a click elsewhere close it.
 * Closing restores the focus.
 */
export function openMenu(options: MenuOptions) {
  document.querySelector('.menu')?.remove();
  const before = document.activeElement;
  const choose = (run: () => void) => () => {
    close();
    run();
  };
  const menu = document.createElement('div');
  menu.className = 'menu';
  menu.role = 'menu';
  menu.ariaLabel = options.label;
  render(renderItems(options, choose), menu);
  const stops = [...menu.querySelectorAll('button')];
  const quickCount = options.quick?.length ?? 0;

  const close = () => {
    menu.remove();
    removeEventListener('pointerdown', closeOutside, true);
    removeEventListener('resize', close);
    if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
  };
  const closeOutside = (event: PointerEvent) => {
    if (event.target instanceof Node && !menu.contains(event.target)) close();
  };
  menu.addEventListener('contextmenu', (event) => event.preventDefault());
  menu.addEventListener('keydown', (event) => {
    event.stopPropagation();
    if (event.key === 'Escape' || event.key === 'Tab') {
      event.preventDefault();
      close();
      return;
    }
    const place = stops.findIndex((stop) => stop.matches(':focus'));
    const next = nextStop(event.key, place, quickCount, stops.length);
    if (next === undefined) return;
    event.preventDefault();
    stops[next]?.focus();
  });
  document.body.append(menu);
  place(menu, options.at);
  addEventListener('pointerdown', closeOutside, true);
  addEventListener('resize', close);
  (stops[quickCount] ?? stops[0])?.focus({ preventScroll: true });
}

function renderItems({ quick, items }: MenuOptions, choose: (run: () => void) => () => void) {
  return (
    <>
      {quick && (
        <div class="menu-quick-row" role="group" aria-label={translate('Reactions')}>
          {quick.map(({ text, label, run }) => (
            <button
              key={text}
              type="button"
              role="menuitem"
              class="menu-quick"
              aria-label={label}
              tabindex={-1}
              onClick={choose(run)}
            >
              {text}
            </button>
          ))}
        </div>
      )}
      {items.map((item) => (
        <button
          key={item.label}
          type="button"
          role="menuitem"
          class={`menu-item${item.isDangerous ? ' is-dangerous' : ''}`}
          tabindex={-1}
          onClick={choose(item.run)}
        >
          {icon(item.icon, 'menu-item-icon')}
          <span>{item.label}</span>
        </button>
      ))}
    </>
  );
}

/** Returns the next item: left and right move within the quick row, up and down over all items. */
function nextStop(key: string, current: number, quickCount: number, count: number) {
  if (key === 'Home') return 0;
  if (key === 'End') return count - 1;
  if (key === 'ArrowRight') return (current + 1) % count;
  if (key === 'ArrowLeft') return (current - 1 + count) % count;
  if (key === 'ArrowDown') return current < quickCount ? quickCount % count : (current + 1) % count;
  if (key === 'ArrowUp') return current <= quickCount && current > 0 ? 0 : (current - 1 + count) % count;
  return undefined;
}

function place(menu: HTMLElement, at: { x: number; y: number }) {
  const { width, height } = menu.getBoundingClientRect();
  menu.style.left = `${Math.max(MARGIN_PX, Math.min(at.x, innerWidth - width - MARGIN_PX))}px`;
  menu.style.top = `${Math.max(MARGIN_PX, Math.min(at.y, innerHeight - height - MARGIN_PX))}px`;
}
