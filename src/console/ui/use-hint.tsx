import { useId } from 'preact/hooks';

/** Returns the hint of an input as an element, and its id for `aria-describedby`; undefined without a text. */
export function useHint(text: string | undefined) {
  const id = useId();
  if (text === undefined) return {};
  const hint = (
    <p id={id} class="dim">
      {text}
    </p>
  );
  return { hint, hintId: id };
}
