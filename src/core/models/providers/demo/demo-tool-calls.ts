import type { JsonObject } from '../../../../lib/json.ts';

/** A question that asks for something which a tool can do: how it is noticed, and what is asked of the tool. */
interface DemoToolUse {
  readonly tool: string;
  readonly find: (question: string) => JsonObject | undefined;
}

/** The tools that every service like this one has. */
const TOOL_USES: readonly DemoToolUse[] = [
  {
    tool: 'read_web_page',
    find: (question) => {
      const url = /(?:read|open|summari[sz]e|прочитай|открой|перескажи)\s.{0,200}?(https?:\/\/\S+)/i.exec(
        question,
      )?.[1];
      return url === undefined ? undefined : { url };
    },
  },
  {
    tool: 'calculator',
    find: (question) => {
      const expression = /[\d(][\d\s.()]*(?:[-+*/×÷^]\s*[\d(][\d\s.()]*)+/.exec(question.slice(0, 500))?.[0].trim();
      return expression === undefined ? undefined : { expression };
    },
  },
  {
    tool: 'current_time',
    find: (question) => {
      if (!/what time|the time|what (day|date)|который час|сколько времени|какой сегодня|какое сегодня/i.test(question))
        return undefined;
      const zone = CITIES.find(([city]) => city.test(question))?.[1];
      return zone === undefined ? {} : { time_zone: zone };
    },
  },
  {
    tool: 'draw_picture',
    find: (question) => {
      const prompt = /^(?:please\s+)?(?:draw|paint|нарисуй)(?:\s+(?:me|мне))?\s+([\s\S]+)$/i.exec(question)?.[1];
      return prompt === undefined ? undefined : { prompt };
    },
  },
];

const CITIES: readonly (readonly [city: RegExp, zone: string])[] = [
  [/tokyo|токио/i, 'Asia/Tokyo'],
  [/london|лондон/i, 'Europe/London'],
  [/berlin|берлин/i, 'Europe/Berlin'],
  [/paris|париж/i, 'Europe/Paris'],
  [/moscow|москв/i, 'Europe/Moscow'],
  [/new york|нью-йорк/i, 'America/New_York'],
  [/sydney|сидне/i, 'Australia/Sydney'],
];

/** What a question asks of one of the tools with these names. */
export function findDemoToolUse(
  names: readonly string[],
  question: string,
): { readonly name: string; readonly parameters: JsonObject } | undefined {
  for (const { tool, find } of TOOL_USES) {
    const parameters = names.includes(tool) ? find(question) : undefined;
    if (parameters) return { name: tool, parameters };
  }
  return undefined;
}
