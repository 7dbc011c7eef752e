import type { JsonObject } from '../../../../lib/json/json.ts';

const REMIND = /^(?:please\s+|пожалуйста,?\s+)?(?:remind me|напомни(?:те)?(?:\s+мне)?)\s+(\S.{0,300})$/iu;
const AFTER =
  /(?:^|\s)(?:in|через)\s+(?:(\d{1,3}|an?|one)\s+)?(minutes?|hours?|минут[уы]?|час(?:а|ов)?|полчаса)(?=[\s.,!]|$)/iu;
const EVERY =
  /^(every day|every weekday|каждый день|каждый будний день|по будням)\s+(?:at|в)\s+(\d{1,2})(?::(\d{2}))?,?\s+(\S.{0,300})$/iu;
const LINKING = /^(?:to|of|about|that|о|об|про|что)\s+/iu;

/**
 * Reads a request such as “remind me in 5 minutes to drink tea” or “every weekday at 8 count to 5” as the arguments of
 * `schedule_task`.
 * @param today date such as `2026-12-31`, if the model knows it.
 */
export function readDemoTask(question: string, today: string | undefined): JsonObject | undefined {
  const reminded = REMIND.exec(question)?.[1];
  const rest = reminded ?? question;
  const kind = reminded === undefined ? 'question' : 'reminder';
  const every = EVERY.exec(rest);
  if (every) {
    const [, days = '', hour = '', minute = '00', text = ''] = every;
    if (today === undefined) return undefined;
    const rrule = /week|будн/i.test(days) ? 'FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR' : 'FREQ=DAILY';
    return { kind, text: text.replace(LINKING, ''), at: `${today}T${hour.padStart(2, '0')}:${minute}`, rrule };
  }
  const after = reminded === undefined ? undefined : AFTER.exec(rest);
  if (!after) return undefined;
  const text = rest.replace(after[0], ' ').trim().replace(LINKING, '');
  return { kind, text: text === '' ? rest : text, in_minutes: toMinutes(after[1], after[2] ?? '') };
}

function toMinutes(amount: string | undefined, unit: string): number {
  const count = Number(amount) || 1;
  if (/^полчаса/i.test(unit)) return 30;
  return /^(?:hour|час)/i.test(unit) ? count * 60 : count;
}
