const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

// Wide and fullwidth ranges of Unicode's EastAsianWidth.txt, the blocks that occur in text.
const WIDE =
  /[\u1100-\u115F\u2E80-\u303E\u3041-\u33FF\u3400-\u4DBF\u4E00-\u9FFF\uA000-\uA4CF\uA960-\uA97C\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6\u{1B000}-\u{1B2FF}\u{1F200}-\u{1F2FF}\u{20000}-\u{3FFFD}]/u;
const EMOJI = /\p{Emoji_Presentation}|\p{Extended_Pictographic}\uFE0F|[\u{1F1E6}-\u{1F1FF}]|\u20E3/u;
const ASCII = /^[\x20-\x7E]*$/;
const INVISIBLE = /^[\p{M}\p{Cf}]+$/u;

/**
 * Returns the width of the text in columns of a monospaced font: ideographs and emoji take two, combining marks none.
 */
export function getDisplayWidth(text: string): number {
  if (ASCII.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes.segment(text)) {
    if (INVISIBLE.test(segment)) continue;
    width += WIDE.test(segment) || EMOJI.test(segment) ? 2 : 1;
  }
  return width;
}
