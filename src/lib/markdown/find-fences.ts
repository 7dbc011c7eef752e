/** A fenced code block, from the start of the opening line to the end of the closing one. */
export interface Fence {
  readonly start: number;
  /** Offset after the closing line, or the end of the source if the fence is open. */
  readonly end: number;
  readonly isClosed: boolean;
  /** Offset after the opening line's newline; the length of the source while that line is incomplete. */
  readonly contentStart: number;
}

const OPENING = /^([ \t>]*)(?:(?:[-+*]|\d{1,9}[.)])[ \t]+)*(`{3,}(?=[^`]*$)|~{3,})/;

/** Finds the fenced code blocks of a source, in order, line by line without parsing it. */
export function findFences(source: string): Fence[] {
  const fences: Fence[] = [];
  let open: { start: number; marker: string; isQuoted: boolean; contentStart: number } | undefined;
  for (let start = 0; start < source.length; ) {
    const newline = source.indexOf('\n', start);
    const end = newline < 0 ? source.length : newline;
    const next = newline < 0 ? source.length : newline + 1;
    const line = source.slice(start, end);
    if (open?.isQuoted && !/^[ \t]*>/.test(line)) {
      fences.push({ ...open, end: start, isClosed: true });
      open = undefined;
    }
    if (open === undefined) {
      const opened = openFence(line);
      if (opened) open = { start, ...opened, contentStart: next };
    } else if (closesFence(line, open.marker)) {
      fences.push({ ...open, end: next, isClosed: true });
      open = undefined;
    }
    start = next;
  }
  if (open) fences.push({ ...open, end: source.length, isClosed: false });
  return fences;
}

/** Returns the marker of the fence that a line opens; undefined if it opens none. */
export function openFence(line: string): { readonly marker: string; readonly isQuoted: boolean } | undefined {
  const found = OPENING.exec(line);
  return found?.[2] ? { marker: found[2], isQuoted: found[1]?.includes('>') ?? false } : undefined;
}

/** Returns whether a line closes the fence with this marker. */
export function closesFence(line: string, marker: string): boolean {
  const run = /^[ \t>]*(`{3,}|~{3,})[ \t]*$/.exec(line)?.[1];
  return run !== undefined && run[0] === marker[0] && run.length >= marker.length;
}
