import type { ComponentChildren } from 'preact';

/** A step of the setup. */
export function Step({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <li>
      <h3>{title}</h3>
      {children}
    </li>
  );
}

interface VerdictProps {
  readonly kind: 'good' | 'bad' | 'note';
  readonly children: ComponentChildren;
}

const SIGNS = { good: '✓ ', bad: '✗ ', note: '• ' };

/** Result of a check, for an element that announces its changes. */
export function Verdict({ kind, children }: VerdictProps) {
  return (
    <p class={kind === 'bad' ? 'verdict error' : 'verdict'}>
      {SIGNS[kind]}
      {children}
    </p>
  );
}
