/** A model's answer to a quiet task that has nothing to report. It is not sent. */
export const NOTHING_NEW = 'NOTHING_NEW';

/** Models decorate the marker: `**NOTHING_NEW**.` */
const MAX_CHARACTERS = NOTHING_NEW.length + 10;

export function isNothingNew(answer: string): boolean {
  const written = answer.trim();
  return written.length <= MAX_CHARACTERS && written.includes(NOTHING_NEW);
}
