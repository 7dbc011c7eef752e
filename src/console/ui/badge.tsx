import type { ComponentChildren } from 'preact';

/** Meaning of a state: works, needs attention, fails, or none of these. */
export type BadgeKind = 'good' | 'warning' | 'bad' | 'neutral';

interface BadgeProps {
  /** Default `neutral`. */
  readonly kind?: BadgeKind;
  /** The state in words: colours alone say nothing to many. */
  readonly children: ComponentChildren;
}

/** A state, such as “active” or “expired”. */
export function Badge({ kind = 'neutral', children }: BadgeProps) {
  return <span class={`badge ${kind}`}>{children}</span>;
}
